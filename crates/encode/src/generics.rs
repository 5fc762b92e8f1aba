//! Casts that javac inserts for generics.
//!
//! The input heap is untyped where the source has type variables: a `Box<String>` of the input
//! may hold an `Integer` as far as the JVM is concerned, but no program that compiles without
//! unchecked warnings builds it. A cast that javac inserted (in a bridge method, in the class of
//! a lambda, after a read through a type variable from outside the generic class) is therefore
//! taken to succeed on objects of the input; on objects that the method itself made it is
//! checked like any other.

use ir::{Block, ClassId, Instr, Op};
use logic::Lit;

use crate::atom::{Atom, Name};
use crate::engine::Engine;
use crate::state::State;
use crate::value::Ref;

impl Engine<'_> {
    /// Whether the cast stands for a type argument rather than for a cast in the source.
    pub(crate) fn is_cast_of_compiler(&self, block: &Block, cast: &Instr) -> bool {
        let Some(activation) = self.stack.last() else {
            return false;
        };
        let method = self.program.method(activation.method);
        let synthetic = self.program.class(method.class).is_ok_and(|c| c.is_synthetic);
        if method.is_bridge || synthetic {
            return true;
        }
        let Some(at) = block.instrs.iter().position(|i| std::ptr::eq(i, cast)) else {
            return false;
        };
        let Some(before) = at.checked_sub(1).map(|i| &block.instrs[i]) else {
            return false;
        };
        let Op::CheckCast { src, .. } = &cast.op else {
            return false;
        };
        let owner = match &before.op {
            Op::GetField { dst, field, .. } if dst == src => {
                let field = self.program.resolve_field(*field).ok();
                field.map(|f| self.program.field(f)).filter(|f| f.is_generic).map(|f| f.class)
            }
            Op::Invoke { dst: Some(dst), method, .. } if dst == src => {
                let called = self.program.resolve_method(*method).ok();
                let called = called.map(|m| self.program.method(m));
                called.filter(|m| m.returns_generic).map(|m| m.class)
            }
            _ => None,
        };
        owner.is_some_and(|owner| self.outermost(owner) != self.outermost(method.class))
    }

    /// The name of the top-level class around a class.
    fn outermost(&self, class: ClassId) -> &str {
        let name = self.program.class_name(class);
        let package = name.rfind('.').map_or(0, |i| i + 1);
        let end = name[package..].find('$').map_or(name.len(), |i| package + i);
        &name[..end]
    }

    /// Leaves only executions in which no object of the input fails the cast.
    pub(crate) fn assume_well_typed(&mut self, state: &mut State, src: &Ref, class: ClassId) {
        let ill = self.ill_typed(src, class);
        state.assume(&mut self.circuit, !ill);
    }

    /// Whether it is an object of the input of another class than a type argument says.
    pub(crate) fn ill_typed(&mut self, src: &Ref, class: ClassId) -> Lit {
        let ill: Vec<Lit> =
            src.objects().filter(|(a, _)| self.is_ill_typed(*a, class)).map(|e| e.1).collect();
        self.circuit.or_all(ill)
    }

    /// The same of an atom.
    pub(crate) fn is_ill_typed(&self, atom: Atom, class: ClassId) -> bool {
        let info = self.atoms.info(atom);
        let is_input = matches!(info.name, Name::Input(..) | Name::Initialiser(..));
        is_input && !info.opaque && !self.atom_is_a(atom, class)
    }
}
