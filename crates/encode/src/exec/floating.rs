//! Floating-point numbers, exactly: on constants as the host computes, on unknown values bit by bit
//! (`logic::float`). Negation and comparison need no rounding and never take a number apart.

use ir::Method;
use ir::floating::{FloatBinary, FloatUnary};
use ir::types::Kind;
use logic::{Bits, Circuit, Format, Lit};

use crate::engine::Engine;
use crate::state::State;
use crate::state::value::Value;

impl Engine<'_> {
    pub(crate) fn float_unary(&mut self, op: FloatUnary, src: &Bits) -> Bits {
        let (from, to) = op.kinds();
        let width = to.width().unwrap_or(32);
        if let Some(bits) = src.as_constant() {
            return Bits::constant(width, op.apply(bits));
        }
        if matches!(op, FloatUnary::NegFloat | FloatUnary::NegDouble) {
            return self.circuit.float_neg(src);
        }
        let circuit = &mut self.circuit;
        match (format(from), format(to)) {
            (Some(from), Some(to)) => circuit.float_convert(from, to, src),
            (Some(from), None) => circuit.float_to_signed(from, src, width),
            (None, Some(to)) => circuit.float_from_signed(to, src),
            (None, None) => unreachable!("no operation between integers is one of floating point"),
        }
    }

    /// Which NaN a calculation gives is the machine's choice: given code that looks at its bits is not followed.
    /// Library code does, but only to give a NaN again.
    pub(crate) fn nan_has_no_bits(&mut self, state: &mut State, method: &Method, args: &[Value]) {
        // The last activation is that of the built-in method itself.
        let is_given = self.run.stack.iter().nth_back(1).is_some_and(|caller| caller.given);
        let format = method.params.first().and_then(|ty| format(ty.kind()));
        if let (Some(format), Some(Value::Bits(bits)), true) = (format, args.first(), is_given) {
            let calculated = self.circuit.bits_eq(bits, &format.nan());
            self.unsupported_if(state, calculated, || "the bits of a NaN".into());
        }
    }

    pub(crate) fn float_binary(&mut self, op: FloatBinary, left: &Bits, right: &Bits) -> Bits {
        if let Some(for_nan) = op.comparison() {
            return compare(&mut self.circuit, for_nan, left, right);
        }
        if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant())
            && let Some(bits) = op.apply(a, b)
        {
            return Bits::constant(left.width(), bits);
        }
        let format = format(op.kinds().0).unwrap_or(Format::DOUBLE);
        let circuit = &mut self.circuit;
        match op {
            FloatBinary::AddFloat | FloatBinary::AddDouble => {
                circuit.float_add(format, left, right)
            }
            FloatBinary::SubFloat | FloatBinary::SubDouble => {
                circuit.float_sub(format, left, right)
            }
            FloatBinary::MulFloat | FloatBinary::MulDouble => {
                circuit.float_mul(format, left, right)
            }
            FloatBinary::DivFloat | FloatBinary::DivDouble => {
                circuit.float_div(format, left, right)
            }
            FloatBinary::RemFloat | FloatBinary::RemDouble => {
                circuit.float_rem(format, left, right)
            }
            FloatBinary::CompareFloatLess
            | FloatBinary::CompareFloatGreater
            | FloatBinary::CompareDoubleLess
            | FloatBinary::CompareDoubleGreater => unreachable!("comparisons are above"),
        }
    }
}

fn format(kind: Kind) -> Option<Format> {
    match kind {
        Kind::Float => Some(Format::FLOAT),
        Kind::Double => Some(Format::DOUBLE),
        _ => None,
    }
}

/// `fcmpl` and its siblings: -1, 0 or 1, and `for_nan` if either is not a number. The order of
/// magnitudes is the order of the bits below the sign.
fn compare(circuit: &mut Circuit, for_nan: i32, a: &Bits, b: &Bits) -> Bits {
    let (nan_a, nan_b) = (is_nan(circuit, a), is_nan(circuit, b));
    let nan = circuit.or(nan_a, nan_b);
    let width = a.width();
    let (x, y) = (circuit.truncate(a, width - 1), circuit.truncate(b, width - 1));
    let nothing = Bits::constant(width - 1, 0);
    let (zero_a, zero_b) = (circuit.bits_eq(&x, &nothing), circuit.bits_eq(&y, &nothing));
    let zeros = circuit.and(zero_a, zero_b);
    let same = circuit.bits_eq(a, b);
    let equal = circuit.or(zeros, same);
    let (up, down) = (circuit.lt_unsigned(&x, &y), circuit.lt_unsigned(&y, &x));
    let (sign_a, sign_b) = (a.bit(width - 1), b.bit(width - 1));
    // Below zero the larger magnitude is the smaller number.
    let by_magnitude = circuit.ite(sign_a, down, up);
    let signs_differ = circuit.xor(sign_a, sign_b);
    let less = circuit.ite(signs_differ, sign_a, by_magnitude);
    let number = |value: i32| Bits::constant(32, value as u32 as u64);
    let ordered = circuit.bits_ite(less, &number(-1), &number(1));
    let settled = circuit.bits_ite(equal, &number(0), &ordered);
    circuit.bits_ite(nan, &number(for_nan), &settled)
}

/// All bits of the exponent set, and some of the fraction.
fn is_nan(circuit: &mut Circuit, value: &Bits) -> Lit {
    let (fraction, exponent) = if value.width() == 32 { (23, 8) } else { (52, 11) };
    let high = circuit.and_all((fraction..fraction + exponent).map(|i| value.bit(i)));
    let low = circuit.or_all((0..fraction).map(|i| value.bit(i)));
    circuit.and(high, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_agree_with_ieee_754() {
        let interesting = [
            0.0f64,
            -0.0,
            1.0,
            -1.0,
            1.5,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1e-310,
            -1e-310,
        ];
        let mut circuit = Circuit::new();
        let mut word =
            |width| Bits::from_lits((0..width).map(|_| circuit.input()).collect::<Vec<_>>());
        let (a, b) = (word(64), word(64));
        let result = compare(&mut circuit, -1, &a, &b);
        for x in interesting {
            for y in interesting {
                let value = circuit.evaluate(|node| {
                    let find = |w: &Bits| (0..64).find(|i| w.bit(*i).node() == node);
                    match find(&a) {
                        Some(i) => x.to_bits() >> i & 1 == 1,
                        None => find(&b).is_some_and(|i| y.to_bits() >> i & 1 == 1),
                    }
                });
                let expected = x.partial_cmp(&y).map_or(-1, |o| o as i32);
                assert_eq!(value.word(&result) as i32, expected, "{x} and {y}");
            }
        }
    }
}
