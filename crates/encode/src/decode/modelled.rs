//! What a JVM would run of the user's code beside what a run has followed: static initialisers of
//! classes that the run did not need, and finalizers.
//!
//! Whoever rebuilds the objects of an execution initialises their classes, and a class initialises
//! its superclasses and the interfaces above it that have default methods (JVMS 5.5). All of these
//! are run here first, on constants, as any initialiser is. What that meets without a model, nobody
//! may run on a JVM.

use std::collections::BTreeSet;

use ir::{Class, ClassId, MethodId};

use crate::code::wellknown;
use crate::decode::execution::{Content, Execution};
use crate::engine::Engine;
use crate::state::atom::{Atom, Name};
use crate::state::goal::Goal;

impl Engine<'_> {
    /// Code of the user's that a JVM would run to repeat an execution and that is not modelled to its
    /// end, in words. `atoms` are the objects of the execution; the run itself is over.
    pub(super) fn unmodelled(
        &mut self,
        method: MethodId,
        execution: &Execution,
        atoms: &[Atom],
    ) -> Option<String> {
        let program = self.program;
        let built = execution.pre.iter().zip(atoms).map(|(object, atom)| match &object.content {
            Content::Constant { class, .. } => program.class_id(class),
            Content::Fields(_)
            | Content::Array(_)
            | Content::Text { .. }
            | Content::Box { .. }
            | Content::Mirror(_)
            | Content::Opaque => self.atoms.class(*atom),
        });
        let statics = execution.statics.iter().chain(&execution.post_statics);
        let holders = statics.map(|field| program.class_id(&field.class));
        let own = program.method(method).class;
        let needed: BTreeSet<ClassId> = built.chain(holders).chain([own]).collect();
        self.initialisers(needed)
            .or_else(|| self.finalizer().map(|name| format!("would run {name}.finalize()")))
    }

    /// The initialisers that a JVM would run for these classes and for those of the run.
    fn initialisers(&mut self, needed: BTreeSet<ClassId>) -> Option<String> {
        let mut work: BTreeSet<ClassId> = self.classes.done().into_iter().collect();
        work.extend(needed);
        let mut seen = BTreeSet::new();
        while let Some(id) = work.pop_first() {
            let class = match self.program.class(id) {
                Ok(class) if seen.insert(id) => class,
                Ok(_) | Err(_) => continue,
            };
            if let Some(element) = class.element {
                work.extend(element.class());
                continue;
            }
            if wellknown::is_platform(&class.name) {
                continue;
            }
            work.extend(class.superclass);
            work.extend(self.default_interfaces(class));
            self.initialise_quietly(id);
            let why = match self.classes.failure(id) {
                Some(why) => why.to_string(),
                // It may go another way the next time.
                _ if self.classes.is_capricious(id) => {
                    "it asks for the clock or an identity hash code".into()
                }
                _ => continue,
            };
            return Some(format!("would run the static initialiser of {}: {why}", class.name));
        }
        None
    }

    /// Whether the last run has followed all code on all ways, and met nothing without a model.
    pub fn follows_everything(&self) -> bool {
        let is_end = |goal: &Goal| matches!(goal, Goal::Unsupported { .. } | Goal::Cut { .. });
        let is_followed = self.deferred().iter().all(|call| call.equations.is_some());
        is_followed
            && !self.run.clauses.is_abstract()
            && !self.run.goals.iter().any(|(goal, _)| is_end(goal))
    }

    /// The interfaces that are initialised with a class.
    fn default_interfaces(&self, class: &Class) -> Vec<ClassId> {
        let above = class.supertypes().iter().filter(|id| **id != class.id);
        let is_default = |class: &Class| {
            class.is_interface
                && class
                    .methods
                    .iter()
                    .map(|m| self.program.method(*m))
                    .any(|method| !method.is_abstract && !method.is_static)
        };
        let loaded = above.filter_map(|id| self.program.class(*id).ok());
        loaded.filter(|class| is_default(class)).map(|class| class.id).collect()
    }

    /// A class of which an object was made, or belongs to the input, and that has a finalizer of the user's.
    fn finalizer(&self) -> Option<&str> {
        let exists = |atom: &Atom| {
            let name = &self.atoms.info(*atom).name;
            matches!(name, Name::Fresh(_) | Name::Initialiser(..))
        };
        let atoms = (1..self.atoms.len()).map(|index| Atom(index as u32));
        let classes: BTreeSet<ClassId> =
            atoms.filter(exists).map(|a| self.atoms.class(a)).collect();
        classes.into_iter().find_map(|id| {
            let class = self.program.class(id).ok()?;
            let method = self.program.find_method(class, "finalize", "()V")?;
            let owner = self.program.class_name(self.program.method(method).class);
            (!wellknown::is_platform(owner)).then_some(owner)
        })
    }
}
