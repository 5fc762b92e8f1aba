//! What several tests need: trees without places, and numbers that look random and are not.
#![allow(dead_code, reason = "each test uses its part")]

use spec::FileSpecs;

/// The debug form of a tree without its places, so that trees from different texts compare.
pub fn shape(tree: &impl std::fmt::Debug) -> String {
    let mut shape = String::new();
    let text = format!("{tree:?}");
    let mut rest = text.as_str();
    while let Some(start) = rest.find("span: <") {
        shape.push_str(&rest[..start]);
        rest = &rest[start..];
        rest = rest.find('>').map_or("", |end| &rest[end + 1..]);
    }
    shape + rest
}

/// The messages of a file.
pub fn messages(file: &FileSpecs) -> Vec<String> {
    file.diagnostics.iter().map(ToString::to_string).collect()
}

/// A generator of numbers (xorshift), the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn pick<'p, T>(&mut self, from: &'p [T]) -> &'p T {
        &from[self.below(from.len())]
    }
}
