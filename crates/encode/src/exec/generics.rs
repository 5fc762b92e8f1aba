//! Casts that javac inserts for generics.
//!
//! The input heap is untyped where the source has type variables: a `Box<String>` of the input
//! may hold an `Integer` as far as the JVM is concerned, but no program that compiles without
//! unchecked warnings builds it. A cast that javac inserted (in a bridge method, in the class of
//! a lambda, after a read through a type variable from outside the generic class) is therefore
//! taken to succeed on objects of the input and on those that a call returns which is known by its
//! contract; on objects that the method itself made it is checked like any other.
//!
//! A cast in the source looks the same in a class file. Where the static type of the object is known of
//! which a field is read or a method called, it says what the compiler casts to, and a cast to less than
//! that is one of the source.

use ir::{Block, ClassId, Instr, Op, Reg, Type};
use logic::Lit;
use spec::resolve::{Member, member_type};

use crate::engine::Engine;
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::value::Ref;

impl Engine<'_> {
    /// Whether the cast stands for a type argument rather than for a cast in the source.
    pub(super) fn is_cast_of_compiler(&self, block: &Block, cast: &Instr) -> bool {
        let Some(activation) = self.run.stack.last() else {
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
        let (object, owner, member) = match &before.op {
            Op::GetField { dst, field, object } if dst == src => {
                let field = self.program.resolve_field(*field).ok();
                let field = field.map(|f| self.program.field(f)).filter(|f| f.is_generic);
                let Some(field) = field else {
                    return false;
                };
                (Some(*object), field.class, field.signature.as_deref().map(Member::Field))
            }
            Op::Invoke { dst: Some(dst), method, args, .. } if dst == src => {
                let called = self.program.resolve_method(*method).ok();
                let called = called.map(|m| self.program.method(m));
                let Some(called) = called.filter(|m| m.returns_generic) else {
                    return false;
                };
                let object = args.first().copied().filter(|_| !called.is_static);
                (object, called.class, Some(Member::Method(called)))
            }
            _ => return false,
        };
        let said = object
            .and_then(|object| self.static_type(block, before, object))
            .zip(member)
            .and_then(|(ty, member)| member_type(self.program, &ty, owner, member));
        match (said, &cast.op) {
            (Some(Type::Ref(said)), Op::CheckCast { class, .. }) => {
                self.program.is_subtype(said, *class)
            }
            _ => self.outermost(owner) != self.outermost(method.class),
        }
    }

    /// The type of the source that a register has where an instruction uses it, as a signature: that
    /// of a variable, or of the field or the call that it comes from.
    fn static_type(&self, block: &Block, user: &Instr, register: Reg) -> Option<String> {
        let activation = self.run.stack.last()?;
        let ir::Code::Body(body) = self.program.code(activation.method) else {
            return None;
        };
        if let Some(variable) = body.variable_at(register, user.pc) {
            let erased = || self.program.descriptor(variable.ty);
            return Some(variable.signature.as_deref().map_or_else(erased, str::to_string));
        }
        let at = block.instrs.iter().position(|i| std::ptr::eq(i, user))?;
        let made = block.instrs[..at].iter().rev().find(|i| i.dst() == Some(register))?;
        match &made.op {
            Op::GetField { field, .. } | Op::GetStatic { field, .. } => {
                let field = self.program.resolve_field(*field).ok()?;
                self.program.field(field).signature.clone()
            }
            Op::Invoke { method, .. } => {
                let called = self.program.resolve_method(*method).ok()?;
                Some(
                    self.program
                        .method(called)
                        .signature
                        .as_deref()?
                        .rsplit_once(')')?
                        .1
                        .to_string(),
                )
            }
            _ => None,
        }
    }

    /// The name of the top-level class around a class.
    pub(crate) fn outermost(&self, class: ClassId) -> &str {
        let name = self.program.class_name(class);
        let package = name.rfind('.').map_or(0, |i| i + 1);
        let end = name[package..].find('$').map_or(name.len(), |i| package + i);
        &name[..end]
    }

    /// Leaves only executions in which no object of the input fails the cast.
    pub(super) fn assume_well_typed(&mut self, state: &mut State, src: &Ref, class: ClassId) {
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
        let is_input = matches!(info.name, Name::Input(..) | Name::Initialiser(..))
            || self.run.objects.is_by_contract(atom);
        let may_be = info.opaque && self.program.may_share_objects(info.class, class);
        is_input && !may_be && !self.atom_is_a(atom, class)
    }
}
