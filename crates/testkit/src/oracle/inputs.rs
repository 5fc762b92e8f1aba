//! Random inputs of an encoded method, as values of its leaves.

use encode::Engine;
use encode::atom::{Atom, Name};
use encode::inputs::LeafKey;
use encode::value::Value;
use logic::{Evaluation, Lit};

use crate::generate::random::Random;

/// Tries before the cautious one, which leaves out wide strings and shared objects.
const TRIES: usize = 6;

/// A random input that satisfies the constraints on inputs.
pub fn random_input(engine: &Engine<'_>, random: &mut Random) -> Option<Evaluation> {
    for attempt in 0..=TRIES {
        let model = draw(engine, random, attempt == TRIES);
        if is_possible(engine, &model) {
            return Some(model);
        }
    }
    None
}

/// Whether the constraints on inputs hold.
pub fn is_possible(engine: &Engine<'_>, model: &Evaluation) -> bool {
    engine.constraints().iter().all(|c| model.value(c.lit))
}

/// The literals that fix all leaves to what a model says.
pub fn fixing(engine: &Engine<'_>, model: &Evaluation) -> Vec<Lit> {
    let mut lits: Vec<Lit> = engine.inputs().leaves().flat_map(|(_, v)| literals(v)).collect();
    lits.retain(|l| !l.is_constant());
    lits.sort_unstable();
    lits.dedup();
    lits.into_iter().map(|l| if model.value(l) { l } else { !l }).collect()
}

fn literals(value: &Value) -> Vec<Lit> {
    match value {
        Value::Bits(bits) => bits.iter().collect(),
        Value::Ref(r) => r.entries().iter().map(|e| e.1).collect(),
    }
}

fn draw(engine: &Engine<'_>, random: &mut Random, cautious: bool) -> Evaluation {
    let mut chosen = vec![false; engine.circuit.len()];
    let mut set = |lit: Lit, value: bool| {
        if !lit.is_constant() {
            chosen[lit.node() as usize] = value ^ lit.is_negated();
        }
    };
    let nulls = *random.pick(&[2, 5, 20]);
    for (key, value) in engine.inputs().leaves() {
        match value {
            Value::Bits(bits) => {
                let number = number(engine, key, random, cautious);
                // The highest bits repeat the sign: its own value is set last, by the lowest.
                for (i, lit) in bits.iter().enumerate().collect::<Vec<_>>().into_iter().rev() {
                    set(lit, number >> i & 1 == 1);
                }
            }
            Value::Ref(r) => {
                let entries = r.entries();
                let mut at = random.below(entries.len());
                // Null ends most methods early.
                if entries[at].0 == Atom::NULL && entries.len() > 1 && !random.one_in(nulls) {
                    at = entries.len() - 1 - random.below(entries.len() - 1);
                }
                for (i, (_, lit)) in entries.iter().enumerate() {
                    set(*lit, i == at);
                }
            }
        }
    }
    engine.circuit.evaluate(|node| chosen[node as usize])
}

fn number(engine: &Engine<'_>, key: &LeafKey, random: &mut Random, cautious: bool) -> u64 {
    match key {
        LeafKey::Length(_) => random.below(engine.scope.array_length as usize + 1) as u64,
        LeafKey::TextLength(_) => random.below(engine.scope.string_length as usize + 1) as u64,
        LeafKey::TextWide(_) => u64::from(!cautious && random.one_in(4)),
        LeafKey::Live(_) | LeafKey::Initialised(_) => 1,
        LeafKey::Instance(_) => 0,
        LeafKey::Shared(_) => u64::from(!cautious && random.one_in(2)),
        LeafKey::Element(Name::InputChars(_), _) => {
            let any = random.draw() & 0xff;
            *random.pick(&[97, 97, 98, 0, 0xe9, 0x4e, any])
        }
        LeafKey::Receiver
        | LeafKey::Parameter(_)
        | LeafKey::Static(_)
        | LeafKey::Field(..)
        | LeafKey::Element(..)
        | LeafKey::Hash(_)
        | LeafKey::Clock(_)
        | LeafKey::Havoc(_)
        | LeafKey::Route(_) => random.interesting() as u64,
    }
}
