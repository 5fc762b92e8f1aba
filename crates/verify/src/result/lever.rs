//! What makes the input of a method large, and so which option makes its check smaller.

use std::fmt;

use encode::Engine;
use encode::atom::Name;
use encode::inputs::LeafKey;
use serde::{Deserialize, Serialize};

/// An option that bounds the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Lever {
    StringLength,
    ArrayLength,
    Scope,
    IntBits,
}

impl Lever {
    const ALL: [Lever; 4] = [Lever::StringLength, Lever::ArrayLength, Lever::Scope, Lever::IntBits];

    /// The option behind which most of the input is, of those that can be lowered.
    pub(crate) fn of(engine: &Engine<'_>) -> Option<Lever> {
        let mut sizes = [0; Lever::ALL.len()];
        for (key, _) in engine.inputs().leaves() {
            sizes[Lever::behind(key) as usize] += engine.leaf_variables(key);
        }
        let scope = engine.scope;
        let can_be_lowered = |lever: &Lever| match lever {
            Lever::StringLength => scope.string_length > 0,
            Lever::ArrayLength => scope.array_length > 0,
            Lever::Scope => scope.most_objects() > 1,
            Lever::IntBits => scope.int_bits > 2,
        };
        let size = |lever: &Lever| sizes[*lever as usize];
        let levers = Lever::ALL.into_iter().rev().filter(|l| size(l) > 0 && can_be_lowered(l));
        levers.max_by_key(size)
    }

    fn behind(key: &LeafKey) -> Lever {
        match key {
            LeafKey::Element(Name::InputChars(_), _)
            | LeafKey::Length(Name::InputChars(_))
            | LeafKey::TextLength(_)
            | LeafKey::TextWide(_) => Lever::StringLength,
            LeafKey::Element(..) | LeafKey::Length(_) => Lever::ArrayLength,
            LeafKey::Field(..) | LeafKey::Shared(_) | LeafKey::Live(_) => Lever::Scope,
            LeafKey::Receiver
            | LeafKey::Parameter(_)
            | LeafKey::Static(_)
            | LeafKey::Hash(_)
            | LeafKey::Clock(_)
            | LeafKey::Initialised(_)
            | LeafKey::Havoc(_)
            | LeafKey::Instance(_)
            | LeafKey::Route(_) => Lever::IntBits,
        }
    }
}

impl fmt::Display for Lever {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lever::StringLength => "--string-length",
            Lever::ArrayLength => "--array-length",
            Lever::Scope => "--scope",
            Lever::IntBits => "--int-bits",
        })
    }
}
