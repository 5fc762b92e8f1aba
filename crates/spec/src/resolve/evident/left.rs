//! Fields that a constructor, or the initialiser of the class, may leave as they are: null.
//!
//! Forward over the blocks, with the fields of `this` that every way has assigned. What a method of the same
//! class surely assigns counts where it is called for `this`. A constructor that calls another one of its
//! class leaves nothing, because that one is looked at itself.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ir::{Body, ClassId, FieldId, Instr, MethodId, Op, Program, Reg, Terminator};

use super::body;

/// The wanted fields that some constructor does not assign; of static ones, the initialiser.
pub(super) fn null(
    program: &Program,
    class: ClassId,
    wanted: &BTreeSet<FieldId>,
) -> BTreeSet<FieldId> {
    let mut search = Search { program, class, wanted, known: BTreeMap::new() };
    let methods = program.class(class).map_or(&[][..], |c| &c.methods);
    let is_named = |m: &MethodId, name: &str| *program.method(*m).name == *name;
    let (of_class, of_objects): (BTreeSet<FieldId>, BTreeSet<FieldId>) =
        wanted.iter().partition(|field| program.field(**field).is_static);
    let mut left = BTreeSet::new();
    for constructor in methods.iter().filter(|m| is_named(m, "<init>")) {
        left.extend(&of_objects - &search.assigned_by(*constructor));
    }
    match methods.iter().find(|m| is_named(m, "<clinit>")) {
        Some(initialiser) => left.extend(&of_class - &search.assigned_by(*initialiser)),
        None => left.extend(of_class),
    }
    left
}

struct Search<'p> {
    program: &'p Program,
    class: ClassId,
    wanted: &'p BTreeSet<FieldId>,
    known: BTreeMap<MethodId, BTreeSet<FieldId>>,
}

/// What holds on every way to a point.
#[derive(Clone, PartialEq)]
struct State {
    assigned: BTreeSet<FieldId>,
    /// Registers that hold the receiver.
    this: BTreeSet<Reg>,
}

impl Search<'_> {
    /// The fields that are assigned whenever the method returns. Code that is not there assigns all: nothing
    /// is known against it.
    fn assigned_by(&mut self, method: MethodId) -> BTreeSet<FieldId> {
        if let Some(known) = self.known.get(&method) {
            return known.clone();
        }
        // A recursive call assigns what the others do.
        self.known.insert(method, self.wanted.clone());
        let found = body(self.program, method).map(|body| self.over(body, method));
        let found = found.unwrap_or_else(|| self.wanted.clone());
        self.known.insert(method, found.clone());
        found
    }

    fn over(&mut self, body: &Body, method: MethodId) -> BTreeSet<FieldId> {
        let receiver = body.params.first().filter(|_| !self.program.method(method).is_static);
        let start =
            State { assigned: BTreeSet::new(), this: receiver.copied().into_iter().collect() };
        let mut states: Vec<Option<State>> = vec![None; body.blocks.len()];
        let mut at_return = self.wanted.clone();
        let mut work = VecDeque::from([0]);
        states[0] = Some(start);
        while let Some(index) = work.pop_front() {
            let Some(before) = states[index].clone() else {
                continue;
            };
            let block = &body.blocks[index];
            let mut after = before.clone();
            block.instrs.iter().for_each(|instr| self.pass(instr, &mut after));
            if let Terminator::Return(_) = block.end {
                at_return = &at_return & &after.assigned;
            }
            let normal = block.end.targets().into_iter().map(|target| (target, &after));
            // An exception may come before anything was done.
            let thrown = block.handlers.iter().map(|handler| (handler.target, &before));
            for (target, state) in normal.chain(thrown) {
                if meet(&mut states[target.index()], state) {
                    work.push_back(target.index());
                }
            }
        }
        at_return
    }

    fn pass(&mut self, instr: &Instr, state: &mut State) {
        let program = self.program;
        let written = if let Op::PutField { object, field, .. } = &instr.op {
            Some(*field).filter(|_| state.this.contains(object))
        } else if let Op::PutStatic { field, .. } = &instr.op {
            Some(*field)
        } else {
            None
        };
        state.assigned.extend(written.and_then(|field| program.resolve_field(field).ok()));
        if let Op::Invoke { method, args, .. } = &instr.op
            && let Ok(callee) = program.resolve_method(*method)
            && program.method(callee).class == self.class
        {
            let is_for_this = args.first().is_some_and(|first| state.this.contains(first));
            if is_for_this && *program.method(callee).name == *"<init>" {
                state.assigned.extend(self.wanted);
            } else if is_for_this || program.method(callee).is_static {
                state.assigned.extend(self.assigned_by(callee));
            }
        }
        if let Some(dst) = instr.dst() {
            let is_this = matches!(&instr.op, Op::Move { src, .. } if state.this.contains(src));
            match is_this {
                true => state.this.insert(dst),
                false => state.this.remove(&dst),
            };
        }
    }
}

/// Keeps what holds along another edge too; whether that is less.
fn meet(known: &mut Option<State>, other: &State) -> bool {
    let Some(mine) = known else {
        *known = Some(other.clone());
        return true;
    };
    let met = State { assigned: &mine.assigned & &other.assigned, this: &mine.this & &other.this };
    let is_less = met != *mine;
    *mine = met;
    is_less
}
