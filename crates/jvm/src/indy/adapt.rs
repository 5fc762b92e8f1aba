//! Conversions between the types of a functional interface and those of the method behind it:
//! casts, boxing, unboxing and widening, as `LambdaMetafactory` inserts them.

use ir::{ClassId, InvokeKind, Kind, Op, Reg, Type, UnaryOp};

use crate::synthesis::Synthesis;

impl Synthesis<'_> {
    /// Converts a value of type `from` to type `to`; `via` is the type that the interface has
    /// where its type parameters are known. `Err` names what cannot be modelled.
    pub fn adapt(&mut self, reg: Reg, from: Type, via: Type, to: Type) -> Result<Reg, String> {
        match (from, to) {
            (Type::Ref(from), Type::Ref(to)) => {
                let known = match via {
                    Type::Ref(via) => self.cast(reg, from, via),
                    _ => reg,
                };
                Ok(self.cast(known, via.class().unwrap_or(from), to))
            }
            (Type::Ref(from), to) => {
                let source = via.class().unwrap_or(from);
                let known = self.cast(reg, from, source);
                self.unbox(known, source, to)
            }
            (from, Type::Ref(to)) => {
                let boxed = Type::boxed_by(self.program.class_name(to)).unwrap_or(from);
                let value = self.widen(reg, from, boxed)?;
                Ok(self.box_value(value, boxed))
            }
            (from, to) => self.widen(reg, from, to),
        }
    }

    fn cast(&mut self, src: Reg, from: ClassId, to: ClassId) -> Reg {
        if from == to || self.program.class_name(to) == "java.lang.Object" {
            return src;
        }
        self.compute(Kind::Ref, |dst| Op::CheckCast { dst, src, class: to })
    }

    fn unbox(&mut self, reg: Reg, source: ClassId, to: Type) -> Result<Reg, String> {
        if let Some(held) = Type::boxed_by(self.program.class_name(source)) {
            let value = self.value_of_box(reg, source, held);
            return self.widen(value, held, to);
        }
        // Not a box class, so a supertype of one: numbers are read through Number.
        let through = match to {
            Type::Boolean | Type::Char => Type::box_class(to),
            _ => "java.lang.Number",
        };
        let through = self.program.class_id(through);
        let known = self.cast(reg, source, through);
        Ok(self.value_of_box(known, through, to))
    }

    fn value_of_box(&mut self, reg: Reg, class: ClassId, ty: Type) -> Reg {
        let keyword = ty.keyword().expect("box classes hold primitives");
        let descriptor = format!("(){}", self.program.descriptor(ty));
        let name = format!("{keyword}Value");
        self.call(InvokeKind::Virtual, class, &name, &descriptor, vec![reg], ty.kind())
    }

    fn box_value(&mut self, reg: Reg, ty: Type) -> Reg {
        let class = self.program.class_id(Type::box_class(ty));
        let result = self.program.descriptor(Type::Ref(class));
        let descriptor = format!("({}){result}", self.program.descriptor(ty));
        self.call(InvokeKind::Static, class, "valueOf", &descriptor, vec![reg], Kind::Ref)
    }

    fn widen(&mut self, src: Reg, from: Type, to: Type) -> Result<Reg, String> {
        match (from.kind(), to.kind()) {
            (a, b) if a == b => Ok(src),
            (Kind::Int, Kind::Long) => {
                Ok(self.compute(Kind::Long, |dst| Op::Unary { dst, op: UnaryOp::IntToLong, src }))
            }
            (a, b) => Err(format!("floating point: conversion from {a:?} to {b:?}")),
        }
    }
}
