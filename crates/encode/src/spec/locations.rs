//! Sets of locations: each place that may be in one, with the literal that says whether it is.

use std::collections::BTreeMap;

use logic::{Bits, Lit};
use spec::core::{Location, Locations, Term};

use crate::engine::clauses::{Allowed, Slot};
use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::value::Ref;

type Places = BTreeMap<Slot, Lit>;

impl Evaluator<'_, '_> {
    /// A term that is a set of locations; nothing where the executions of `state` are none.
    pub(super) fn members_of(&mut self, state: &mut State, set: &Term) -> Places {
        match self.meaning(state, set) {
            Meaning::Locations(places) => places,
            _ => Places::new(),
        }
    }

    pub(super) fn location_set(&mut self, state: &mut State, locations: &[Location]) -> Places {
        let mut places = Places::new();
        for location in locations {
            let known = self.undefined.len();
            let (exists, allowed) = self.allowed(state, location);
            // A location that is not there belongs to no set.
            self.undefined.truncate(known);
            for (place, lit) in self.places(state, &allowed) {
                let lit = self.engine.circuit.and(exists, lit);
                self.include(&mut places, place, lit);
            }
        }
        places
    }

    fn include(&mut self, places: &mut Places, place: Slot, lit: Lit) {
        if lit != Lit::FALSE {
            let entry = places.entry(place).or_insert(Lit::FALSE);
            *entry = self.engine.circuit.or(*entry, lit);
        }
    }

    fn places(&mut self, state: &State, allowed: &Allowed) -> Vec<(Slot, Lit)> {
        let objects = |r: &Ref| r.objects().filter(|o| o.0 != Atom::NULL).collect::<Vec<_>>();
        match allowed {
            Allowed::Field(object, field) => {
                let found = objects(object).into_iter();
                found.map(|(atom, lit)| (Slot::Field(atom, *field), lit)).collect()
            }
            Allowed::Fields(object) => {
                let mut found = Vec::new();
                for (atom, lit) in objects(object) {
                    let fields = self.engine.given_fields(self.engine.atoms.class(atom));
                    found.extend(fields.into_iter().map(|f| (Slot::Field(atom, f), lit)));
                }
                found
            }
            Allowed::Elements(array, range) => {
                let mut found = Vec::new();
                for (atom, lit) in objects(array) {
                    found.extend(self.slots_of(state, atom, lit, range.as_ref()));
                }
                found
            }
            Allowed::Static(field) => vec![(Slot::Static(*field), Lit::TRUE)],
            Allowed::Statics(class) => {
                let fields = self.engine.program.class(*class).map_or(&[][..], |c| &c.fields);
                let statics = fields.iter().filter(|f| self.engine.program.field(**f).is_static);
                statics.map(|f| (Slot::Static(*f), Lit::TRUE)).collect()
            }
            Allowed::Members(places) => places.iter().map(|(p, l)| (*p, *l)).collect(),
        }
    }

    fn slots_of(
        &mut self,
        state: &State,
        atom: Atom,
        lit: Lit,
        range: Option<&(Bits, Bits)>,
    ) -> Vec<(Slot, Lit)> {
        let array = self.engine.array_of(&state.heap, atom);
        let circuit = &mut self.engine.circuit;
        let mut found = Vec::new();
        for slot in 0..array.elements.len() as u32 {
            let index = Bits::constant(32, u64::from(slot));
            let mut inside = circuit.lt_unsigned(&index, &array.length);
            if let Some((from, to)) = range {
                let above = circuit.le_signed(from, &index);
                let below = circuit.le_signed(&index, to);
                inside = circuit.and(inside, above);
                inside = circuit.and(inside, below);
            }
            found.push((Slot::Element(atom, slot), circuit.and(lit, inside)));
        }
        found
    }

    pub(super) fn of_locations(
        &mut self,
        state: &mut State,
        op: Locations,
        left: &Term,
        right: &Term,
    ) -> Meaning {
        let (a, b) = (self.members_of(state, left), self.members_of(state, right));
        let places: std::collections::BTreeSet<Slot> = a.keys().chain(b.keys()).copied().collect();
        let of = |set: &Places, place: &Slot| set.get(place).copied().unwrap_or(Lit::FALSE);
        let circuit = &mut self.engine.circuit;
        let pairs = places.into_iter().map(|place| (place, of(&a, &place), of(&b, &place)));
        let each = pairs.map(|(place, x, y)| {
            let lit = match op {
                Locations::Union => circuit.or(x, y),
                Locations::Intersection => circuit.and(x, y),
                Locations::Difference => circuit.and(x, !y),
                Locations::Subset => circuit.implies(x, y),
                Locations::Disjoint => !circuit.and(x, y),
                Locations::Equal => circuit.iff(x, y),
            };
            (place, lit)
        });
        let each: Places = each.collect();
        match op {
            Locations::Union | Locations::Intersection | Locations::Difference => {
                Meaning::Locations(each.into_iter().filter(|e| e.1 != Lit::FALSE).collect())
            }
            Locations::Subset | Locations::Disjoint | Locations::Equal => {
                Meaning::Truth(self.engine.circuit.and_all(each.into_values()))
            }
        }
    }

    pub(super) fn chosen_locations(&mut self, cond: Lit, then: &Places, other: &Places) -> Places {
        let mut chosen = Places::new();
        for (place, lit) in then {
            let lit = self.engine.circuit.and(cond, *lit);
            self.include(&mut chosen, *place, lit);
        }
        for (place, lit) in other {
            let lit = self.engine.circuit.and(!cond, *lit);
            self.include(&mut chosen, *place, lit);
        }
        chosen
    }
}
