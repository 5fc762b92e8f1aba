//! Field access, calls and `invokedynamic`.

use ir::body::Piece;
use ir::{FieldRefId, InvokeKind, Kind, MethodRefId, Op, Reg, Terminator, Type};

use crate::classfile::pool::MemberRef;
use crate::classfile::reader::{Malformed, malformed};
use crate::descriptor;
use crate::indy::{self, Linked, Site};

use super::Lowering;
use super::emit::Flow;
use super::registers::Value;

impl Lowering<'_> {
    fn member(&self, index: u16) -> Result<MemberRef, Malformed> {
        let (pool, bytes) = self.unit.file.pool();
        pool.member(bytes, index)
    }

    fn field(&self, index: u16) -> Result<(FieldRefId, Kind), Malformed> {
        let member = self.member(index)?;
        let program = self.unit.program;
        let class = descriptor::class_named(program, &member.class);
        let ty = descriptor::field_type(program, &member.descriptor);
        match (class, ty) {
            (Some(class), Some(ty)) => {
                Ok((program.field_ref(class, &member.name, &member.descriptor), ty.kind()))
            }
            _ => malformed(format!("`{}` is not a field type", member.descriptor)),
        }
    }

    pub(super) fn get_static(&mut self, index: u16) -> Result<(), Malformed> {
        let (field, kind) = self.field(index)?;
        self.emit_push(kind, |dst| Op::GetStatic { dst, field })
    }

    pub(super) fn put_static(&mut self, index: u16) -> Result<(), Malformed> {
        let (field, kind) = self.field(index)?;
        let src = self.stack.pop(kind)?;
        self.emit(Op::PutStatic { field, src });
        Ok(())
    }

    pub(super) fn get_field(&mut self, index: u16) -> Result<(), Malformed> {
        let (field, kind) = self.field(index)?;
        let object = self.stack.pop(Kind::Ref)?;
        self.emit_push(kind, |dst| Op::GetField { dst, object, field })
    }

    pub(super) fn put_field(&mut self, index: u16) -> Result<(), Malformed> {
        let (field, kind) = self.field(index)?;
        let src = self.stack.pop(kind)?;
        let object = self.stack.pop(Kind::Ref)?;
        self.emit(Op::PutField { object, field, src });
        Ok(())
    }

    pub(super) fn invoke(&mut self, kind: InvokeKind, index: u16) -> Flow {
        let member = self.member(index)?;
        if self.mark(kind, &member)? {
            return Ok(None);
        }
        let program = self.unit.program;
        let class = descriptor::class_named(program, &member.class);
        let types = descriptor::method_types(program, &member.descriptor);
        let (Some(class), Some((params, result))) = (class, types) else {
            return malformed(format!("`{}` is not a method type", member.descriptor));
        };
        if is_signature_polymorphic(&member) {
            let name = program.class_name(class);
            return Ok(Some(self.trap(format!("{name}.{}", member.name))));
        }
        let method = program.method_ref(class, &member.name, &member.descriptor);
        let mut args = self.pop_arguments(&params)?;
        if kind != InvokeKind::Static {
            args.insert(0, self.stack.pop(Kind::Ref)?);
        }
        self.emit_call(kind, method, args, result)?;
        Ok(None)
    }

    fn emit_call(
        &mut self,
        kind: InvokeKind,
        method: MethodRefId,
        args: Vec<Reg>,
        result: Option<Type>,
    ) -> Result<(), Malformed> {
        match result {
            Some(ty) => {
                self.emit_push(ty.kind(), |dst| Op::Invoke { dst: Some(dst), kind, method, args })
            }
            None => {
                self.emit(Op::Invoke { dst: None, kind, method, args });
                Ok(())
            }
        }
    }

    fn pop_arguments(&mut self, params: &[Type]) -> Result<Vec<Reg>, Malformed> {
        let mut args = Vec::with_capacity(params.len() + 1);
        for param in params.iter().rev() {
            args.push(self.stack.pop(param.kind())?);
        }
        args.reverse();
        Ok(args)
    }

    pub(super) fn invoke_dynamic(&mut self, index: u16) -> Flow {
        let (pool, bytes) = self.unit.file.pool();
        let call = pool.call_site(bytes, index)?;
        let Some((params, result)) = descriptor::method_types(self.unit.program, &call.descriptor)
        else {
            return malformed(format!("`{}` is not a method type", call.descriptor));
        };
        let bootstrap = self.unit.file.bootstrap(call.bootstrap)?;
        let site = Site {
            unit: self.unit,
            bootstrap: &bootstrap,
            call: &call,
            params: &params,
            result,
            pc: self.pc,
            line: self.line,
        };
        match indy::link(&site)? {
            Linked::Object { class, captures } => {
                let values = self.pop_arguments(&params)?;
                // The captured values stay named until the object is in its own register.
                let dst = self.free_beside(&values);
                self.emit(Op::New { dst, class, assertion: false });
                for (field, src) in captures.into_iter().zip(values) {
                    self.emit(Op::PutField { object: dst, field, src });
                }
                self.stack.push(Value { reg: dst, kind: Kind::Ref })?;
                Ok(None)
            }
            Linked::Call(method) => {
                let args = self.pop_arguments(&params)?;
                self.emit_call(InvokeKind::Static, method, args, result)?;
                Ok(None)
            }
            Linked::Concat(pieces) => self.concat(&params, pieces).map(|()| None),
            Linked::Unsupported(what) => Ok(Some(Terminator::Unsupported { what: what.into() })),
        }
    }

    /// A register for a reference that overwrites none of `values` and nothing on the stack.
    fn free_beside(&mut self, values: &[Reg]) -> Reg {
        let mut depth = 0;
        loop {
            let reg = self.registers.position(depth, Kind::Ref);
            if !values.contains(&reg) && !self.stack.names(reg) {
                return reg;
            }
            depth += 1;
        }
    }

    /// String concatenation: references become strings left to right, then everything is joined.
    fn concat(&mut self, params: &[Type], pieces: Vec<indy::Part>) -> Result<(), Malformed> {
        let program = self.unit.program;
        let string = program.class_id("java.lang.String");
        let descriptor = "(Ljava/lang/Object;)Ljava/lang/String;";
        let value_of = program.method_ref(string, "valueOf", descriptor);
        let mut values = self.pop_arguments(params)?;
        for index in 0..values.len() {
            let is_object = matches!(params[index], Type::Ref(class) if class != string);
            if !is_object {
                continue;
            }
            let dst = self.free_beside(&values);
            let args = vec![values[index]];
            self.emit(Op::Invoke {
                dst: Some(dst),
                kind: InvokeKind::Static,
                method: value_of,
                args,
            });
            values[index] = dst;
        }
        let pieces = pieces.into_iter().map(|part| match part {
            indy::Part::Text(text) => Piece::Text(text.into()),
            indy::Part::Argument(index) => {
                let ty = params[index];
                Piece::Value(
                    values[index],
                    if ty.class().is_some() { Type::Ref(string) } else { ty },
                )
            }
        });
        let pieces = pieces.collect();
        self.emit_push(Kind::Ref, |dst| Op::Concat { dst, pieces })
    }
}

/// Calls whose descriptor is the caller's, not the declared one (JVMS 2.9.3).
fn is_signature_polymorphic(member: &MemberRef) -> bool {
    match member.class.as_str() {
        "java/lang/invoke/MethodHandle" => {
            ["invoke", "linkTo"].iter().any(|p| member.name.starts_with(p))
                && !matches!(&*member.name, "invokeWithArguments")
        }
        "java/lang/invoke/VarHandle" => ["get", "set", "compareAnd", "weakCompareAnd"]
            .iter()
            .any(|p| member.name.starts_with(p)),
        _ => false,
    }
}
