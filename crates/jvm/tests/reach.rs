//! Which unsupported methods the static call graph from some roots reaches, and how.
mod common;
use common::{Classes, program};
use ir::{Code, Op, MethodId, Terminator};
use std::collections::*;

#[test]
#[ignore]
fn reach() {
    let program = program(Classes::default());
    let roots = std::env::var("ROOTS").unwrap();
    let mut seen: HashMap<MethodId, Option<MethodId>> = HashMap::new();
    let mut work: VecDeque<MethodId> = VecDeque::new();
    for root in roots.split(',') {
        let (class, name) = root.rsplit_once('.').unwrap();
        let class = program.class(program.class_id(class)).unwrap();
        for m in &class.methods { if &*program.method(*m).name == name || name == "*" && !skip(&program.method(*m).name) { seen.insert(*m, None); work.push_back(*m); } }
    }
    let mut bad: BTreeMap<String, Vec<MethodId>> = BTreeMap::new();
    while let Some(m) = work.pop_front() {
        let mut next = vec![];
        let mut classes = vec![program.method(m).class];
        match program.code(m) {
            Code::Body(b) => for block in &b.blocks {
                for i in &block.instrs { match &i.op {
                    Op::Invoke { method, .. } => { if let Ok(t) = program.resolve_method(*method) { next.push(t); classes.push(program.method(t).class);} else { bad.entry(format!("unresolved {}", program.method_ref_name(*method))).or_default().push(m); } }
                    Op::New { class, .. } => classes.push(*class),
                    Op::GetStatic { field, .. } | Op::PutStatic { field, .. } => if let Ok(f) = program.resolve_field(*field) { classes.push(program.field(f).class) },
                    _ => {} } }
                if let Terminator::Unsupported { what } = &block.end { bad.entry(what.to_string()).or_default().push(m); }
            },
            Code::Unsupported(w) => { bad.entry(w.to_string()).or_default().push(m); }
            _ => {}
        }
        for c in classes { if let Ok(c) = program.class(c) { for x in &c.methods { if &*program.method(*x).name == "<clinit>" { next.push(*x); } }
            if let Some(s) = c.superclass { if let Ok(s) = program.class(s) { for x in &s.methods { if &*program.method(*x).name == "<clinit>" { next.push(*x); } } } } } }
        for n in next { let nm=program.method(n); if skip(&nm.name) || program.class_name(nm.class).contains("ForkJoin") || program.class_name(nm.class).starts_with("java.util.regex") { continue; } if !seen.contains_key(&n) { seen.insert(n, Some(m)); work.push_back(n); } }
    }
    println!("{} methods reached", seen.len());
    for (what, at) in bad {
        let mut path = vec![]; let mut cur = Some(at[0]);
        while let Some(m) = cur { path.push(program.method_name(m)); cur = seen[&m]; }
        println!("{what}\n    {}", path.join(" <- "));
    }
}

fn skip(n: &str) -> bool { ["writeObject","readObject","spliterator","stream","checkInvariants","readTreeSet","buildFromSorted","comparableClassFor","parallelSort","toString0", "defaultReadObject"].contains(&n) || n.starts_with("parallel") }
