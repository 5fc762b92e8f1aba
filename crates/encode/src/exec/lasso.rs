//! Executions that never end: they come back to a state they were in.
//!
//! A run of a deterministic program that is twice in the same state goes round for ever. So where a
//! loop has no end within the bounds, its head is asked whether it has been here before: the same
//! values in the registers that steer it (`ir::steering`), the same heap. Nothing else matters: what only
//! counts the rounds does not end them, the activations around the loop stand still, and objects made in
//! between are out of reach if no register and no older object refers to them.
//!
//! Comparing costs gates, so it is done only where a loop is about to be cut off, with a few earlier
//! rounds: rounds 10, 12, 14, 16 and 18 before have between them all cycles of up to ten rounds. Where
//! nothing but constants changes, the comparison is free, and is made in every round with one earlier
//! one, as Brent's algorithm chooses it (R. P. Brent, "An improved Monte Carlo factorization
//! algorithm", 1980). A fixed run, which shows the execution, looks further back so that it shows each
//! state once.
//!
//! A loop that waits for another thread or for the world is none of these: a round in which a volatile
//! field or the clock was read, or a contract stood for a call, is never compared.

use std::collections::VecDeque;
use std::rc::Rc;

use ir::steering::steering;
use ir::{BlockId, FieldId, Reg};
use logic::Lit;

use crate::engine::run::Outside;
use crate::engine::{Engine, Frame, Lasso};
use crate::exec::body::first_line;
use crate::state::atom::{Atom, Name};
use crate::state::goal::{Goal, Property};
use crate::state::heap::{Contents, Heap};
use crate::state::value::Value;
use crate::state::{Registers, State};

/// Rounds that are remembered.
const REMEMBERED: usize = 18;
/// The same in a fixed run.
const REMEMBERED_WHEN_FIXED: usize = 256;
/// Distances at which rounds are compared once there are many.
const DISTANCES: [u32; 5] = [10, 12, 14, 16, 18];

/// The rounds that a loop has been through.
#[derive(Default)]
pub(crate) struct Past {
    /// The latest, oldest first.
    recent: VecDeque<Moment>,
    /// The round whose number is the last power of two.
    anchor: Option<Moment>,
    rounds: u32,
    steering: Option<Rc<[Reg]>>,
}

/// The head of a loop at the beginning of a round.
#[derive(Clone)]
struct Moment {
    round: u32,
    guard: Lit,
    registers: Rc<[Option<Value>]>,
    heap: Heap,
    /// What had come from outside by then.
    influences: Influences,
    steps: usize,
}

/// How often something has had a say that is no part of the state.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Influences {
    outside: Outside,
    havocs: u32,
    deferred: usize,
}

impl<'a> Engine<'a> {
    /// Remembers the state at the head of a loop. If all that steers the loop is, to the letter, as it was
    /// before, the executions end here: they go on for ever.
    pub(super) fn comes_back(
        &mut self,
        frame: &mut Frame<'a>,
        head: BlockId,
        past: &mut Past,
    ) -> bool {
        let Some((state, registers)) = &frame.waiting[head.index()] else {
            return false;
        };
        if !self.is_executing() || self.user_point().is_none() {
            return false;
        }
        let fixed = self.run.trace.is_some();
        past.rounds += 1;
        let steering = past.steering.get_or_insert_with(|| {
            let method = self.run.stack.last().map_or(self.run.method, |a| a.method);
            let known = self.analyses.steering.entry((method, head));
            known.or_insert_with(|| steering(frame.body, head).into()).clone()
        });
        let now = self.moment(past.rounds, state, registers, steering);
        let earlier = past.recent.iter().filter(|_| fixed).chain(&past.anchor);
        let same = earlier.filter(|m| m.looks_like(&now)).find(|m| self.is_same_heap(m, &now));
        if let Some(stem) = same.map(|m| m.steps) {
            let (state, _) = frame.waiting[head.index()].take().expect("it waits there");
            self.end_in_lasso(frame, head, state, stem);
            return true;
        }
        if now.round.is_power_of_two() {
            past.anchor = Some(now.clone());
        }
        let most = if fixed { REMEMBERED_WHEN_FIXED } else { REMEMBERED };
        if past.recent.len() == most {
            past.recent.pop_front();
        }
        past.recent.push_back(now);
        false
    }

    /// Ends those executions of the state at the head of a loop that have been in it before.
    pub(super) fn end_lassos(&mut self, frame: &mut Frame<'a>, head: BlockId, past: &Past) {
        let Some((mut state, registers)) = frame.waiting[head.index()].take() else {
            return;
        };
        let Some(steering) = &past.steering else {
            frame.waiting[head.index()] = Some((state, registers));
            return;
        };
        // The last moment is this very one.
        let number = past.rounds;
        let few = past.recent.len() <= DISTANCES.len();
        let compared = past.recent.iter().filter(|m| {
            let distance = number - m.round;
            distance > 0 && (few || DISTANCES.contains(&distance))
        });
        let now = self.moment(number, &state, &registers, steering);
        for earlier in compared.rev() {
            if !self.is_executing() || earlier.influences != now.influences || state.is_dead() {
                break;
            }
            let same = self.is_same_moment(earlier, &now);
            let same = state.facts.fold(same);
            if same == Lit::FALSE {
                continue;
            }
            let mut back = state.clone();
            back.assume(&mut self.circuit, same);
            state.assume(&mut self.circuit, !same);
            if !back.is_dead() {
                self.end_in_lasso(frame, head, back, earlier.steps);
            }
        }
        if !state.is_dead() {
            frame.waiting[head.index()] = Some((state, registers));
        }
    }

    fn moment(&self, round: u32, state: &State, registers: &Registers, steering: &[Reg]) -> Moment {
        Moment {
            round,
            guard: state.guard,
            registers: steering.iter().map(|reg| registers[reg.index()].clone()).collect(),
            heap: state.heap.clone(),
            influences: Influences {
                outside: self.run.outside,
                havocs: self.inputs.havocs(),
                deferred: self.deferred().len(),
            },
            steps: self.run.trace.as_ref().map_or(0, |trace| trace.steps.len()),
        }
    }

    fn end_in_lasso(&mut self, frame: &Frame<'a>, head: BlockId, state: State, stem: usize) {
        let line = first_line(frame.body.block(head));
        if let Some(activation) = self.run.stack.last_mut().filter(|a| a.given) {
            activation.line = line;
        }
        let Some(at) = self.user_point() else {
            return;
        };
        let property = Property::NonTermination;
        let goal = Goal::Violation { property, at, exception: String::new() };
        self.add_end(goal, state.node, state.guard);
        self.run.ended.lassos.push(Lasso { state, at, stem });
    }

    /// Whether two heaps say the very same of everything that both know.
    fn is_same_heap(&self, earlier: &Moment, now: &Moment) -> bool {
        let (a, b) = (&earlier.heap, &now.heap);
        let statics = a.statics.differences(&b.statics);
        let same_object = |index: usize| {
            let atom = Atom(index as u32);
            match (a.contents(atom), b.contents(atom)) {
                (Some(x), Some(y)) => x.says_the_same(y),
                (None, Some(_)) => self.is_new(atom),
                (x, y) => x.is_none() && y.is_none(),
            }
        };
        a.initialised.same(&b.initialised)
            && statics.into_iter().all(|index| a.statics.get(index) == b.statics.get(index))
            && a.objects.differences(&b.objects).into_iter().all(same_object)
    }

    /// Whether the atom is an object that this run makes: a heap without it has no reference to it.
    fn is_new(&self, atom: Atom) -> bool {
        matches!(self.atoms.info(atom).name, Name::Fresh(_))
    }

    /// The literal that says that the same registers and the same heap are there again.
    fn is_same_moment(&mut self, earlier: &Moment, now: &Moment) -> Lit {
        let mut same = self.circuit.and(earlier.guard, now.guard);
        for pair in earlier.registers.iter().zip(now.registers.iter()) {
            same = match pair {
                (Some(x), Some(y)) => self.and_same(same, x, y),
                (None, None) => same,
                (Some(_), None) | (None, Some(_)) => Lit::FALSE,
            };
            if same == Lit::FALSE {
                return same;
            }
        }
        self.and_same_heap(same, &earlier.heap, &now.heap)
    }

    fn and_same_heap(&mut self, mut same: Lit, a: &Heap, b: &Heap) -> Lit {
        if !a.initialised.same(&b.initialised) {
            return Lit::FALSE;
        }
        for index in a.statics.differences(&b.statics) {
            let field = FieldId(index as u32);
            let x = a.statics.get(index).cloned().unwrap_or_else(|| self.initial_static(field));
            let y = b.statics.get(index).cloned().unwrap_or_else(|| self.initial_static(field));
            same = self.and_same(same, &x, &y);
        }
        for index in a.objects.differences(&b.objects) {
            let atom = Atom(index as u32);
            if same == Lit::FALSE {
                return same;
            }
            let (x, y) = match (a.contents(atom), b.contents(atom)) {
                (Some(x), Some(y)) if x.says_the_same(y) => continue,
                (None, Some(_)) if self.is_new(atom) => continue,
                (x, y) => (x.cloned().unwrap_or_default(), y.cloned().unwrap_or_default()),
            };
            same = self.and_same_contents(same, atom, &x, &y);
        }
        same
    }

    fn and_same_contents(&mut self, mut same: Lit, atom: Atom, a: &Contents, b: &Contents) -> Lit {
        let mut fields: Vec<FieldId> = a.fields().iter().chain(b.fields()).map(|f| f.0).collect();
        fields.sort_unstable();
        fields.dedup();
        for field in fields {
            let (x, y) = (a.field(field).cloned(), b.field(field).cloned());
            let x = x.map_or_else(|| self.initial_field(atom, field), Ok);
            let y = y.map_or_else(|| self.initial_field(atom, field), Ok);
            same = match (x, y) {
                (Ok(x), Ok(y)) => self.and_same(same, &x, &y),
                // What is not known cannot be compared.
                _ => Lit::FALSE,
            };
        }
        if a.array.is_none() && b.array.is_none() {
            return same;
        }
        let x = a.array.clone().unwrap_or_else(|| self.initial_array(atom));
        let y = b.array.clone().unwrap_or_else(|| self.initial_array(atom));
        if x.elements.len() != y.elements.len() {
            return Lit::FALSE;
        }
        let length = self.circuit.bits_eq(&x.length, &y.length);
        same = self.circuit.and(same, length);
        for (x, y) in x.elements.iter().zip(y.elements.iter()) {
            same = self.and_same(same, x, y);
        }
        same
    }

    /// `same`, and the two values are one. Two boxes of one number do not count as one object: whether
    /// they are would depend on what is known of them.
    fn and_same(&mut self, same: Lit, x: &Value, y: &Value) -> Lit {
        if same == Lit::FALSE || x == y {
            return same;
        }
        let equal = match (x, y) {
            (Value::Bits(x), Value::Bits(y)) => self.circuit.bits_eq(x, y),
            (Value::Ref(x), Value::Ref(y)) => {
                let both: Vec<Lit> = x
                    .entries()
                    .iter()
                    .map(|(atom, lit)| self.circuit.and(*lit, y.is(*atom)))
                    .collect();
                self.circuit.or_all(both)
            }
            (Value::Bits(_), Value::Ref(_)) | (Value::Ref(_), Value::Bits(_)) => Lit::FALSE,
        };
        self.circuit.and(same, equal)
    }
}

impl Moment {
    /// Whether all but the heap is the same to the letter.
    fn looks_like(&self, now: &Moment) -> bool {
        self.influences == now.influences
            && self.guard == now.guard
            && self.registers == now.registers
    }
}

impl Contents {
    fn says_the_same(&self, other: &Contents) -> bool {
        let same_array = match (&self.array, &other.array) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                let same = Rc::ptr_eq(&a.elements, &b.elements) || a.elements == b.elements;
                a.length == b.length && same
            }
            (Some(_), None) | (None, Some(_)) => false,
        };
        same_array && self.fields() == other.fields()
    }
}
