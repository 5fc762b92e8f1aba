//! C, from preprocessed text to the small statements of `explain`.
//!
//! `lexer` and `parse` read the text, `front` finds out what names mean, `types` lays structures
//! out, `lower` turns the functions that can run into graphs. What has no model becomes a trap
//! with a name. The crate runs no compiler and reads no file.

mod ast;
mod front;
mod lexer;
mod lower;
pub mod outside;
mod parse;
mod types;

/// Functions whose call is a failing assertion.
pub const FAILS: [&str; 6] = outside::FAILS;

pub use front::{Options, Target};
pub use lexer::Problem;

use explain::program::{Edge, Op, Origin, Point, ProcId, Procedure, Program};
use front::{Front, Symbol, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// A preprocessed source.
pub struct Source {
    /// The name of the file.
    pub name: String,
    /// Its text after the preprocessor, with line marks.
    pub text: String,
}

/// A program, ready to be searched.
pub struct Lowered {
    /// Its procedures; it starts in one that sets the globals and calls the first function.
    pub program: Program,
    /// What was assumed about it.
    pub notes: BTreeSet<String>,
    /// How many points are what is looked for.
    pub targets: usize,
    /// What it leaves to others.
    pub outside: outside::Outside,
}

/// How deep the text of a program may nest decides how much stack its reader needs.
const STACK: usize = 512 << 20;

/// Reads a program. Any text is read to an end: with a program, or with what is wrong and where.
pub fn lower(sources: &[Source], options: &Options) -> Result<Lowered, Problem> {
    let whole = || Problem { file: String::new(), line: 0, what: "there is no stack".to_owned() };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        // Terms are made there and moved here: nothing of them is shared.
        let reader = builder.spawn_scoped(scope, || read(sources, options));
        match reader.map(|reader| reader.join()) {
            Ok(Ok(read)) => read,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => Err(whole()),
        }
    })
}

fn read(sources: &[Source], options: &Options) -> Result<Lowered, Problem> {
    let mut units = Vec::new();
    let mut unseen = None;
    for source in sources {
        let tokens = lexer::tokens(&source.name, &source.text)?;
        let items = parse::parse(&tokens)?;
        let addressed = front::addressed(&tokens);
        unseen = unseen.or(front::unseen(&tokens));
        let text = source.text.as_str().into();
        let scope = front::Scope::default();
        units.push(Unit { text, files: tokens.files, items, scope, addressed });
    }
    let mut front = Front::new(options.clone(), units);
    front.outside.unseen = unseen;
    front.declare_all()?;
    let start = match front.linked.get(&options.function) {
        Some(Symbol::Function(index)) => Some(*index),
        _ => front.functions.iter().position(|known| known.name == options.function),
    };
    let Some(start) = start.filter(|&index| front.functions[index].body.is_some()) else {
        let names: Vec<&str> = front
            .functions
            .iter()
            .filter(|known| known.body.is_some())
            .map(|known| known.name.as_str())
            .take(8)
            .collect();
        let file = sources.first().map(|source| source.name.clone()).unwrap_or_default();
        let what = format!(
            "there is no function `{}` with a body to start from; name one with --function ({})",
            options.function,
            names.join(", ")
        );
        return Err(Problem { file, line: 0, what });
    };
    lower::lower_all(&mut front, start)?;
    let entry = begin(&mut front, start)?;
    front.program.entry = entry;
    front.look_outside(start);
    let Front { program, notes, targets, outside, .. } = front;
    Ok(Lowered { program, notes, targets, outside })
}

/// The procedure that sets the globals and calls the first function with unknown arguments.
fn begin(front: &mut Front, start: usize) -> Result<ProcId, Problem> {
    let procedure = ProcId(front.program.procedures.len() as u32);
    let empty = Procedure { name: "start".to_owned(), ..Procedure::default() };
    front.program.procedures.push(empty);
    // Strings that initialisers need come up while these are lowered.
    let used = front.used_globals();
    let mut nodes = Vec::new();
    let mut done = 0;
    let mut lower = lower::Lower::new(front, procedure, "start".to_owned(), types::Type::Void);
    while done < lower.front.initials.len() {
        let all = std::mem::take(&mut lower.front.initials);
        let wanted = all.into_iter().filter(|initial| {
            used.contains(&initial.id) || lower.front.program.space.variable(initial.id).made_up
        });
        let wanted = wanted.collect();
        lower.initialise_globals(wanted)?;
        done = 0;
    }
    nodes.extend(lower.into_nodes());
    let last = Point(nodes.len() as u32 - 1);
    let formals = front.formals(start);
    let Some(callee) = front.procedure(start) else {
        return Ok(procedure);
    };
    // Parameters of the first function are not bound: their values are unknown.
    let op = Op::Call {
        procedure: callee,
        formals: formals[..0].to_vec(),
        actuals: Vec::new(),
        result: None,
    };
    let origin =
        Origin { text: format!("call of {}", front.functions[start].name), ..Origin::default() };
    let end = Point(nodes.len() as u32);
    nodes[last.0 as usize].edges.push(Edge { op, to: end, origin });
    nodes.push(explain::program::Node::default());
    front.program.procedures[procedure.0 as usize].nodes = nodes;
    Ok(procedure)
}

impl Front {
    /// The globals that some lowered function speaks of, and what their initial values speak of.
    fn used_globals(&self) -> BTreeSet<explain::term::VarId> {
        let mut roots = Vec::new();
        for edge in self.program.procedures.iter().flat_map(|p| &p.nodes).flat_map(|n| &n.edges) {
            match &edge.op {
                Op::Assign { place, value } => roots.extend([*place, *value]),
                Op::Unknown { place, .. } => roots.push(*place),
                Op::Assume(condition) => roots.push(*condition),
                Op::Call { actuals, result, .. } => {
                    roots.extend(actuals);
                    roots.extend(result);
                }
                Op::Return { value } => roots.extend(value),
                Op::Allocate { place, size } => roots.extend([*place, *size]),
                Op::Skip | Op::Unsupported(_) => {}
            }
        }
        let mut used: BTreeSet<_> = self.program.terms.variables(&roots);
        // An address in an initial value makes what is there used.
        let owners: BTreeMap<_, _> = self.initials.iter().map(|i| (i.id, i)).collect();
        loop {
            let before = used.len();
            for (id, initial) in &owners {
                if !used.contains(id) {
                    continue;
                }
                let names = initial.initial.iter().flat_map(ast::names);
                for name in names.collect::<Vec<_>>() {
                    if let Some(Symbol::Variable { id, .. }) =
                        self.units[initial.unit].scope.names.get(&name)
                    {
                        used.insert(*id);
                    }
                }
            }
            if used.len() == before {
                return used;
            }
        }
    }
}
