//! What a run leaves as it was. A field that may have been written holds, for each object, either
//! what it held before or what was written; where the two are never different, the literal of the input
//! takes the place of the computed one. Then what is said about the end of the run is, for the
//! most part, what has been assumed about its beginning: a tree to which a leaf was added reaches
//! from each of its old nodes what that reached before.
//!
//! An equality is asked of the oracle, so it costs little or is not found.

use ir::FieldId;
use logic::Lit;

use crate::engine::Engine;
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::leaves::LeafKey;
use crate::state::value::{Ref, Value};

impl Engine<'_> {
    /// The same state, with entries of references that never differ from those of the input as in
    /// the input.
    pub(crate) fn settled(&mut self, state: &State) -> State {
        let mut settled = state.clone();
        let Some(layout) = self.layout.get() else {
            return settled;
        };
        let mut written: Vec<(Atom, FieldId, Ref, Ref)> = Vec::new();
        for position in &layout.positions {
            let (Some(owner), LeafKey::Field(_, field)) = (position.owner, &position.key) else {
                continue;
            };
            let contents = settled.heap.contents(owner).and_then(|c| c.field(*field));
            if let Some(Value::Ref(now)) = contents
                && *now != position.value
            {
                written.push((owner, *field, position.value.clone(), now.clone()));
            }
        }
        for (owner, field, before, now) in written {
            let mut entries = Vec::new();
            for (atom, lit) in now.entries() {
                let was = before.is(*atom);
                let same =
                    was != Lit::FALSE && *lit != was && self.never_differ(state.guard, *lit, was);
                entries.push((*atom, if same { was } else { *lit }));
            }
            let contents = settled.heap.contents_mut(owner);
            contents.set_field(field, Value::Ref(Ref::from_entries(entries)));
        }
        settled
    }

    fn never_differ(&mut self, guard: Lit, a: Lit, b: Lit) -> bool {
        let differ = self.circuit.xor(a, b);
        let differ = self.circuit.and(guard, differ);
        self.is_impossible(differ)
    }
}
