//! Arithmetic that means to wrap: hash codes, checksums and random numbers, recognised by what they
//! are made of. Whoever asks about overflow wants to hear of none of these.

use std::collections::{BTreeMap, BTreeSet};

use ir::{BinaryOp, Block, Body, Constant, Method, Op, Reg};

/// What sums of products are multiplied by where they are hash codes.
const OF_HASHES: [i64; 7] = [31, 33, 37, 131, 65_599, 1_000_003, 16_777_619];
/// An odd multiplier beyond this is one of a random or a mixed number.
const OF_MIXERS: i64 = 0xffff;

/// What is found in a body.
#[derive(Default)]
struct Signs {
    /// Products with a number of hashes that are added up.
    sums: usize,
    mixers: usize,
    xors: usize,
    shifts: usize,
}

/// Why the arithmetic of a method is taken to wrap on purpose, if it is.
pub(crate) fn on_purpose(method: &Method, body: &Body) -> Option<&'static str> {
    if method.name.to_lowercase().contains("hash") {
        return Some("it is named as a hash code is");
    }
    let mut signs = Signs::default();
    body.blocks.iter().for_each(|block| signs.look_at(block));
    let backward = |(at, block): (usize, &Block)| block.successors().any(|to| to.index() <= at);
    let has_loop = body.blocks.iter().enumerate().any(backward);
    if signs.sums > 1 || (signs.sums == 1 && has_loop) {
        return Some("it adds up multiples of 31 or the like, as a hash code does");
    }
    if signs.mixers > 0 {
        return Some("it multiplies by a large odd number, as random numbers are made");
    }
    (signs.xors > 0 && signs.shifts > 0).then_some("it mixes bits by shifts and xor")
}

impl Signs {
    fn look_at(&mut self, block: &Block) {
        let mut constants: BTreeMap<Reg, i64> = BTreeMap::new();
        let mut products: BTreeSet<Reg> = BTreeSet::new();
        for instr in &block.instrs {
            let (mut constant, mut is_product) = (None, false);
            match &instr.op {
                Op::Const { value: Constant::Int(value), .. } => constant = Some(i64::from(*value)),
                Op::Const { value: Constant::Long(value), .. } => constant = Some(*value),
                Op::Move { src, .. } => {
                    constant = constants.get(src).copied();
                    is_product = products.contains(src);
                }
                Op::Binary { op, left, right, .. } => {
                    let by = constants.get(left).or(constants.get(right)).copied();
                    is_product = self.operation(*op, by);
                    let adds = matches!(op, BinaryOp::AddInt | BinaryOp::AddLong);
                    let summed = products.contains(left) || products.contains(right);
                    self.sums += usize::from(adds && summed);
                }
                Op::Const { .. }
                | Op::Unary { .. }
                | Op::GetField { .. }
                | Op::PutField { .. }
                | Op::GetStatic { .. }
                | Op::PutStatic { .. }
                | Op::ArrayLength { .. }
                | Op::ArrayLoad { .. }
                | Op::ArrayStore { .. }
                | Op::New { .. }
                | Op::NewArray { .. }
                | Op::NewMultiArray { .. }
                | Op::InstanceOf { .. }
                | Op::CheckCast { .. }
                | Op::Invoke { .. }
                | Op::Concat { .. }
                | Op::NullCheck { .. }
                | Op::Mark { .. }
                | Op::Unsupported { .. } => {}
            }
            if let Some(dst) = instr.dst() {
                constants.remove(&dst);
                products.remove(&dst);
                constants.extend(constant.map(|value| (dst, value)));
                products.extend(is_product.then_some(dst));
            }
        }
    }

    /// Notes an operation; whether it is a product with a number of hashes.
    fn operation(&mut self, op: BinaryOp, by: Option<i64>) -> bool {
        use BinaryOp::{MulInt, MulLong, ShlInt, ShlLong, UshrInt, UshrLong, XorInt, XorLong};
        self.xors += usize::from(matches!(op, XorInt | XorLong));
        self.shifts += usize::from(matches!(op, ShlInt | ShlLong | UshrInt | UshrLong));
        let by = by.filter(|_| matches!(op, MulInt | MulLong));
        let is_of_hash = by.is_some_and(|by| OF_HASHES.contains(&by));
        let is_odd_and_large = |by: i64| by % 2 != 0 && by.unsigned_abs() > OF_MIXERS as u64;
        self.mixers += usize::from(!is_of_hash && by.is_some_and(is_odd_and_large));
        is_of_hash
    }
}
