//! Loops that go through a structure, object by object.
//!
//! Usually all executions that go round a loop so many times are one state, in which the reference that
//! moves may be any of many objects. Where that reference moves one way only, to objects with greater
//! numbers or to objects with smaller ones, it is better to have one state for each object that it
//! comes to, however many rounds that took: the objects are met in the order of their numbers, each
//! once, and in each of these states the reference is a constant. So a loop over n objects takes n
//! rounds of constant reads instead of n rounds of reads from any of n objects, and a solver need not
//! find out that the rounds are alike. Executions in which the reference turns round are put aside,
//! and go on when all others are through.

use std::collections::BTreeMap;

use ir::{BlockId, Instr, Op};

use crate::engine::{Engine, Frame};
use crate::graph::Cursor;
use crate::state::atom::{Atom, Name};
use crate::state::value::{Ref, Value};
use crate::state::{Registers, State};

type Waiting = (State, Registers);

/// The states that wait to visit objects.
#[derive(Default)]
pub(crate) struct Visits {
    stage: Stage,
    waiting: BTreeMap<Atom, Waiting>,
    /// The object that is visited.
    at: Option<Atom>,
    /// Executions whose cursor has turned round.
    aside: Option<Waiting>,
    /// Rounds that these have gone by now.
    rounds: u32,
}

/// The turn in which executions that have turned round go on.
const ASIDE: u32 = 1 << 30;

#[derive(Default)]
enum Stage {
    #[default]
    New,
    /// With what registers held when the loop was entered.
    Entered(Registers),
    Visiting(Cursor),
    /// There is no cursor, or it has come to an end.
    Over,
}

/// How a round of a loop is to be counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    /// It visits one object, and there are no more of these than rounds are allowed.
    Free,
    /// Unless a constant guard keeps control inside.
    UnlessConstant,
    /// In any case: what goes round may be a constant now because it has been taken apart.
    Always,
}

impl<'a> Engine<'a> {
    /// Takes the state at the head of a loop apart, by the object that its cursor holds, and lets the
    /// first of all that wait go on.
    pub(super) fn next_visit(
        &mut self,
        frame: &mut Frame<'a>,
        head: BlockId,
        visits: &mut Visits,
    ) -> Count {
        let slot = &mut frame.waiting[head.index()];
        match (&visits.stage, &*slot) {
            (Stage::New, Some((_, registers))) => {
                let marks = |i: &Instr| matches!(i.op, Op::Mark { .. });
                let specified = frame.body.block(head).instrs.iter().any(marks);
                visits.stage = match specified || !self.layout.is_some() {
                    true => Stage::Over,
                    false => Stage::Entered(registers.clone()),
                };
                return Count::UnlessConstant;
            }
            (Stage::Entered(before), Some((state, registers))) => {
                let found = self.cursor(before, registers);
                visits.stage = match self.same_cursor(state, found) {
                    Some(cursor) => Stage::Visiting(cursor),
                    None => Stage::Over,
                };
            }
            _ => {}
        }
        let Stage::Visiting(cursor) = visits.stage else {
            if visits.at.is_none() {
                return Count::UnlessConstant;
            }
            visits.rounds += 1;
            return Count::Always;
        };
        if let Some((state, registers)) = slot.take() {
            self.take_apart(frame, head, visits, cursor, state, registers);
        }
        let next = visits.waiting.keys().copied().min_by_key(|a| cursor.rank(*a));
        match next {
            Some(atom) => {
                frame.waiting[head.index()] = visits.waiting.remove(&atom);
                visits.at = Some(atom);
                Count::Free
            }
            None => {
                visits.stage = Stage::Over;
                let aside = visits.aside.take();
                frame.waiting[head.index()] = aside.filter(|(s, _)| !self.is_impossible(s.guard));
                Count::Always
            }
        }
    }

    /// Each object that the cursor may hold gets a state of its own.
    fn take_apart(
        &mut self,
        frame: &mut Frame<'a>,
        head: BlockId,
        visits: &mut Visits,
        cursor: Cursor,
        state: State,
        registers: Registers,
    ) {
        let held = match &registers[cursor.register] {
            Some(Value::Ref(held)) => held.restrict(&state.facts, |_| true),
            _ => Ref::null(),
        };
        let goes_on = |atom: Atom| visits.at.is_none_or(|at| cursor.rank(atom) > cursor.rank(at));
        let (on, back): (Vec<_>, Vec<_>) =
            held.entries().iter().partition(|e| goes_on(e.0) && self.is_visited(e.0));
        for (atom, lit) in on {
            let mut part = state.clone();
            part.assume(&mut self.circuit, lit);
            if part.is_dead() {
                continue;
            }
            let Some(part) = self.enter_turn(frame, head, turn_at(atom), part) else {
                continue;
            };
            let mut held = registers.clone();
            held[cursor.register] = Some(Value::Ref(Ref::constant(atom)));
            let earlier = visits.waiting.remove(&atom);
            let joined = self.join_waiting(frame, head, earlier, part, held);
            visits.waiting.insert(atom, joined);
        }
        if back.is_empty() {
            return;
        }
        let turns = self.circuit.or_all(back.into_iter().map(|e| e.1));
        let mut part = state;
        part.assume(&mut self.circuit, turns);
        if part.is_dead() {
            return;
        }
        if let Some(part) = self.enter_turn(frame, head, ASIDE, part) {
            let earlier = visits.aside.take();
            visits.aside = Some(self.join_waiting(frame, head, earlier, part, registers));
        }
    }

    /// The register that has moved furthest since the loop was entered.
    fn cursor(&self, before: &Registers, now: &Registers) -> Option<Cursor> {
        let moved = before.iter().zip(now).enumerate().filter_map(|(register, (before, now))| {
            let (Some(Value::Ref(before)), Some(Value::Ref(now))) = (before, now) else {
                return None;
            };
            let many = now.entries().len() > 1;
            if !many || !now.entries().iter().all(|e| self.is_visited(e.0)) {
                return None;
            }
            let (first, last) = ends(now)?;
            let was = ends(before);
            let onward = was.is_none_or(|was| was.1 < first);
            let backward = was.is_some_and(|was| last < was.0);
            let cursor = Cursor { register, onward };
            (onward || backward).then_some(((backward, last), cursor))
        });
        moved.max_by_key(|m| m.0).map(|m| m.1)
    }

    /// Whether an object is one of a structure whose objects are numbered on the way through it, no
    /// more of them than rounds are allowed.
    fn is_visited(&self, atom: Atom) -> bool {
        if atom == Atom::NULL {
            return true;
        }
        let Some(layout) = self.layout.get() else {
            return false;
        };
        match &self.atoms.info(atom).name {
            Name::Input(class, number) => {
                layout.alone.contains(class) && *number < self.run.limits.iterations
            }
            _ => false,
        }
    }
}

impl Visits {
    /// Whether states wait for objects to be visited.
    pub fn is_visiting(&self) -> bool {
        matches!(self.stage, Stage::Visiting(_))
    }

    /// The name of the next turn of the loop: an object, where one is visited.
    pub fn turn(&self, number: u32) -> u32 {
        match (&self.stage, self.at) {
            (Stage::Visiting(_), Some(atom)) => turn_at(atom),
            (Stage::Over, Some(_)) => ASIDE + self.rounds,
            _ => number,
        }
    }
}

/// The turn in which an object is visited. The one after it is that of going on from there, and both come after
/// the first round.
fn turn_at(atom: Atom) -> u32 {
    2 + 2 * atom.0
}

/// The objects with the smallest and the greatest number that a reference may be.
fn ends(reference: &Ref) -> Option<(Atom, Atom)> {
    let mut objects = reference.objects().map(|e| e.0);
    let first = objects.next()?;
    Some((first, objects.last().unwrap_or(first)))
}

impl Cursor {
    /// Objects are visited in this order. Null is where a structure ends.
    fn rank(self, atom: Atom) -> (bool, i64) {
        let number = i64::from(atom.0);
        (atom == Atom::NULL, if self.onward { number } else { -number })
    }
}
