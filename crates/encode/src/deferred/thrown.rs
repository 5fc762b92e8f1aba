//! Exceptions of deferred calls that somebody catches: the exceptional end of a frame condition.
//!
//! Which exceptions a callee throws is found out by following it; the next run has an exceptional end for
//! them, with unknowns of its own for what is changed before. What is caught is an object that
//! stands for the exception. Whoever puts it aside needs its class only; where it is thrown on (`caught.rs`), perhaps out of
//! the checked method, there is one for each place that such an exception comes from, because that is what a
//! violation is named after. Nobody knows the state of what stands for an exception, and reading it is a trap, so that
//! the method is checked once more without abstraction. Where it is plain that the exception is looked at, the callee is followed
//! at once. What no handler catches ends the execution, as it does where nothing is deferred.

use std::collections::BTreeSet;

use ir::ClassId;
use logic::Lit;

use crate::code::effects::{Changes, Effects};
use crate::deferred::caught::{Fate, Level};
use crate::engine::deferral::{Origin, Output, Place, Thrown};
use crate::engine::{Call, Engine, Escape};
use crate::state::State;
use crate::state::atom::{Atom, Birth, Name};
use crate::state::heap::Heap;
use crate::state::value::{Ref, Value};

/// The exceptional end of a call.
#[derive(Default)]
pub(crate) struct ByThrow {
    /// The exceptions that it is known to throw and somebody to catch.
    pub known: BTreeSet<Thrown>,
    changes: Changes,
}

impl<'a> Engine<'a> {
    /// The exceptions that a call is known to throw and somebody to catch. An error if they are looked
    /// at, or if it is not known what becomes of them.
    fn known_to_throw(&self, call: &Call) -> Result<BTreeSet<Thrown>, ()> {
        let mut known = BTreeSet::new();
        let thrown = self.analyses.learned.thrown_by(call.method);
        if thrown.is_empty() || !call.covered {
            return Ok(known);
        }
        let levels = self.levels_around(call).ok_or(())?;
        for one in thrown {
            match self.fate(&levels, one.class) {
                Some(Fate::LookedAt) => return Err(()),
                Some(Fate::PutAside) => known.extend([Thrown { origin: None, ..one }]),
                Some(Fate::ThrownOn) => known.extend(one.origin.map(|_| one)),
                None => {}
            }
        }
        Ok(known)
    }

    /// What is known of the exceptional end of a call; an error if what it changes cannot be unknown.
    pub(super) fn by_throw(
        &mut self,
        call: &Call,
        effects: &Effects,
        state: &State,
    ) -> Result<ByThrow, ()> {
        let known = self.known_to_throw(call)?;
        if known.is_empty() {
            return Ok(ByThrow::default());
        }
        let mut changes = effects.at_worst.clone();
        changes.makes.retain(|class| !self.can_be_stood_for(*class));
        match changes.makes.is_empty() && self.can_forget(call, &changes, state) {
            true => Ok(ByThrow { known, changes }),
            false => Err(()),
        }
    }

    /// Whether objects of a class are exceptions that something can stand for. (One that is kept somewhere
    /// is a value that no unknown can be, which breaks the abstraction.)
    fn can_be_stood_for(&self, class: ClassId) -> bool {
        let Ok(loaded) = self.program.class(class) else {
            return false;
        };
        // Its invariants are somebody's business.
        let is_specified = |c: &ClassId| self.contracts.classes.contains_key(c);
        self.program.is_subtype(class, self.known.throwable)
            && !loaded.supertypes().iter().any(is_specified)
    }

    /// The exceptional end of a call that is deferred.
    pub(super) fn forget_by_throw(
        &mut self,
        call: &Call,
        by_throw: &ByThrow,
        before: &State,
        returns: Lit,
        outputs: &mut Vec<Output>,
    ) -> Option<(State, Ref)> {
        let mut after = before.clone();
        after.assume(&mut self.circuit, !returns);
        let first = outputs.len();
        self.forget(call, &by_throw.changes, before, &mut after, outputs);
        let mut end: Option<(State, Option<Value>)> = None;
        for one in &by_throw.known {
            let throws = self.unknown_flag(Place::Throws(*one), outputs);
            let mut thrown = after.clone();
            thrown.assume(&mut self.circuit, throws);
            after.assume(&mut self.circuit, !throws);
            let atom = self.stand_in(*one, &mut thrown);
            let this = (thrown, Some(Value::Ref(Ref::constant(atom))));
            end = Some(match end {
                None => this,
                Some(earlier) => self.join_results(earlier, this),
            });
        }
        outputs[first..].iter_mut().for_each(|output| output.thrown = true);
        let (state, exception) = end?;
        (!state.is_dead()).then(|| (state, exception.expect("it has one").reference().clone()))
    }

    /// An object that stands for an exception. It is not one of those that are reserved for a call around,
    /// whose state is asked for.
    fn stand_in(&mut self, thrown: Thrown, state: &mut State) -> Atom {
        let reserve = self.run.deferral.set_reserve_aside();
        let birth = thrown.origin.map_or(Birth::Allocated { given_code: true }, |o| o.birth);
        let atom = self.allocate(thrown.class, birth);
        self.run.deferral.use_reserve(reserve);
        let info = self.atoms.info_mut(atom);
        // Who looks for it after all must not find it empty.
        info.opaque = true;
        info.at = thrown.origin.map_or(info.at, |o| o.at);
        self.run.objects.make(atom, state.guard);
        state.heap.contents_mut(atom);
        atom
    }

    /// Takes apart what a deferred call throws: the result is what somebody catches, and what
    /// nobody catches ends the execution.
    pub(super) fn caught_of(
        &mut self,
        call: &Call,
        before: &Heap,
        (state, exception): (State, Ref),
    ) -> Option<(State, Ref)> {
        let levels = self.levels_around(call);
        let (mut caught, mut escaping) = (Vec::new(), Vec::new());
        for (atom, lit) in exception.objects() {
            match self.becomes(levels.as_deref(), atom) {
                None => escaping.push((atom, lit)),
                Some(fate) => {
                    self.note_caught(call, before, atom, fate);
                    caught.push((atom, lit));
                }
            }
        }
        if let Some((state, exception)) = self.among(&state, &exception, &escaping) {
            self.run.ended.escapes.push(Escape { state, exception });
        }
        self.among(&state, &exception, &caught)
    }

    fn becomes(&self, levels: Option<&[Level<'a>]>, atom: Atom) -> Option<Fate> {
        match levels {
            Some(levels) if !self.is_unknown(atom) => self.fate(levels, self.atoms.class(atom)),
            // Of these it is not even known who catches them.
            _ => Some(Fate::LookedAt),
        }
    }

    /// Remembers for the next run that somebody catches an exception of a call.
    fn note_caught(&mut self, call: &Call, before: &Heap, atom: Atom, fate: Fate) {
        let info = self.atoms.info(atom);
        let is_new = matches!(info.name, Name::Fresh(_)) && before.contents(atom).is_none();
        let origin = Origin { birth: info.birth, at: info.at };
        let class = info.class;
        match fate {
            // An object that others know too is more than its origin.
            Fate::ThrownOn if !is_new => self.analyses.learned.inline(call.method),
            Fate::ThrownOn => {
                self.analyses
                    .learned
                    .note_thrown(call.method, Thrown { class, origin: Some(origin) });
            }
            Fate::LookedAt if self.is_unknown(atom) => self.analyses.learned.inline(call.method),
            Fate::PutAside | Fate::LookedAt => {
                self.analyses.learned.note_thrown(call.method, Thrown { class, origin: None });
            }
        }
    }

    /// The executions in which an exception is one of these.
    fn among(&mut self, state: &State, whole: &Ref, some: &[(Atom, Lit)]) -> Option<(State, Ref)> {
        let any = self.circuit.or_all(some.iter().map(|e| e.1));
        let mut state = state.clone();
        state.assume(&mut self.circuit, any);
        let exception = whole.restrict(&state.facts, |a| some.iter().any(|(atom, _)| *atom == a));
        (!some.is_empty() && !state.is_dead()).then_some((state, exception))
    }

    /// Where such exceptions come out of a call.
    pub(crate) fn throws(&mut self, out: Option<&(State, Ref)>, thrown: Thrown) -> Lit {
        let Some((state, exception)) = out else {
            return Lit::FALSE;
        };
        let is_one = |atom: Atom| {
            let info = self.atoms.info(atom);
            let comes_from = |o: Origin| (o.birth, o.at) == (info.birth, info.at);
            info.class == thrown.class && thrown.origin.is_none_or(comes_from)
        };
        let ways: Vec<Lit> = exception.objects().filter(|e| is_one(e.0)).map(|e| e.1).collect();
        let any = self.circuit.or_all(ways);
        self.circuit.and(state.guard, any)
    }
}
