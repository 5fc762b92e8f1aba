//! Numbers: Java's arithmetic, wrapping and IEEE 754, and the integers of mathematics.

use ir::Type;
use ir::floating::{FloatBinary, FloatUnary};
use logic::{Bits, Lit, Wide};
use spec::core::{Arithmetic, Comparison, Number, Sort, Term, TermKind};

use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::value::{Ref, Value};

impl Evaluator<'_, '_> {
    pub(crate) fn cast(&mut self, state: &mut State, ty: Type, inner: &Term) -> Meaning {
        let meaning = self.meaning(state, inner);
        let Type::Ref(class) = ty else {
            return self.convert(ty, meaning, &inner.sort);
        };
        self.cast_reference(state, class, &meaning.reference())
    }

    /// A reference as one to a class; undefined where it is no object of it.
    pub(super) fn cast_reference(
        &mut self,
        state: &mut State,
        class: ir::ClassId,
        object: &Ref,
    ) -> Meaning {
        let object = object.restrict(&state.facts, |_| true);
        let fits = self.engine.instance_of(state, &object, class);
        let fits = self.engine.circuit.or(fits, object.is_null());
        self.undefined_if(state, !fits, || "a cast fails".into());
        let program = self.engine.program;
        let atoms = &self.engine.atoms;
        let kept = object.restrict(&state.facts, |a| {
            a == Atom::NULL || program.is_subtype(atoms.class(a), class)
        });
        Meaning::Reference(kept)
    }

    /// A mathematical integer as a number of Java.
    pub(super) fn fitted(&mut self, state: &mut State, ty: Type, inner: &Term) -> Meaning {
        let wide = self.meaning(state, inner).wide();
        let low = wide.low(ty.kind().width().unwrap_or(32));
        let fits = self.engine.circuit.wide_eq(&wide, &Wide::signed(&low));
        let what = match inner.kind {
            TermKind::Arithmetic(Arithmetic::Add, ..) => "an addition",
            TermKind::Arithmetic(Arithmetic::Subtract, ..) => "a subtraction",
            TermKind::Arithmetic(Arithmetic::Multiply, ..) => "a multiplication",
            TermKind::Arithmetic(..) => "a division",
            TermKind::Negate(_) => "a negation",
            _ => "a number",
        };
        let name = ty.keyword().unwrap_or("number");
        self.undefined_if(state, !fits, || format!("{what} overflows its {name}"));
        Meaning::Number(low)
    }

    fn convert(&mut self, to: Type, value: Meaning, from: &Sort) -> Meaning {
        let from = match from {
            Sort::Number(number) => *number,
            _ => return value,
        };
        if let Meaning::Big(wide) = &value {
            let width = to.kind().width().unwrap_or(32);
            let low = wide.low(width);
            return Meaning::Number(self.narrow(to, low));
        }
        let bits = value.number();
        let circuit = &mut self.engine.circuit;
        let floating = |n: Number| matches!(n, Number::Float | Number::Double);
        let long = from == Number::Long;
        let bits = match (to, from) {
            (Type::Float, Number::Float) | (Type::Double, Number::Double) => bits,
            (Type::Float | Type::Double, _) => {
                let op = match (to, from) {
                    (Type::Float, Number::Double) => FloatUnary::DoubleToFloat,
                    (Type::Double, Number::Float) => FloatUnary::FloatToDouble,
                    (Type::Float, _) if long => FloatUnary::LongToFloat,
                    (Type::Float, _) => FloatUnary::IntToFloat,
                    (_, _) if long => FloatUnary::LongToDouble,
                    (_, _) => FloatUnary::IntToDouble,
                };
                self.engine.float_unary(op, &bits)
            }
            (Type::Long, _) if floating(from) => {
                let op = match from {
                    Number::Float => FloatUnary::FloatToLong,
                    _ => FloatUnary::DoubleToLong,
                };
                self.engine.float_unary(op, &bits)
            }
            (Type::Long, _) => circuit.sign_extend(&bits, 64),
            (_, _) if floating(from) => {
                let op = match from {
                    Number::Float => FloatUnary::FloatToInt,
                    _ => FloatUnary::DoubleToInt,
                };
                let int = self.engine.float_unary(op, &bits);
                self.narrow(to, int)
            }
            (_, _) => {
                let int = circuit.truncate(&bits, 32);
                self.narrow(to, int)
            }
        };
        Meaning::Number(bits)
    }

    fn narrow(&mut self, to: Type, int: Bits) -> Bits {
        self.engine.narrowed(to, Value::Bits(int)).bits().clone()
    }

    pub(super) fn negate(&mut self, state: &mut State, inner: &Term) -> Meaning {
        let meaning = self.meaning(state, inner);
        match (meaning, &inner.sort) {
            (Meaning::Big(wide), _) => Meaning::Big(self.engine.circuit.wide_neg(&wide)),
            (meaning, Sort::Number(Number::Float)) => {
                Meaning::Number(self.engine.float_unary(FloatUnary::NegFloat, &meaning.number()))
            }
            (meaning, Sort::Number(Number::Double)) => {
                Meaning::Number(self.engine.float_unary(FloatUnary::NegDouble, &meaning.number()))
            }
            (meaning, _) => Meaning::Number(self.engine.circuit.neg(&meaning.number())),
        }
    }

    pub(crate) fn arithmetic(
        &mut self,
        state: &mut State,
        op: Arithmetic,
        left: &Term,
        right: &Term,
    ) -> Meaning {
        let (a, b) = (self.meaning(state, left), self.meaning(state, right));
        if matches!(op, Arithmetic::Divide | Arithmetic::Remainder) && !is_floating(&left.sort) {
            let zero = match &b {
                Meaning::Big(wide) => self.engine.circuit.wide_eq(wide, &Wide::constant(0)),
                other => {
                    let bits = other.number();
                    let zero = Bits::constant(bits.width(), 0);
                    self.engine.circuit.bits_eq(&bits, &zero)
                }
            };
            self.undefined_if(state, zero, || "division by zero".into());
        }
        self.combine(state, op, a, b, &left.sort)
    }

    /// An operation on two numbers of one sort.
    pub(super) fn combine(
        &mut self,
        state: &mut State,
        op: Arithmetic,
        a: Meaning,
        b: Meaning,
        sort: &Sort,
    ) -> Meaning {
        if let Sort::Number(Number::Big) = sort {
            return self.wide_arithmetic(state, op, &a.wide(), &b.wide());
        }
        let (a, b) = (a.number(), b.number());
        if is_floating(sort) {
            return Meaning::Number(self.float_arithmetic(op, &a, &b, sort));
        }
        let circuit = &mut self.engine.circuit;
        Meaning::Number(match op {
            Arithmetic::Add => circuit.add(&a, &b),
            Arithmetic::Subtract => circuit.sub(&a, &b),
            Arithmetic::Multiply => circuit.mul(&a, &b),
            Arithmetic::Divide => circuit.div_signed(&a, &b),
            Arithmetic::Remainder => circuit.rem_signed(&a, &b),
            Arithmetic::And => circuit.bits_and(&a, &b),
            Arithmetic::Or => circuit.bits_or(&a, &b),
            Arithmetic::Xor => circuit.bits_xor(&a, &b),
            Arithmetic::ShiftLeft | Arithmetic::ShiftRight | Arithmetic::ShiftRightUnsigned => {
                let distance = circuit.truncate(&b, 32);
                match op {
                    Arithmetic::ShiftLeft => circuit.shl(&a, &distance),
                    Arithmetic::ShiftRight => circuit.shr_signed(&a, &distance),
                    _ => circuit.shr_unsigned(&a, &distance),
                }
            }
        })
    }

    fn wide_arithmetic(
        &mut self,
        state: &mut State,
        op: Arithmetic,
        a: &Wide,
        b: &Wide,
    ) -> Meaning {
        let circuit = &mut self.engine.circuit;
        Meaning::Big(match op {
            Arithmetic::Add => circuit.wide_add(a, b),
            Arithmetic::Subtract => circuit.wide_sub(a, b),
            Arithmetic::Multiply => circuit.wide_mul(a, b),
            Arithmetic::Divide => circuit.wide_div_rem(a, b).0,
            Arithmetic::Remainder => circuit.wide_div_rem(a, b).1,
            _ => {
                self.engine.unsupported(state, "a bit operation on mathematical integers");
                Wide::constant(0)
            }
        })
    }

    fn float_arithmetic(&mut self, op: Arithmetic, a: &Bits, b: &Bits, sort: &Sort) -> Bits {
        let double = *sort == Sort::Number(Number::Double);
        let op = match (op, double) {
            (Arithmetic::Add, false) => FloatBinary::AddFloat,
            (Arithmetic::Add, true) => FloatBinary::AddDouble,
            (Arithmetic::Subtract, false) => FloatBinary::SubFloat,
            (Arithmetic::Subtract, true) => FloatBinary::SubDouble,
            (Arithmetic::Multiply, false) => FloatBinary::MulFloat,
            (Arithmetic::Multiply, true) => FloatBinary::MulDouble,
            (Arithmetic::Divide, false) => FloatBinary::DivFloat,
            (Arithmetic::Divide, true) => FloatBinary::DivDouble,
            (Arithmetic::Remainder, false) => FloatBinary::RemFloat,
            (_, false) => FloatBinary::RemFloat,
            (_, true) => FloatBinary::RemDouble,
        };
        self.engine.float_binary(op, a, b)
    }

    pub(crate) fn compare(
        &mut self,
        state: &mut State,
        op: Comparison,
        left: &Term,
        right: &Term,
    ) -> Lit {
        if self.engine.is_beyond(left) || self.engine.is_beyond(right) {
            return self.engine.circuit.input();
        }
        let (a, b) = (self.meaning(state, left), self.meaning(state, right));
        self.compared(op, &a, &b, &left.sort)
    }

    pub(crate) fn compared(
        &mut self,
        op: Comparison,
        a: &Meaning,
        b: &Meaning,
        sort: &Sort,
    ) -> Lit {
        let (a, b) = match sort {
            Sort::Number(Number::Big) => {
                let (a, b) = (a.wide(), b.wide());
                let circuit = &mut self.engine.circuit;
                return match op {
                    Comparison::Equal => circuit.wide_eq(&a, &b),
                    Comparison::NotEqual => !circuit.wide_eq(&a, &b),
                    Comparison::Less => circuit.wide_lt(&a, &b),
                    Comparison::GreaterEqual => !circuit.wide_lt(&a, &b),
                    Comparison::Greater => circuit.wide_lt(&b, &a),
                    Comparison::LessEqual => !circuit.wide_lt(&b, &a),
                };
            }
            Sort::Number(Number::Float | Number::Double) => {
                return self.float_compare(op, &a.number(), &b.number(), sort);
            }
            _ => (a.number(), b.number()),
        };
        let circuit = &mut self.engine.circuit;
        match op {
            Comparison::Equal => circuit.bits_eq(&a, &b),
            Comparison::NotEqual => !circuit.bits_eq(&a, &b),
            Comparison::Less => circuit.lt_signed(&a, &b),
            Comparison::GreaterEqual => !circuit.lt_signed(&a, &b),
            Comparison::Greater => circuit.lt_signed(&b, &a),
            Comparison::LessEqual => !circuit.lt_signed(&b, &a),
        }
    }

    /// A comparison with a number that is none is false, and `!=` is true.
    fn float_compare(&mut self, op: Comparison, a: &Bits, b: &Bits, sort: &Sort) -> Lit {
        let double = *sort == Sort::Number(Number::Double);
        let (for_less, for_greater) = match double {
            false => (FloatBinary::CompareFloatLess, FloatBinary::CompareFloatGreater),
            true => (FloatBinary::CompareDoubleLess, FloatBinary::CompareDoubleGreater),
        };
        // What NaN gives must make the comparison false.
        let which = match op {
            Comparison::Less | Comparison::LessEqual => for_greater,
            _ => for_less,
        };
        let zero = Bits::constant(32, 0);
        let order = self.engine.float_binary(which, a, b);
        let circuit = &mut self.engine.circuit;
        match op {
            Comparison::Equal => circuit.bits_eq(&order, &zero),
            Comparison::NotEqual => !circuit.bits_eq(&order, &zero),
            Comparison::Less => circuit.lt_signed(&order, &zero),
            Comparison::LessEqual => circuit.le_signed(&order, &zero),
            Comparison::Greater => circuit.lt_signed(&zero, &order),
            Comparison::GreaterEqual => circuit.le_signed(&zero, &order),
        }
    }
}

/// Bits of a number of a bounded sort.
pub(crate) fn width(number: Number) -> u32 {
    match number {
        Number::Byte | Number::Short | Number::Char | Number::Int | Number::Float => 32,
        Number::Long | Number::Double | Number::Big => 64,
    }
}

fn is_floating(sort: &Sort) -> bool {
    matches!(sort, Sort::Number(Number::Float | Number::Double))
}
