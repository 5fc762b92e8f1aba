//! Expressions as terms, with the statements that they need before them.

use super::place::Spot;
use super::{Lower, Value};
use crate::ast::*;
use crate::front::{Checked, Symbol};
use crate::types::*;
use explain::program::Op;
use explain::term::{Binary, TermId};

impl Lower<'_> {
    /// The value of an expression.
    pub fn value(&mut self, expression: &Expr) -> Checked<Value> {
        let from = expression.span.from;
        match &*expression.kind {
            ExprKind::Name(name) => match self.front.lookup(name).cloned() {
                Some(Symbol::Constant(value, ty)) => {
                    let term = self.terms().number(ty.word().0, value as u64);
                    Ok(Value { term, ty })
                }
                Some(_) => {
                    let place = self.place(expression)?;
                    Ok(self.read(&place))
                }
                None if name == "NULL" => Ok(self.dummy(&Type::Void.pointer())),
                None => Err(self.front.problem(from, format!("`{name}` is not declared"))),
            },
            ExprKind::Integer { value, decimal, suffix } => {
                let ty = type_of_constant(*value, *decimal, suffix);
                let term = self.terms().number(ty.word().0, *value);
                Ok(Value { term, ty })
            }
            ExprKind::Character(value) => {
                let term = self.terms().number(32, *value as u64);
                Ok(Value { term, ty: INT })
            }
            ExprKind::Float(_) => {
                let ty = Type::Opaque { name: "double".into(), bytes: 8 };
                Ok(self.dummy(&ty))
            }
            ExprKind::Text(_)
            | ExprKind::Prefix("*", _)
            | ExprKind::Index(..)
            | ExprKind::Field { .. }
            | ExprKind::Compound(..) => {
                let place = self.place(expression)?;
                Ok(self.read(&place))
            }
            ExprKind::Prefix("&", of) => {
                let place = self.place(of)?;
                let ty = place.ty.clone().pointer();
                match place.spot {
                    Spot::Memory(address) => Ok(Value { term: address, ty }),
                    Spot::Register(_) | Spot::Bits { .. } => {
                        Err(self.front.problem(from, "this has no address"))
                    }
                }
            }
            ExprKind::Prefix(operator, of) => self.prefix(operator, of),
            ExprKind::Step { up, before, of } => self.step(*up, *before, of, true),
            ExprKind::Binary("&&" | "||", _, _) => self.logical(expression),
            ExprKind::Binary(operator, a, b) => {
                let (left, right) = self.both_values(a, b)?;
                self.binary(operator, left, right, expression.span.from)
            }
            ExprKind::Assign(operator, to, value) => self.assign(operator, to, value),
            ExprKind::Conditional(condition, yes, no) => {
                self.conditional(expression, condition, yes.as_ref(), no)
            }
            ExprKind::Comma(first, second) => {
                self.effects(first)?;
                self.value(second)
            }
            ExprKind::Call(callee, arguments) => self.call(expression, callee, arguments, None),
            ExprKind::Cast(ty, of) => self.cast(ty, of),
            ExprKind::SizeOf(of) => {
                let ty = match &*of.kind {
                    ExprKind::Text(bytes) => Type::Array(CHAR.into(), Some(bytes.len() as u64 + 1)),
                    _ => self.type_of(of)?,
                };
                self.size_of(&ty, from)
            }
            ExprKind::SizeOfType(ty) => {
                let ty = self.front.type_of(ty)?;
                self.size_of(&ty, from)
            }
            ExprKind::AlignOf(ty) => {
                let ty = self.front.type_of(ty)?;
                let align = self.front.layouts.align(&ty);
                Ok(Value { term: self.terms().number(64, align), ty: SIZE })
            }
            ExprKind::OffsetOf(ty, path) => {
                let ty = self.front.type_of(ty)?;
                self.offset_of(ty, path, from)
            }
            ExprKind::Block(body) => self.block_value(body),
            ExprKind::Unsupported(what) => {
                self.trap(format!("`{what}`"));
                Ok(self.dummy(&INT))
            }
        }
    }

    /// An expression whose value nobody uses.
    pub fn effects(&mut self, expression: &Expr) -> Checked<()> {
        match &*expression.kind {
            ExprKind::Step { up, before, of } => {
                self.step(*up, *before, of, false)?;
            }
            ExprKind::Cast(TypeName::Void, of) => self.effects(of)?,
            ExprKind::Comma(first, second) => {
                self.effects(first)?;
                self.effects(second)?;
            }
            // Nothing of a value is kept, and nothing in it can go wrong but what C leaves undefined.
            _ if !self.footprint(expression).acts => {
                self.type_of(expression)?;
            }
            ExprKind::Conditional(condition, yes, no) => {
                let (then, other, end) = (self.point(), self.point(), self.point());
                self.branch(condition, then, other)?;
                self.at = then;
                if let Some(yes) = yes {
                    self.effects(yes)?;
                }
                self.jump(end);
                self.at = other;
                self.effects(no)?;
                self.jump(end);
                self.at = end;
            }
            _ => {
                self.value(expression)?;
            }
        }
        Ok(())
    }

    /// The type of an expression, which is not evaluated.
    pub fn type_of(&mut self, expression: &Expr) -> Checked<Type> {
        let (nodes, at) = (self.nodes.clone(), self.at);
        let (targets, temporaries) = (self.targets, self.temporaries);
        let place = matches!(
            &*expression.kind,
            ExprKind::Name(_)
                | ExprKind::Index(..)
                | ExprKind::Field { .. }
                | ExprKind::Prefix("*", _)
        );
        let constant = match &*expression.kind {
            ExprKind::Name(name) => {
                matches!(self.front.lookup(name), Some(Symbol::Constant(..)) | None)
            }
            _ => false,
        };
        let ty = if place && !constant {
            self.place(expression).map(|place| place.ty)
        } else {
            self.value(expression).map(|value| value.ty)
        };
        (self.nodes, self.at) = (nodes, at);
        (self.targets, self.temporaries) = (targets, temporaries);
        ty
    }

    fn size_of(&mut self, ty: &Type, from: crate::lexer::Place) -> Checked<Value> {
        match self.front.layouts.size(ty) {
            Some(size) => Ok(Value { term: self.terms().number(64, size), ty: SIZE }),
            None => {
                let what = format!("the size of {} is not known", self.front.layouts.show(ty));
                Err(self.front.problem(from, what))
            }
        }
    }

    fn offset_of(
        &mut self,
        ty: Type,
        path: &[Designator],
        from: crate::lexer::Place,
    ) -> Checked<Value> {
        let (mut ty, mut offset) = (ty, 0);
        for part in path {
            match (part, ty.plain().clone()) {
                (Designator::Field(name), Type::Struct(id)) => {
                    let Some((bytes, field)) = self.front.layouts.field(id, name) else {
                        return Err(self
                            .front
                            .problem(from, format!("there is no field `{name}`")));
                    };
                    offset += bytes;
                    ty = field.ty;
                }
                (Designator::Element(index), Type::Array(element, _)) => {
                    let index = self.front.constant(index)? as u64;
                    let size = self.front.layouts.size(&element).unwrap_or(0);
                    offset += index.wrapping_mul(size);
                    ty = (*element).clone();
                }
                _ => return Err(self.front.problem(from, "there is no such part")),
            }
        }
        Ok(Value { term: self.terms().number(64, offset), ty: SIZE })
    }

    /// The values of two operands that nothing orders.
    pub fn both_values(&mut self, a: &Expr, b: &Expr) -> Checked<(Value, Value)> {
        self.check_order(&[a, b]);
        Ok((self.value(a)?, self.value(b)?))
    }

    fn prefix(&mut self, operator: &str, of: &Expr) -> Checked<Value> {
        let value = self.value(of)?;
        if operator == "!" {
            let holds = self.truth(&value);
            let not = self.terms().not(holds);
            return Ok(self.as_int(not));
        }
        if !value.ty.is_integer() {
            self.trap(format!("`{operator}` of a {}", self.front.layouts.show(&value.ty)));
            return Ok(value);
        }
        let ty = value.ty.promoted();
        let value = self.converted(value, &ty);
        let (width, signed) = ty.word();
        let exact = signed && !self.front.options.wrap;
        let term = match operator {
            "-" => {
                let zero = self.terms().number(width, 0);
                let operation = if exact { Binary::SubExact } else { Binary::Sub };
                self.terms().binary(operation, zero, value.term)
            }
            "~" => self.terms().not(value.term),
            _ => value.term,
        };
        Ok(Value { term, ty })
    }

    /// `x++` and its kin.
    fn step(&mut self, up: bool, before: bool, of: &Expr, used: bool) -> Checked<Value> {
        let place = self.place(of)?;
        let old = self.read(&place);
        let kept = if used && !before && old.ty.is_scalar() {
            let (_, temporary) = self.temporary(&old.ty);
            self.emit(Op::Assign { place: temporary, value: old.term });
            Value { term: temporary, ty: old.ty.clone() }
        } else {
            old.clone()
        };
        let one = Value { term: self.terms().number(32, 1), ty: INT };
        let operator = if up { "+" } else { "-" };
        let new = self.binary(operator, old, one, of.span.from)?;
        let written = self.write(&place, new);
        Ok(if before { written } else { kept })
    }

    fn assign(&mut self, operator: &str, to: &Expr, value: &Expr) -> Checked<Value> {
        if operator.is_empty()
            && let ExprKind::Call(callee, arguments) = &*value.kind
            && matches!(&*to.kind, ExprKind::Name(_))
        {
            // The result goes straight to where it belongs.
            let place = self.place(to)?;
            let direct = self.direct(&place);
            let made = self.call(value, callee, arguments, direct.clone())?;
            if direct.is_some_and(|(term, _)| term == made.term) {
                return Ok(made);
            }
            return Ok(self.write(&place, made));
        }
        // The assignment itself comes after both operands; what these do must not clash.
        let mut left = self.footprint(to);
        if let ExprKind::Name(_) = &*to.kind {
            left = Default::default();
        }
        let right = self.footprint(value);
        if (left.acts || right.acts) && left.clashes(&right) {
            self.trap("the order of evaluation is open here, and matters");
        }
        let place = self.place(to)?;
        let new = self.value(value)?;
        let new = if operator.is_empty() {
            new
        } else {
            let old = self.read(&place);
            self.binary(operator, old, new, to.span.from)?
        };
        Ok(self.write(&place, new))
    }

    /// A place that a call can fill itself: its type must be that of the result, or it is asked.
    pub fn direct(&mut self, place: &super::place::Place) -> Option<(TermId, Type)> {
        match (&place.spot, &place.ty) {
            (Spot::Register(term), ty) if ty.is_scalar() && !matches!(ty, Type::Volatile(_)) => {
                Some((*term, ty.clone()))
            }
            _ => None,
        }
    }

    /// A binary operation on values.
    pub fn binary(
        &mut self,
        operator: &str,
        left: Value,
        right: Value,
        from: crate::lexer::Place,
    ) -> Checked<Value> {
        let comparison = matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=");
        match (left.ty.is_pointer(), right.ty.is_pointer()) {
            (false, false) => {}
            _ if comparison => return Ok(self.compare_addresses(operator, left, right)),
            (true, false) if operator == "+" || operator == "-" => {
                let term = self.element(&left, &right, from, operator == "-")?;
                return Ok(Value { term, ty: left.ty });
            }
            (false, true) if operator == "+" => {
                let term = self.element(&right, &left, from, false)?;
                return Ok(Value { term, ty: right.ty });
            }
            (true, true) if operator == "-" => return self.distance(left, right, from),
            _ => return Err(self.front.problem(from, format!("`{operator}` is not for pointers"))),
        }
        if !(left.ty.is_integer() && right.ty.is_integer()) {
            self.trap(format!(
                "`{operator}` of a {} and a {}",
                self.front.layouts.show(&left.ty),
                self.front.layouts.show(&right.ty)
            ));
            return Ok(self.dummy(&INT));
        }
        if operator == "<<" || operator == ">>" {
            return Ok(self.shift(operator, left, right));
        }
        let ty = common(&left.ty, &right.ty);
        let (a, b) = (self.converted(left, &ty).term, self.converted(right, &ty).term);
        if comparison {
            return Ok(self.compare(operator, a, b, ty.word().1));
        }
        let signed = ty.word().1;
        let exact = signed && !self.front.options.wrap;
        let operation = match (operator, exact, signed) {
            ("+", true, _) => Binary::AddExact,
            ("+", false, _) => Binary::Add,
            ("-", true, _) => Binary::SubExact,
            ("-", false, _) => Binary::Sub,
            ("*", true, _) => Binary::MulExact,
            ("*", false, _) => Binary::Mul,
            ("/", _, true) => Binary::DivSigned,
            ("/", _, false) => Binary::DivUnsigned,
            ("%", _, true) => Binary::RemSigned,
            ("%", _, false) => Binary::RemUnsigned,
            ("&", ..) => Binary::And,
            ("|", ..) => Binary::Or,
            _ => Binary::Xor,
        };
        Ok(Value { term: self.terms().binary(operation, a, b), ty })
    }

    fn shift(&mut self, operator: &str, left: Value, right: Value) -> Value {
        let ty = left.ty.promoted();
        let left = self.converted(left, &ty);
        let (width, signed) = ty.word();
        // A negative distance is as undefined as one that is too large, and becomes one.
        let (wide, sign) = right.ty.word();
        let mut distance = right.term;
        if wide < width {
            distance = self.terms().extend(sign, width, distance);
        } else if wide > width {
            let high = self.terms().number(wide, u64::from(width));
            let small = self.terms().binary(Binary::LessUnsigned, distance, high);
            let far = self.terms().number(width, u64::from(width));
            let low = self.terms().truncate(width, distance);
            distance = self.terms().choose(small, low, far);
        }
        let operation = match (operator, signed) {
            ("<<", true) if !self.front.options.wrap => Binary::ShlExact,
            ("<<", _) => Binary::Shl,
            (_, true) => Binary::ShrSigned,
            (_, false) => Binary::ShrUnsigned,
        };
        let term = self.terms().binary(operation, left.term, distance);
        Value { term, ty }
    }

    fn compare(&mut self, operator: &str, a: TermId, b: TermId, signed: bool) -> Value {
        let less = if signed { Binary::LessSigned } else { Binary::LessUnsigned };
        let terms = self.terms();
        let bit = match operator {
            "==" => terms.equal(a, b),
            "!=" => {
                let equal = terms.equal(a, b);
                terms.not(equal)
            }
            "<" => terms.binary(less, a, b),
            ">" => terms.binary(less, b, a),
            ">=" => {
                let smaller = terms.binary(less, a, b);
                terms.not(smaller)
            }
            _ => {
                let larger = terms.binary(less, b, a);
                terms.not(larger)
            }
        };
        self.as_int(bit)
    }

    fn compare_addresses(&mut self, operator: &str, left: Value, right: Value) -> Value {
        let pointer = Type::Void.pointer();
        let a = self.converted(left, &pointer).term;
        let b = self.converted(right, &pointer).term;
        self.compare(operator, a, b, false)
    }

    fn distance(&mut self, left: Value, right: Value, from: crate::lexer::Place) -> Checked<Value> {
        let size = left.ty.target().and_then(|target| self.front.layouts.size(target));
        let Some(size) = size.filter(|size| *size > 0) else {
            return Err(self.front.problem(from, "these pointers cannot be subtracted"));
        };
        let bytes = self.terms().binary(Binary::Sub, left.term, right.term);
        let size = self.terms().number(64, size);
        let term = self.terms().binary(Binary::DivSigned, bytes, size);
        Ok(Value { term, ty: LONG })
    }

    /// One bit as an `int`.
    pub fn as_int(&mut self, bit: TermId) -> Value {
        Value { term: self.terms().extend(false, 32, bit), ty: INT }
    }

    /// Whether a value is not zero.
    pub fn truth(&mut self, value: &Value) -> TermId {
        if !value.ty.is_scalar() {
            self.trap(format!("a {} as a condition", self.front.layouts.show(&value.ty)));
            return self.terms().truth(false);
        }
        let width = value.ty.word().0;
        let zero = self.terms().number(width, 0);
        let is_zero = self.terms().equal(value.term, zero);
        self.terms().not(is_zero)
    }

    /// A value as one of another type.
    pub fn converted(&mut self, value: Value, to: &Type) -> Value {
        let to = to.plain().clone();
        if value.ty == to || matches!(to, Type::Void) {
            return Value { term: value.term, ty: to };
        }
        let term = match (&value.ty, &to) {
            (from, Type::Bool) if from.is_scalar() => {
                let bit = self.truth(&value);
                self.terms().extend(false, 8, bit)
            }
            (from, _) if from.is_integer() && to.is_integer() => {
                let ((wide, signed), (width, _)) = (from.word(), to.word());
                if width > wide {
                    self.terms().extend(signed, width, value.term)
                } else {
                    self.terms().truncate(width, value.term)
                }
            }
            (from, _) if from.is_pointer() && to.is_pointer() => value.term,
            (from, _) if from.is_integer() && to.is_pointer() => {
                let (width, signed) = from.word();
                let constant = self.terms().constant(value.term);
                if constant != Some(0) {
                    self.trap("a number as a pointer");
                }
                if width < 64 { self.terms().extend(signed, 64, value.term) } else { value.term }
            }
            (from, _) if from.is_pointer() && to.is_integer() => {
                self.trap("a pointer as a number");
                self.dummy(&to).term
            }
            (from, _) if *from == to => value.term,
            (from, _) => {
                let (from, to) = (self.front.layouts.show(from), self.front.layouts.show(&to));
                self.trap(format!("a {from} as a {to}"));
                return self.dummy(&value.ty);
            }
        };
        Value { term, ty: to }
    }

    fn cast(&mut self, ty: &TypeName, of: &Expr) -> Checked<Value> {
        let to = self.front.type_of(ty)?;
        let value = self.value(of)?;
        if let (Some(target), Some(source)) = (to.target(), value.ty.target()) {
            let sizes = |ty: &Type| match ty.plain() {
                Type::Void | Type::Function(_) => None,
                other => self.front.layouts.size(other),
            };
            // Memory that is read in another type than it is written in is bytes.
            if let (Some(a), Some(b)) = (sizes(target), sizes(source))
                && a != b
            {
                self.front.program.space.bytes = true;
            }
        }
        Ok(self.converted(value, &to))
    }
}

/// The type of a constant: the first in C's list that it fits.
fn type_of_constant(value: u64, decimal: bool, suffix: &str) -> Type {
    let unsigned = suffix.contains('u');
    let long = suffix.contains('l');
    let int = |bits, signed| Type::Integer { bits, signed };
    match () {
        () if !unsigned && !long && value <= i32::MAX as u64 => int(32, true),
        () if !long && (unsigned || !decimal) && value <= u64::from(u32::MAX) => int(32, false),
        () if !unsigned && value <= i64::MAX as u64 => int(64, true),
        () => int(64, false),
    }
}
