//! Arithmetic that wraps, for whoever asks about it: sums, differences, products, negations and
//! absolute values of `int` and `long` in given code whose result is not the number that they stand
//! for. The JVM goes on as if nothing had happened, and so do the executions here.
//!
//! Conversions to narrower types, shifts and division are not looked at: the first two are there to
//! cut off, and the last wraps for one pair of numbers only.

use ir::{BinaryOp, MethodRefId, UnaryOp};
use logic::{Bits, Lit};

use crate::code::wraps;
use crate::engine::Engine;
use crate::state::State;
use crate::state::goal::{Goal, Property};
use crate::state::value::Value;

impl Engine<'_> {
    /// Asks whether a negation wraps.
    pub(super) fn check_negation(&mut self, state: &State, op: UnaryOp, src: &Bits) {
        if matches!(op, UnaryOp::NegInt | UnaryOp::NegLong) && self.asks_about_overflow() {
            let wraps = self.is_least(src);
            self.overflows(state, wraps);
        }
    }

    /// Asks whether a sum, a difference or a product wraps.
    pub(super) fn check_arithmetic(
        &mut self,
        state: &State,
        op: BinaryOp,
        (left, right): (&Bits, &Bits),
        result: &Bits,
    ) {
        let wraps = match op {
            _ if !self.asks_about_overflow() => return,
            BinaryOp::AddInt | BinaryOp::AddLong => {
                let left = self.circuit.xor(left.sign(), result.sign());
                let right = self.circuit.xor(right.sign(), result.sign());
                self.circuit.and(left, right)
            }
            BinaryOp::SubInt | BinaryOp::SubLong => {
                let apart = self.circuit.xor(left.sign(), right.sign());
                let turned = self.circuit.xor(left.sign(), result.sign());
                self.circuit.and(apart, turned)
            }
            BinaryOp::MulInt | BinaryOp::MulLong => self.product_wraps(left, right, result),
            BinaryOp::Floating(_)
            | BinaryOp::DivInt
            | BinaryOp::DivLong
            | BinaryOp::RemInt
            | BinaryOp::RemLong
            | BinaryOp::AndInt
            | BinaryOp::AndLong
            | BinaryOp::OrInt
            | BinaryOp::OrLong
            | BinaryOp::XorInt
            | BinaryOp::XorLong
            | BinaryOp::ShlInt
            | BinaryOp::ShlLong
            | BinaryOp::ShrInt
            | BinaryOp::ShrLong
            | BinaryOp::UshrInt
            | BinaryOp::UshrLong
            | BinaryOp::CompareLong => return,
        };
        self.overflows(state, wraps);
    }

    /// Asks whether `Math.abs` gets the number whose absolute value there is not.
    pub(super) fn check_absolute(&mut self, state: &State, method: MethodRefId, args: &[Value]) {
        if !self.asks_about_overflow() {
            return;
        }
        let Ok(called) = self.program.resolve_method(method) else {
            return;
        };
        let called = self.program.method(called);
        let class = self.program.class_name(called.class);
        let is_whole = matches!(&*called.descriptor, "(I)I" | "(J)J");
        if let ("abs", "java.lang.Math" | "java.lang.StrictMath", true, [Value::Bits(number)]) =
            (&*called.name, class, is_whole, args)
        {
            let wraps = self.is_least(number);
            self.overflows(state, wraps);
        }
    }

    fn asks_about_overflow(&self) -> bool {
        self.run.limits.overflow && self.is_executing() && self.in_given_code()
    }

    /// Whether it is the least number of its width.
    fn is_least(&mut self, number: &Bits) -> Lit {
        let least = Bits::constant(number.width(), 1 << (number.width() - 1));
        self.circuit.bits_eq(number, &least)
    }

    fn product_wraps(&mut self, left: &Bits, right: &Bits, result: &Bits) -> Lit {
        let width = result.width();
        if significant(left) + significant(right) <= width {
            return Lit::FALSE;
        }
        if width == 32 {
            let wide = |engine: &mut Self, bits: &Bits| engine.circuit.sign_extend(bits, 64);
            let (left, right) = (wide(self, left), wide(self, right));
            let exact = self.circuit.mul(&left, &right);
            let kept = wide(self, result);
            return !self.circuit.bits_eq(&exact, &kept);
        }
        // Twice the width there is not: what does not divide back has wrapped.
        let zero = Bits::constant(width, 0);
        let is_zero = self.circuit.bits_eq(left, &zero);
        let back = self.circuit.div_signed(result, left);
        let same = self.circuit.bits_eq(&back, right);
        let minus = Bits::constant(width, u64::MAX);
        let turns = self.circuit.bits_eq(left, &minus);
        let least = self.is_least(right);
        let turned = self.circuit.and(turns, least);
        let wraps = self.circuit.or(!same, turned);
        self.circuit.and(!is_zero, wraps)
    }

    fn overflows(&mut self, state: &State, wraps: Lit) {
        let wraps = state.facts.fold(wraps);
        let reached = self.circuit.and(state.guard, wraps);
        if reached == Lit::FALSE || self.wraps_on_purpose() {
            return;
        }
        if let Some(at) = self.user_point() {
            let goal =
                Goal::Violation { property: Property::Overflow, at, exception: String::new() };
            self.run.goals.add(&mut self.circuit, goal, reached);
        }
    }

    /// Whether the method that is executed means to wrap. That is said once.
    fn wraps_on_purpose(&mut self) -> bool {
        let Some(method) = self.run.stack.last().map(|activation| activation.method) else {
            return false;
        };
        let program = self.program;
        let ir::Code::Body(body) = program.code(method) else {
            return false;
        };
        let why = self.analyses.wraps.entry(method).or_insert_with(|| {
            let method = program.method(method);
            wraps::on_purpose(method, body)
        });
        let Some(why) = *why else {
            return false;
        };
        let name = program.method_name(method);
        let said = format!("{name} may wrap on purpose and is not checked for overflow: {why}");
        if !self.run.clauses.warnings().contains(&said) {
            self.run.clauses.warn(said);
        }
        true
    }
}

/// How many bits a number needs at most, its sign included.
fn significant(bits: &Bits) -> u32 {
    let sign = bits.sign();
    let repeated = bits.iter().rev().take_while(|lit| *lit == sign).count() as u32;
    bits.width() - repeated + 1
}
