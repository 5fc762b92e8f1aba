//! Everyday library code reaches no trap along its static call graph (class initialisers
//! included, dynamic dispatch not followed), floating point apart.

mod common;

use std::collections::{BTreeSet, HashSet, VecDeque};

use common::{Classes, program};
use ir::{ClassId, Code, MethodId, Op, Program, Terminator};

/// Parts of the JDK behind guards that are constantly false or never called here: parallel
/// sorting, serialisation, and tree bins' look at generic signatures.
fn is_guarded(program: &Program, method: MethodId) -> bool {
    let method = program.method(method);
    let class = program.class_name(method.class);
    let named = ["writeObject", "readObject", "spliterator", "stream", "comparableClassFor"];
    class.contains("ForkJoin")
        || class.contains("CountedCompleter")
        || class.contains("DualPivotQuicksort$")
        || named.contains(&&*method.name)
        || method.name.starts_with("parallel")
}

/// Names of the traps that are reachable from these methods (`*` for all of a class).
fn traps(program: &Program, roots: &[&str]) -> BTreeSet<String> {
    let mut search = Search { program, seen: HashSet::new(), work: VecDeque::new() };
    for root in roots {
        let (class, name) = root.rsplit_once('.').expect("Class.method");
        let class = program.class(program.class_id(class)).expect("the class loads");
        for method in &class.methods {
            if name == "*" || &*program.method(*method).name == name {
                search.add(*method);
            }
        }
    }
    let mut found = BTreeSet::new();
    while let Some(method) = search.work.pop_front() {
        search.visit(method, &mut found);
    }
    found
}

struct Search<'a> {
    program: &'a Program,
    seen: HashSet<MethodId>,
    work: VecDeque<MethodId>,
}

impl Search<'_> {
    fn add(&mut self, method: MethodId) {
        if !is_guarded(self.program, method) && self.seen.insert(method) {
            self.work.push_back(method);
        }
    }

    fn initialise(&mut self, class: ClassId) {
        let Ok(class) = self.program.class(class) else {
            return;
        };
        for method in &class.methods {
            if &*self.program.method(*method).name == "<clinit>" {
                self.add(*method);
            }
        }
        if let Some(superclass) = class.superclass {
            self.initialise(superclass);
        }
    }

    fn visit(&mut self, method: MethodId, found: &mut BTreeSet<String>) {
        let body = match self.program.code(method) {
            Code::Body(body) => body,
            Code::Unsupported(what) => {
                found.insert(what.to_string());
                return;
            }
            Code::Intrinsic(_) | Code::Abstract => return,
        };
        for block in &body.blocks {
            for instr in &block.instrs {
                self.follow(&instr.op, found);
            }
            if let Terminator::Unsupported { what } = &block.end {
                found.insert(what.to_string());
            }
        }
    }

    fn follow(&mut self, op: &Op, found: &mut BTreeSet<String>) {
        match op {
            Op::Invoke { method, .. } => match self.program.resolve_method(*method) {
                Ok(target) => {
                    self.add(target);
                    self.initialise(self.program.method(target).class);
                }
                Err(why) => {
                    found.insert(why.to_string());
                }
            },
            Op::New { class, .. } => self.initialise(*class),
            Op::GetStatic { field, .. } | Op::PutStatic { field, .. } => {
                if let Ok(field) = self.program.resolve_field(*field) {
                    self.initialise(self.program.field(field).class);
                }
            }
            _ => {}
        }
    }
}

#[track_caller]
fn check(roots: &[&str], expected: &[&str]) {
    let found = traps(&program(Classes::default()), roots);
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn lists_and_queues() {
    check(&["java.util.ArrayList.*", "java.util.LinkedList.*", "java.util.ArrayDeque.add"], &[]);
    check(&["java.util.ArrayDeque.poll", "java.util.PriorityQueue.*", "java.util.Optional.*"], &[]);
}

#[test]
fn maps_and_sets() {
    check(&["java.util.TreeMap.put", "java.util.TreeMap.remove", "java.util.TreeMap.get"], &[]);
    check(&["java.util.EnumMap.put", "java.util.EnumSet.noneOf", "java.util.EnumSet.of"], &[]);
    check(&["java.util.HashMap.put", "java.util.HashSet.add"], &[]);
}

#[test]
fn immutable_collections_and_sorting() {
    check(&["java.util.List.of", "java.util.Set.of", "java.util.Map.of"], &[]);
    check(&["java.util.Collections.sort", "java.util.ArrayList.sort"], &[]);
    check(&["java.util.Arrays.asList", "java.util.Arrays.fill", "java.util.Arrays.copyOf"], &[]);
}

#[test]
fn strings_and_numbers() {
    check(
        &["java.lang.String.substring", "java.lang.String.indexOf", "java.lang.String.join"],
        &[],
    );
    check(&["java.lang.StringBuilder.toString", "java.lang.StringBuilder.reverse"], &[]);
    check(&["java.lang.StringBuilder.deleteCharAt", "java.lang.StringBuilder.setLength"], &[]);
    check(&["java.lang.Integer.parseInt", "java.lang.Integer.toString"], &[]);
    check(&["java.lang.Character.isDigit", "java.lang.Character.isLetter"], &[]);
    check(&["java.util.StringJoiner.toString", "java.lang.Enum.valueOf"], &[]);
}

#[test]
fn atomics() {
    let atomic = "java.util.concurrent.atomic.Atomic";
    for class in ["Integer", "Long"] {
        let of = |method| format!("{atomic}{class}.{method}");
        let roots = [of("incrementAndGet"), of("updateAndGet"), of("compareAndSet"), of("set")];
        check(&roots.each_ref().map(String::as_str), &[]);
    }
    check(&["java.util.concurrent.atomic.AtomicReference.getAndUpdate"], &[]);
    check(&["java.util.concurrent.atomic.AtomicBoolean.getAndSet"], &[]);
}
