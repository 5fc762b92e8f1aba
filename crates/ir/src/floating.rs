//! Floating-point operations, and their meaning on constants.
//!
//! Java's arithmetic is IEEE 754 with rounding to nearest, as Rust's is; conversions to integers
//! saturate and take NaN to zero in both. Which NaN an operation gives is unspecified; here it is
//! always the canonical one.

use crate::types::Kind;

/// An operation on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatUnary {
    NegFloat,
    NegDouble,
    IntToFloat,
    IntToDouble,
    LongToFloat,
    LongToDouble,
    FloatToInt,
    FloatToLong,
    FloatToDouble,
    DoubleToInt,
    DoubleToLong,
    DoubleToFloat,
}

/// An operation on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatBinary {
    AddFloat,
    AddDouble,
    SubFloat,
    SubDouble,
    MulFloat,
    MulDouble,
    DivFloat,
    DivDouble,
    RemFloat,
    RemDouble,
    /// -1, 0 or 1; the letter says what NaN gives: less (-1) or greater (1).
    CompareFloatLess,
    CompareFloatGreater,
    CompareDoubleLess,
    CompareDoubleGreater,
}

impl FloatUnary {
    /// The instruction's mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            FloatUnary::NegFloat => "fneg",
            FloatUnary::NegDouble => "dneg",
            FloatUnary::IntToFloat => "i2f",
            FloatUnary::IntToDouble => "i2d",
            FloatUnary::LongToFloat => "l2f",
            FloatUnary::LongToDouble => "l2d",
            FloatUnary::FloatToInt => "f2i",
            FloatUnary::FloatToLong => "f2l",
            FloatUnary::FloatToDouble => "f2d",
            FloatUnary::DoubleToInt => "d2i",
            FloatUnary::DoubleToLong => "d2l",
            FloatUnary::DoubleToFloat => "d2f",
        }
    }

    /// The kinds of the operand and of the result.
    pub fn kinds(self) -> (Kind, Kind) {
        match self {
            FloatUnary::NegFloat => (Kind::Float, Kind::Float),
            FloatUnary::NegDouble => (Kind::Double, Kind::Double),
            FloatUnary::IntToFloat => (Kind::Int, Kind::Float),
            FloatUnary::IntToDouble => (Kind::Int, Kind::Double),
            FloatUnary::LongToFloat => (Kind::Long, Kind::Float),
            FloatUnary::LongToDouble => (Kind::Long, Kind::Double),
            FloatUnary::FloatToInt => (Kind::Float, Kind::Int),
            FloatUnary::FloatToLong => (Kind::Float, Kind::Long),
            FloatUnary::FloatToDouble => (Kind::Float, Kind::Double),
            FloatUnary::DoubleToInt => (Kind::Double, Kind::Int),
            FloatUnary::DoubleToLong => (Kind::Double, Kind::Long),
            FloatUnary::DoubleToFloat => (Kind::Double, Kind::Float),
        }
    }

    /// The bits of the result for the bits of a constant.
    pub fn apply(self, bits: u64) -> u64 {
        let (float, double) = (f32::from_bits(bits as u32), f64::from_bits(bits));
        match self {
            FloatUnary::NegFloat => u64::from(bits as u32 ^ 1 << 31),
            FloatUnary::NegDouble => bits ^ 1 << 63,
            FloatUnary::IntToFloat => from_float(bits as i32 as f32),
            FloatUnary::IntToDouble => from_double(f64::from(bits as i32)),
            FloatUnary::LongToFloat => from_float(bits as i64 as f32),
            FloatUnary::LongToDouble => from_double(bits as i64 as f64),
            FloatUnary::FloatToInt => u64::from(float as i32 as u32),
            FloatUnary::FloatToLong => float as i64 as u64,
            FloatUnary::FloatToDouble => from_double(f64::from(float)),
            FloatUnary::DoubleToInt => u64::from(double as i32 as u32),
            FloatUnary::DoubleToLong => double as i64 as u64,
            FloatUnary::DoubleToFloat => from_float(double as f32),
        }
    }
}

impl FloatBinary {
    /// The instruction's mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            FloatBinary::AddFloat => "fadd",
            FloatBinary::AddDouble => "dadd",
            FloatBinary::SubFloat => "fsub",
            FloatBinary::SubDouble => "dsub",
            FloatBinary::MulFloat => "fmul",
            FloatBinary::MulDouble => "dmul",
            FloatBinary::DivFloat => "fdiv",
            FloatBinary::DivDouble => "ddiv",
            FloatBinary::RemFloat => "frem",
            FloatBinary::RemDouble => "drem",
            FloatBinary::CompareFloatLess => "fcmpl",
            FloatBinary::CompareFloatGreater => "fcmpg",
            FloatBinary::CompareDoubleLess => "dcmpl",
            FloatBinary::CompareDoubleGreater => "dcmpg",
        }
    }

    /// The kind of both operands, and that of the result.
    pub fn kinds(self) -> (Kind, Kind) {
        match self {
            FloatBinary::AddFloat
            | FloatBinary::SubFloat
            | FloatBinary::MulFloat
            | FloatBinary::DivFloat
            | FloatBinary::RemFloat => (Kind::Float, Kind::Float),
            FloatBinary::AddDouble
            | FloatBinary::SubDouble
            | FloatBinary::MulDouble
            | FloatBinary::DivDouble
            | FloatBinary::RemDouble => (Kind::Double, Kind::Double),
            FloatBinary::CompareFloatLess | FloatBinary::CompareFloatGreater => {
                (Kind::Float, Kind::Int)
            }
            FloatBinary::CompareDoubleLess | FloatBinary::CompareDoubleGreater => {
                (Kind::Double, Kind::Int)
            }
        }
    }

    /// What NaN gives if this is a comparison: -1 or 1.
    pub fn comparison(self) -> Option<i32> {
        match self {
            FloatBinary::CompareFloatLess | FloatBinary::CompareDoubleLess => Some(-1),
            FloatBinary::CompareFloatGreater | FloatBinary::CompareDoubleGreater => Some(1),
            _ => None,
        }
    }

    /// The bits of the result of an arithmetic operation on constants.
    pub fn apply(self, left: u64, right: u64) -> Option<u64> {
        let floats = (f32::from_bits(left as u32), f32::from_bits(right as u32));
        let doubles = (f64::from_bits(left), f64::from_bits(right));
        Some(match self {
            FloatBinary::AddFloat => from_float(floats.0 + floats.1),
            FloatBinary::SubFloat => from_float(floats.0 - floats.1),
            FloatBinary::MulFloat => from_float(floats.0 * floats.1),
            FloatBinary::DivFloat => from_float(floats.0 / floats.1),
            FloatBinary::RemFloat => from_float(floats.0 % floats.1),
            FloatBinary::AddDouble => from_double(doubles.0 + doubles.1),
            FloatBinary::SubDouble => from_double(doubles.0 - doubles.1),
            FloatBinary::MulDouble => from_double(doubles.0 * doubles.1),
            FloatBinary::DivDouble => from_double(doubles.0 / doubles.1),
            FloatBinary::RemDouble => from_double(doubles.0 % doubles.1),
            FloatBinary::CompareFloatLess
            | FloatBinary::CompareFloatGreater
            | FloatBinary::CompareDoubleLess
            | FloatBinary::CompareDoubleGreater => return None,
        })
    }
}

fn from_float(value: f32) -> u64 {
    u64::from(if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() })
}

fn from_double(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}
