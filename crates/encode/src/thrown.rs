//! Exceptions of deferred calls that a handler right around the call catches: the exceptional end of a frame
//! condition.
//!
//! Which exceptions a callee throws is found out by following it; the next run has an exceptional end for
//! their classes, with unknowns of its own for what is changed before. The handler gets an object that stands for the
//! exception, so it must not look at it: then all that counts is its class. What no handler catches ends
//! the execution, as it does where nothing is deferred. Where the exception is used, or handlers further
//! out are involved, the callee is followed at once in another run.

use std::collections::BTreeSet;

use ir::{BlockId, Body, ClassId, Code, Handler, Op, Reg};
use logic::Lit;

use crate::atom::{Atom, Birth};
use crate::calls::Call;
use crate::deferred::{Output, Place};
use crate::effects::{Changes, Effects};
use crate::engine::{Engine, Escape};
use crate::state::State;
use crate::value::{Ref, Value};

impl<'a> Engine<'a> {
    /// The handlers right around a call, if there are no others further out.
    fn handlers_around(&self, call: &Call) -> Option<(&'a Body, &'a [Handler])> {
        let caller = self.stack.last()?;
        let Code::Body(body) = self.program.code(caller.method) else {
            return None;
        };
        let handlers = &body.block(caller.block?).handlers;
        (call.covered && !caller.covered && !handlers.is_empty()).then_some((body, &handlers[..]))
    }

    /// The handler that catches exceptions of exactly this class.
    fn handler_of(&self, handlers: &'a [Handler], class: ClassId) -> Option<&'a Handler> {
        handlers.iter().find(|h| h.class.is_none_or(|c| self.program.is_subtype(class, c)))
    }

    /// The classes of exceptions that a call is known to throw and its caller to catch.
    fn known_to_throw(&self, call: &Call) -> Vec<ClassId> {
        let Some((_, handlers)) = self.handlers_around(call) else {
            return Vec::new();
        };
        let thrown = self.deferral.thrown_by(call.method);
        thrown.into_iter().filter(|c| self.handler_of(handlers, *c).is_some()).collect()
    }

    /// What may be changed before an exception that the caller catches; nothing if there is none.
    /// An error if that cannot be unknown.
    pub(crate) fn changes_before_throw(
        &mut self,
        call: &Call,
        effects: &Effects,
        state: &State,
    ) -> Result<Option<Changes>, ()> {
        if self.known_to_throw(call).is_empty() {
            return Ok(None);
        }
        let mut changes = effects.at_worst.clone();
        // An exception that is kept somewhere would be a value that no unknown can be. One of a given class
        // may have invariants.
        let program = self.program;
        let stood_for = |class: &ClassId| {
            program.is_subtype(*class, self.known.throwable)
                && program.class(*class).is_ok_and(|c| !c.is_given())
        };
        changes.makes.retain(|class| !stood_for(class));
        match changes.makes.is_empty() && self.can_forget(call, &changes, state) {
            true => Ok(Some(changes)),
            false => Err(()),
        }
    }

    /// The exceptional end of a call that is deferred.
    pub(crate) fn forget_by_throw(
        &mut self,
        call: &Call,
        changes: &Changes,
        before: &State,
        returns: Lit,
        outputs: &mut Vec<Output>,
    ) -> Option<(State, Ref)> {
        let mut after = before.clone();
        after.assume(&mut self.circuit, !returns);
        let first = outputs.len();
        self.forget(call, changes, before, &mut after, outputs);
        let mut end: Option<(State, Option<Value>)> = None;
        for class in self.known_to_throw(call) {
            let throws = self.unknown_flag(Place::Throws(class), outputs);
            let mut thrown = after.clone();
            thrown.assume(&mut self.circuit, throws);
            after.assume(&mut self.circuit, !throws);
            let atom = self.allocate(class, Birth::Allocated { given_code: true });
            // Who looks for it after all must not find it empty.
            self.atoms.info_mut(atom).opaque = true;
            self.born.insert(atom, thrown.guard);
            thrown.heap.contents_mut(atom);
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

    /// Takes apart what a deferred call throws: the result is what its caller catches, and what
    /// nobody catches ends the execution.
    pub(crate) fn caught_of(&mut self, call: &Call, thrown: (State, Ref)) -> Option<(State, Ref)> {
        let (state, exception) = thrown;
        let Some((body, handlers)) = self.handlers_around(call) else {
            return self.give_up(call);
        };
        let (mut caught, mut escaping) = (Vec::new(), Vec::new());
        for (atom, lit) in exception.objects() {
            let class = self.atoms.class(atom);
            match self.handler_of(handlers, class) {
                _ if self.is_unknown(atom) => return self.give_up(call),
                None => escaping.push((atom, lit)),
                Some(handler) if is_used(body, handler) => return self.give_up(call),
                Some(_) => {
                    self.deferral.note_thrown(call.method, class);
                    caught.push((atom, lit));
                }
            }
        }
        if let Some((state, exception)) = self.among(&state, &exception, &escaping) {
            self.escapes.push(Escape { state, exception });
        }
        self.among(&state, &exception, &caught)
    }

    fn give_up(&mut self, call: &Call) -> Option<(State, Ref)> {
        self.deferral.inline(call.method);
        None
    }

    /// The executions in which an exception is one of these.
    fn among(&mut self, state: &State, whole: &Ref, some: &[(Atom, Lit)]) -> Option<(State, Ref)> {
        let any = self.circuit.or_all(some.iter().map(|e| e.1));
        let mut state = state.clone();
        state.assume(&mut self.circuit, any);
        let exception = whole.restrict(&state.facts, |a| some.iter().any(|(atom, _)| *atom == a));
        (!some.is_empty() && !state.is_dead()).then_some((state, exception))
    }

    /// Where exceptions of a class come out of a call.
    pub(crate) fn throws(&mut self, thrown: Option<&(State, Ref)>, class: ClassId) -> Lit {
        let Some((state, exception)) = thrown else {
            return Lit::FALSE;
        };
        let is_one = |atom: Atom| self.atoms.class(atom) == class;
        let ways: Vec<Lit> = exception.objects().filter(|e| is_one(e.0)).map(|e| e.1).collect();
        let any = self.circuit.or_all(ways);
        self.circuit.and(state.guard, any)
    }
}

/// Whether a handler does anything with the exception but put it aside.
fn is_used(body: &Body, handler: &Handler) -> bool {
    let mut held = BTreeSet::from([handler.exception]);
    loop {
        let mut more: Vec<Reg> = Vec::new();
        for block in (0..body.blocks.len() as u32).map(|b| body.block(BlockId(b))) {
            for instr in &block.instrs {
                let mut reads = false;
                instr.uses(&mut |reg| reads |= held.contains(&reg));
                match instr.op {
                    Op::Move { dst, .. } if reads => more.push(dst),
                    _ if reads => return true,
                    _ => {}
                }
            }
            let mut reads = false;
            block.end.uses(&mut |reg| reads |= held.contains(&reg));
            if reads {
                return true;
            }
        }
        let known = held.len();
        held.extend(more);
        if held.len() == known {
            return false;
        }
    }
}
