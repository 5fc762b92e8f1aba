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

/// A gate, and where its values go.
#[derive(Clone, Copy)]
struct Gate {
    operation: Operation,
    place: u32,
}

/// Operands are codes of literals: twice a place, and one more if negated.
#[derive(Clone, Copy)]
enum Operation {
    And([u32; 2]),
    Xor([u32; 2]),
    Ite([u32; 3]),
}

/// Where values are kept. A place is given back once its values are not needed any more, so that what is in use
/// fits into a cache.
struct Places {
    /// By node.
    of: Vec<u32>,
    /// By node, how many gates are still to come that need it; roots and inputs are always needed.
    uses: Vec<u32>,
    free: Vec<u32>,
    all: u32,
}

impl Places {
    /// The constant has the first place.
    fn new(circuit: &Circuit, cone: &[u32], roots: &[Lit]) -> Places {
        let mut uses = vec![0; circuit.len()];
        for node in cone {
            circuit.node(*node).operands().for_each(|lit| uses[lit.node() as usize] += 1);
            if matches!(circuit.node(*node), Node::Input) {
                uses[*node as usize] += 1;
            }
        }
        roots.iter().for_each(|lit| uses[lit.node() as usize] += 1);
        uses[Lit::TRUE.node() as usize] += 1;
        Places { of: vec![0; circuit.len()], uses, free: Vec::new(), all: 1 }
    }

    fn take(&mut self, node: u32) {
        let next = self.all;
        let place = self.free.pop().unwrap_or(next);
        self.all += u32::from(place == next);
        self.of[node as usize] = place;
    }

    /// Gives back what a gate was the last to need.
    fn give_back(&mut self, circuit: &Circuit, gate: u32) {
        for lit in circuit.node(gate).operands() {
            let uses = &mut self.uses[lit.node() as usize];
            *uses -= 1;
            if *uses == 0 {
                self.free.push(self.of[lit.node() as usize]);
            }
        }
    }

    fn code(&self, lit: Lit) -> u32 {
        (2 * self.of[lit.node() as usize]) | u32::from(lit.is_negated())
    }
}

/// What some literals of a circuit depend on, ready to be evaluated.
#[derive(Clone)]
pub struct Lanes {
    /// The inputs, by their nodes of the circuit; their places come after that of the constant.
    inputs: Vec<u32>,
    gates: Vec<Gate>,
    roots: Vec<u32>,
    /// By code of a literal: where it is surely true, while that is needed.
    sure: Vec<Word<WORDS>>,
}

impl Lanes {
    /// The cone of the roots.
    pub fn new(circuit: &Circuit, roots: &[Lit]) -> Lanes {
        let cone = circuit.cone(roots);
        let is_input = |node: &u32| matches!(circuit.node(*node), Node::Input);
        let inputs: Vec<u32> = cone.iter().copied().filter(is_input).collect();
        let mut places = Places::new(circuit, &cone, roots);
        inputs.iter().for_each(|node| places.take(*node));
        let mut gates = Vec::with_capacity(cone.len() - inputs.len());
        for node in cone {
            let code = |lit: &Lit| places.code(*lit);
            let operation = match circuit.node(node) {
                Node::True | Node::Input => continue,
                Node::And(a, b) => Operation::And([a, b].each_ref().map(code)),
                Node::Xor(a, b) => Operation::Xor([a, b].each_ref().map(code)),
                Node::Ite(c, t, e) => Operation::Ite([c, t, e].each_ref().map(code)),
            };
            places.give_back(circuit, node);
            places.take(node);
            gates.push(Gate { operation, place: places.of[node as usize] });
        }
        let roots = roots.iter().map(|lit| places.code(*lit)).collect();
        let mut sure = vec![[0; WORDS]; 2 * places.all as usize];
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
        for Gate { operation, place } in &self.gates {
            let sure = |code: u32| &self.sure[code as usize];
            let [yes, no] = match *operation {
                Operation::And(operands) => conjunction(operands, sure),
                Operation::Xor(operands) => difference(operands, sure),
                Operation::Ite(operands) => choice(operands, sure),
            };
            self.sure[2 * *place as usize] = yes;
            self.sure[2 * *place as usize + 1] = no;
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

/// Partial assignments of a growing circuit, evaluated as far as somebody asks: only the gates that a
/// question depends on have values, for the circuit may hold many more from earlier encodings.
#[derive(Clone, Default)]
pub struct Sample {
    lanes: usize,
    inputs: FxHashMap<u32, Pair<SAMPLE>>,
    /// By node, one more than where its values are; nothing if it has none.
    places: Vec<u32>,
    values: Vec<Pair<SAMPLE>>,
}

/// Where something is surely true, and where it is surely false.
type Pair<const N: usize> = [Word<N>; 2];

/// Words of a sample.
const SAMPLE: usize = 64;

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
        self.evaluate(circuit, lit.node());
        let (yes, no) = (self.sure(lit.code()), self.sure(lit.code() ^ 1));
        match yes.iter().any(|word| *word != 0) {
            true => Some(true),
            false => {
                let refuted: u32 = no.iter().map(|word| word.count_ones()).sum();
                (refuted as usize == self.lanes).then_some(false)
            }
        }
    }

    fn sure(&self, code: u32) -> &Word<SAMPLE> {
        let place = self.places[code as usize / 2] as usize - 1;
        &self.values[place][code as usize % 2]
    }

    /// Gives a node its values, after all nodes that it depends on.
    fn evaluate(&mut self, circuit: &Circuit, node: u32) {
        self.places.resize(circuit.len(), 0);
        let mut stack = vec![node];
        while let Some(node) = stack.last().copied() {
            if self.places[node as usize] != 0 {
                stack.pop();
                continue;
            }
            let depth = stack.len();
            let missing = |lit: &Lit| self.places[lit.node() as usize] == 0;
            let operands = circuit.node(node).operands();
            stack.extend(operands.filter(missing).map(|lit| lit.node()));
            if stack.len() == depth {
                stack.pop();
                self.values.push(self.value(circuit, node));
                self.places[node as usize] = self.values.len() as u32;
            }
        }
    }

    /// The values of a node, given those of its operands.
    fn value(&self, circuit: &Circuit, node: u32) -> Pair<SAMPLE> {
        let sure = |code: u32| self.sure(code);
        match circuit.node(node) {
            Node::True => {
                let all = std::array::from_fn(|word| match self.lanes.saturating_sub(64 * word) {
                    0 => 0,
                    rest => u64::MAX >> (64 - rest.min(64)),
                });
                [all, [0; SAMPLE]]
            }
            Node::Input => self.inputs.get(&node).copied().unwrap_or([[0; SAMPLE]; 2]),
            Node::And(a, b) => conjunction([a.code(), b.code()], sure),
            Node::Xor(a, b) => difference([a.code(), b.code()], sure),
            Node::Ite(c, t, e) => choice([c.code(), t.code(), e.code()], sure),
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
