//! Many partial assignments evaluated at once, each node true, false or unknown in each of them.
//!
//! A lane is one partial assignment of the inputs. Each node has two words of one bit for each
//! lane: where it is surely true, and where it is surely false. What comes out as false in a lane
//! is false for every completion of it, so inputs that do not matter need no values.

use crate::circuit::{Circuit, Node};
use crate::lit::Lit;
use rustc_hash::FxHashMap;

/// Words that are evaluated together: enough to pay for fetching a gate.
const WORDS: usize = 4;

/// How many partial assignments are evaluated at once.
pub const LANES: usize = 64 * WORDS;

/// One bit for each lane.
type Word<const N: usize> = [u64; N];

/// A partial assignment: inputs that have values, as the literals that are true.
pub type Lane = Vec<Lit>;

/// A gate; operands are codes of literals of the cone.
#[derive(Clone, Copy)]
enum Gate {
    And([u32; 2]),
    Xor([u32; 2]),
    Ite([u32; 3]),
}

/// What some literals of a circuit depend on, ready to be evaluated.
#[derive(Clone)]
pub struct Lanes {
    /// The inputs, by their nodes of the circuit; they come after the constant, the gates after them.
    inputs: Vec<u32>,
    gates: Vec<Gate>,
    roots: Vec<u32>,
    /// By code of a literal: where it is surely true.
    sure: Vec<Word<WORDS>>,
}

impl Lanes {
    /// The cone of the roots.
    pub fn new(circuit: &Circuit, roots: &[Lit]) -> Lanes {
        let cone = circuit.cone(roots);
        let is_input = |node: &u32| matches!(circuit.node(*node), Node::Input);
        let inputs: Vec<u32> = cone.iter().copied().filter(is_input).collect();
        let mut codes = vec![0; circuit.len()];
        for (position, node) in inputs.iter().enumerate() {
            codes[*node as usize] = 2 * (position as u32 + 1);
        }
        let mut gates = Vec::with_capacity(cone.len() - inputs.len());
        for node in cone {
            let code = |lit: Lit| codes[lit.node() as usize] | u32::from(lit.is_negated());
            gates.push(match circuit.node(node) {
                Node::True | Node::Input => continue,
                Node::And(a, b) => Gate::And([code(a), code(b)]),
                Node::Xor(a, b) => Gate::Xor([code(a), code(b)]),
                Node::Ite(c, t, e) => Gate::Ite([code(c), code(t), code(e)]),
            });
            codes[node as usize] = 2 * (inputs.len() + gates.len()) as u32;
        }
        let code = |lit: &Lit| codes[lit.node() as usize] | u32::from(lit.is_negated());
        let roots = roots.iter().map(code).collect();
        let mut sure = vec![[0; WORDS]; 2 * (1 + inputs.len() + gates.len())];
        sure[0] = [u64::MAX; WORDS];
        Lanes { inputs, gates, roots, sure }
    }

    /// The inputs that matter, as nodes of the circuit.
    pub fn inputs(&self) -> &[u32] {
        &self.inputs
    }

    /// How many gates there are.
    pub fn gates(&self) -> usize {
        self.gates.len()
    }

    /// How many roots there are.
    pub fn roots(&self) -> usize {
        self.roots.len()
    }

    /// Gives the inputs their values in one lane, in the order of [`Lanes::inputs`].
    pub fn set(&mut self, lane: usize, values: impl Iterator<Item = Option<bool>>) {
        let (word, bit) = (lane / 64, 1u64 << (lane % 64));
        for (pair, value) in self.sure[2..].chunks_exact_mut(2).zip(values) {
            pair[0][word] &= !bit;
            pair[1][word] &= !bit;
            match value {
                Some(true) => pair[0][word] |= bit,
                Some(false) => pair[1][word] |= bit,
                None => {}
            }
        }
    }

    /// Evaluates all lanes.
    pub fn evaluate(&mut self) {
        let mut next = 2 * (1 + self.inputs.len());
        for gate in &self.gates {
            let sure = |code: u32| &self.sure[code as usize];
            let [yes, no] = match *gate {
                Gate::And(operands) => conjunction(operands, sure),
                Gate::Xor(operands) => difference(operands, sure),
                Gate::Ite(operands) => choice(operands, sure),
            };
            self.sure[next] = yes;
            self.sure[next + 1] = no;
            next += 2;
        }
    }

    /// The lanes, by number, in which a root, by its position, is surely true, and surely false.
    pub fn root(&self, position: usize) -> [Word<WORDS>; 2] {
        let code = self.roots[position] as usize;
        [self.sure[code], self.sure[code ^ 1]]
    }

    /// What one lane assigns.
    pub fn lane(&self, lane: usize) -> Lane {
        let is = |word: &Word<WORDS>| word[lane / 64] >> (lane % 64) & 1 == 1;
        let pairs = self.sure[2..].chunks_exact(2).zip(&self.inputs);
        let known = |(pair, node): (&[Word<WORDS>], &u32)| {
            (is(&pair[0]) || is(&pair[1])).then(|| Lit::new(*node, is(&pair[1])))
        };
        pairs.filter_map(known).collect()
    }
}

/// Partial assignments of a growing circuit, evaluated as far as somebody asks.
#[derive(Clone, Default)]
pub struct Sample {
    lanes: usize,
    inputs: FxHashMap<u32, [Word<SAMPLE>; 2]>,
    sure: Vec<Word<SAMPLE>>,
}

/// Words of a sample.
const SAMPLE: usize = 32;

impl Sample {
    /// How many lanes a sample has at most.
    pub const MOST: usize = 64 * SAMPLE;

    /// A sample of these partial assignments; of more than it holds the last ones.
    pub fn new(lanes: &[Lane]) -> Sample {
        let lanes = &lanes[lanes.len().saturating_sub(Sample::MOST)..];
        let mut sample = Sample { lanes: lanes.len(), ..Sample::default() };
        for (number, lane) in lanes.iter().enumerate() {
            for lit in lane {
                let words = sample.inputs.entry(lit.node()).or_insert([[0; SAMPLE]; 2]);
                words[usize::from(lit.is_negated())][number / 64] |= 1 << (number % 64);
            }
        }
        sample
    }

    /// Whether a literal is true in some lane; none if in no lane surely and in some perhaps.
    pub fn may_be_true(&mut self, circuit: &Circuit, lit: Lit) -> Option<bool> {
        self.extend(circuit);
        let words = |lit: Lit| self.sure[lit.code() as usize];
        let (yes, no) = (words(lit), words(!lit));
        match yes.iter().any(|word| *word != 0) {
            true => Some(true),
            false => {
                let refuted: u32 = no.iter().map(|word| word.count_ones()).sum();
                (refuted as usize == self.lanes).then_some(false)
            }
        }
    }

    fn extend(&mut self, circuit: &Circuit) {
        let all = std::array::from_fn(|word| match self.lanes.saturating_sub(64 * word) {
            0 => 0,
            rest => u64::MAX >> (64 - rest.min(64)),
        });
        for index in self.sure.len() / 2..circuit.len() {
            let sure = |code: u32| &self.sure[code as usize];
            let [yes, no] = match circuit.node(index as u32) {
                Node::True => [all, [0; SAMPLE]],
                Node::Input => {
                    let known = self.inputs.get(&(index as u32));
                    known.copied().unwrap_or([[0; SAMPLE]; 2])
                }
                Node::And(a, b) => conjunction([a.code(), b.code()], sure),
                Node::Xor(a, b) => difference([a.code(), b.code()], sure),
                Node::Ite(c, t, e) => choice([c.code(), t.code(), e.code()], sure),
            };
            self.sure.extend([yes, no]);
        }
    }
}

fn conjunction<'a, const N: usize>(
    [a, b]: [u32; 2],
    sure: impl Fn(u32) -> &'a Word<N>,
) -> [Word<N>; 2] {
    [and(sure(a), sure(b)), or(sure(a ^ 1), sure(b ^ 1))]
}

fn difference<'a, const N: usize>(
    [a, b]: [u32; 2],
    sure: impl Fn(u32) -> &'a Word<N>,
) -> [Word<N>; 2] {
    let unlike = |b: u32| or(&and(sure(a), sure(b ^ 1)), &and(sure(a ^ 1), sure(b)));
    [unlike(b), unlike(b ^ 1)]
}

fn choice<'a, const N: usize>(
    [c, t, e]: [u32; 3],
    sure: impl Fn(u32) -> &'a Word<N>,
) -> [Word<N>; 2] {
    let chosen =
        |t: &Word<N>, e: &Word<N>| or(&or(&and(sure(c), t), &and(sure(c ^ 1), e)), &and(t, e));
    [chosen(sure(t), sure(e)), chosen(sure(t ^ 1), sure(e ^ 1))]
}

#[inline]
fn and<const N: usize>(a: &Word<N>, b: &Word<N>) -> Word<N> {
    std::array::from_fn(|i| a[i] & b[i])
}

#[inline]
fn or<const N: usize>(a: &Word<N>, b: &Word<N>) -> Word<N> {
    std::array::from_fn(|i| a[i] | b[i])
}
