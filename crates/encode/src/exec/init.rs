//! Class initialisation.
//!
//! Every class is taken to have been initialised before the checked method starts, whenever the
//! method first touches it: its initialiser runs once, on constants, and what it leaves behind
//! lies below the heap of every state. (The JVM would run it in the middle of the method; for initialisers
//! that write other classes' statics see `late.rs`.)

use std::rc::Rc;

use ir::{ClassId, MethodId};
use logic::Lit;

use crate::code::wellknown;
use crate::engine::Engine;
use crate::engine::classes::Initialised;
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::goal::{Goal, Goals};

impl Engine<'_> {
    /// Makes sure that a class is initialised; `false` if `state` died because it cannot be.
    pub(crate) fn initialise(&mut self, state: &mut State, class: ClassId) -> bool {
        if !self.classes.knows(class) {
            self.run_initialiser(state, class);
        }
        if let Some(why) = self.classes.failure(class) {
            self.unsupported(state, &*why);
        }
        if self.is_executing() && !state.is_dead() && self.is_late(class) {
            return self.initialise_late(state, class);
        }
        !state.is_dead()
    }

    /// The same where there is no state to end: a failure shows when the class is touched.
    pub(crate) fn initialise_quietly(&mut self, class: ClassId) {
        if !self.classes.knows(class) {
            self.run_initialiser(&mut State::initial(), class);
        }
    }

    fn run_initialiser(&mut self, state: &mut State, class: ClassId) {
        let program = self.program;
        let Ok(loaded) = program.class(class) else {
            let why = format!("{} is not on the class path", program.class_name(class));
            self.classes.set(class, Initialised::Failed(why.into()));
            return;
        };
        self.classes.set(class, Initialised::Running);
        if let Some(parent) = loaded.superclass {
            if self.is_initialising() {
                self.initialise(state, parent);
            } else {
                self.initialise_quietly(parent);
            }
        }
        if let Some(why) = loaded.superclass.and_then(|parent| self.classes.failure(parent)) {
            self.classes.set(class, Initialised::Failed(why));
            return;
        }
        let Some(initialiser) = program.declared_method(loaded, "<clinit>", "()V") else {
            self.classes.set(class, Initialised::Done);
            self.first_static_ghosts(class);
            return;
        };
        let result = if self.is_initialising() {
            self.initialise_inside(state, class, initialiser)
        } else {
            self.initialise_apart(class, initialiser)
        };
        let result = match result {
            Ok(()) => Initialised::Done,
            Err(why) => Initialised::Failed(why),
        };
        let is_done = matches!(result, Initialised::Done);
        self.classes.set(class, result);
        if is_done {
            self.first_static_ghosts(class);
        }
    }

    /// Runs an initialiser as part of the one that is running.
    fn initialise_inside(
        &mut self,
        state: &mut State,
        class: ClassId,
        initialiser: MethodId,
    ) -> Result<(), Rc<str>> {
        self.classes.enter(class);
        let taken = std::mem::replace(state, State::initial());
        let outcome = self.call(initialiser, Vec::new(), taken, true);
        self.classes.leave();
        match (outcome.normal, outcome.thrown) {
            (Some((after, _)), None) => {
                *state = after;
                Ok(())
            }
            _ => {
                state.guard = Lit::FALSE;
                Err(self.failed_to_initialise(class))
            }
        }
    }

    /// Runs an initialiser from the initial state and keeps what it leaves behind.
    fn initialise_apart(&mut self, class: ClassId, initialiser: MethodId) -> Result<(), Rc<str>> {
        let goals = std::mem::take(&mut self.run.goals);
        let trace = self.run.trace.take();
        self.classes.enter(class);
        let outcome = self.call(initialiser, Vec::new(), State::initial(), true);
        self.classes.leave();
        self.run.trace = trace;
        let problems = std::mem::replace(&mut self.run.goals, goals);
        let problem = first_problem(&problems);
        match (outcome.normal, outcome.thrown, problem) {
            (Some((after, _)), None, None) => {
                self.base.absorb(&after.heap);
                self.share_boolean_constants(class);
                Ok(())
            }
            (_, _, Some(problem)) => {
                let class = self.program.class_name(class);
                Err(format!("{problem} (initialising {class})").into())
            }
            _ => Err(self.failed_to_initialise(class)),
        }
    }

    /// Something is asked for that nobody can predict.
    pub(crate) fn note_caprice(&mut self) {
        let program = self.program;
        self.classes.note_caprice(|class| !wellknown::is_platform(program.class_name(class)));
    }

    fn failed_to_initialise(&self, class: ClassId) -> Rc<str> {
        format!("the static initialiser of {} fails", self.program.class_name(class)).into()
    }

    /// `Boolean.TRUE` and `FALSE` are the shared objects of their values.
    fn share_boolean_constants(&mut self, class: ClassId) {
        if self.program.class_name(class) != "java.lang.Boolean" {
            return;
        }
        for index in 1..self.atoms.len() {
            let atom = Atom(index as u32);
            let info = self.atoms.info_mut(atom);
            if info.class == class && matches!(info.name, Name::Initialiser(c, _) if c == class) {
                info.shared = Some(Lit::TRUE);
            }
        }
    }
}

fn first_problem(goals: &Goals) -> Option<String> {
    goals.iter().find_map(|(goal, _)| match goal {
        Goal::Unsupported { what, .. } | Goal::Cut { what, .. } => Some(what.clone()),
        Goal::Broken { site, .. } => Some(format!("`{}` is violated", site.text)),
        Goal::Unspecified { what } => Some(what.clone()),
        Goal::Violation { .. } => None,
    })
}
