//! A small random generator (SplitMix64): the same seed gives the same programs everywhere.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.draw() % bound as u64) as usize
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the choices, of which there is at least one.
    pub fn pick<'t, T>(&mut self, choices: &'t [T]) -> &'t T {
        &choices[self.below(choices.len())]
    }

    /// A number that programs tend to get wrong: small, at an end of a type, or a power of two;
    /// sometimes any.
    pub fn interesting(&mut self) -> i64 {
        let bit = self.below(64);
        match self.below(12) {
            0..=2 => self.below(5) as i64,
            3..=4 => -(self.below(4) as i64),
            5 => i64::from(i32::MIN) + self.below(2) as i64,
            6 => i64::from(i32::MAX) - self.below(2) as i64,
            7 => (1i64 << bit).wrapping_sub(self.below(2) as i64),
            8 => -(1i64 << (bit / 2)),
            9 => *self.pick(&[i64::MIN, i64::MAX, 127, 128, -128, -129, 255, 65_535, 32_768]),
            10 => self.below(200) as i64 - 100,
            _ => self.draw() as i64,
        }
    }
}
