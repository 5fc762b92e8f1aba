//! Loops that go through a structure, object by object.
//!
//! Usually all executions that go round a loop so many times are one state, in which the reference that
//! moves may be any of many objects. Where that reference only ever moves on, to objects with greater
//! numbers, it is better to have one state for each object that it comes to, however many rounds
//! that took: the objects are met in the order of their numbers, each once, and in each of these states
//! the reference is a constant. So a loop over n objects takes n rounds of constant reads
//! instead of n rounds of reads from any of n objects, and a solver need not find out that the
//! rounds are alike.

use std::collections::BTreeMap;

use ir::{BlockId, Instr, Op};

use crate::atom::{Atom, Name};
use crate::engine::Engine;
use crate::exec::Frame;
use crate::state::{Registers, State};
use crate::value::{Ref, Value};

/// The states that wait to visit objects.
#[derive(Default)]
pub(crate) struct Visits {
    /// What registers held when the loop was entered.
    before: Option<Registers>,
    cursor: Cursor,
    waiting: BTreeMap<Atom, (State, Registers)>,
    /// The object that was visited last.
    at: Option<Atom>,
}

/// The register that goes through a structure.
#[derive(Clone, Copy, Default)]
enum Cursor {
    #[default]
    Unknown,
    /// There is none.
    None,
    Register(usize),
}

impl<'a> Engine<'a> {
    /// Takes the state at the head of a loop apart, by the object that its cursor holds, and lets the
    /// first of all that wait go on. `false` if the loop has no cursor, or nothing waits.
    pub(crate) fn next_visit(
        &mut self,
        frame: &mut Frame<'a>,
        head: BlockId,
        visits: &mut Visits,
    ) -> bool {
        let Some((_, registers)) = &frame.waiting[head.index()] else {
            return self.start_visit(frame, head, visits);
        };
        let Some(before) = &visits.before else {
            visits.before = Some(registers.clone());
            return false;
        };
        if let Cursor::Unknown = visits.cursor {
            let marks = |i: &Instr| matches!(i.op, Op::Mark { .. });
            let specified = frame.body.block(head).instrs.iter().any(marks);
            visits.cursor = if specified { Cursor::None } else { self.cursor(before, registers) };
        }
        let Cursor::Register(cursor) = visits.cursor else {
            return false;
        };
        let Some((state, registers)) = frame.waiting[head.index()].take() else {
            return false;
        };
        let held = match &registers[cursor] {
            Some(Value::Ref(held)) => held.restrict(&state.facts, |_| true),
            _ => Ref::null(),
        };
        let moves_on = |atom: Atom| visits.at.is_none_or(|at| rank(atom) > rank(at));
        if !held.entries().iter().all(|e| moves_on(e.0) && self.is_visited(e.0)) {
            frame.waiting[head.index()] = Some((state, registers));
            self.give_up(frame, head, visits);
            return false;
        }
        for (atom, lit) in held.entries() {
            let mut part = state.clone();
            part.assume(&mut self.circuit, *lit);
            if part.is_dead() {
                continue;
            }
            let mut held = registers.clone();
            held[cursor] = Some(Value::Ref(Ref::constant(*atom)));
            let slot = visits.waiting.remove(atom);
            let joined = self.join_waiting(frame, head, slot, part, held);
            visits.waiting.insert(*atom, joined);
        }
        self.start_visit(frame, head, visits)
    }

    /// What waits for the first object goes on; what has come to an end, last.
    fn start_visit(&mut self, frame: &mut Frame<'a>, head: BlockId, visits: &mut Visits) -> bool {
        let Some(atom) = visits.waiting.keys().copied().min_by_key(|a| rank(*a)) else {
            return false;
        };
        frame.waiting[head.index()] = visits.waiting.remove(&atom);
        visits.at = Some(atom);
        true
    }

    /// The cursor goes back, or stays: from now on rounds are counted as in any other loop.
    fn give_up(&mut self, frame: &mut Frame<'a>, head: BlockId, visits: &mut Visits) {
        visits.cursor = Cursor::None;
        for (_, (state, registers)) in std::mem::take(&mut visits.waiting) {
            let slot = frame.waiting[head.index()].take();
            let joined = self.join_waiting(frame, head, slot, state, registers);
            frame.waiting[head.index()] = Some(joined);
        }
    }

    /// The register that has moved furthest since the loop was entered.
    fn cursor(&self, before: &Registers, now: &Registers) -> Cursor {
        let moved = before.iter().zip(now).enumerate().filter_map(|(index, (before, now))| {
            let (Some(Value::Ref(before)), Some(Value::Ref(now))) = (before, now) else {
                return None;
            };
            let entries = now.entries();
            let fits =
                before != now && entries.len() > 1 && entries.iter().all(|e| self.is_visited(e.0));
            fits.then(|| (entries.iter().map(|e| e.0).max(), index))
        });
        moved.max().map_or(Cursor::None, |(_, index)| Cursor::Register(index))
    }

    /// Whether an object is one of a structure that is gone through in the order of the numbers, no
    /// more of them than rounds are allowed.
    fn is_visited(&self, atom: Atom) -> bool {
        if atom == Atom::NULL {
            return true;
        }
        let Some(layout) = &self.layout else {
            return false;
        };
        match &self.atoms.info(atom).name {
            Name::Input(class, number) => {
                layout.alone.contains(class) && *number < self.limits.iterations
            }
            _ => false,
        }
    }
}

/// Objects are visited in this order. Null is where a structure ends.
fn rank(atom: Atom) -> (bool, Atom) {
    (atom == Atom::NULL, atom)
}
