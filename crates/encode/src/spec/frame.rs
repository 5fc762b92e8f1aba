//! Frames: what a method may assign. Locations are compared at the ends of the method: one that
//! has its old value again counts as unchanged.

use ir::{FieldId, Method};
use logic::{Bits, Lit};
use spec::core::{Assignable, Case, Location, Site};

use crate::engine::clauses::{Allowed, Slot};
use crate::engine::{Engine, View};
use crate::spec::Evaluator;
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::goal::Property;
use crate::state::heap::Heap;
use crate::state::value::Value;

/// Fields in which library classes keep what they have computed once.
const CACHES: [(&str, &str); 8] = [
    ("java.lang.String", "hash"),
    ("java.lang.String", "hashIsZero"),
    ("java.util.AbstractMap", "keySet"),
    ("java.util.AbstractMap", "values"),
    ("java.util.HashMap", "entrySet"),
    ("java.util.TreeMap", "entrySet"),
    ("java.util.TreeMap", "navigableKeySet"),
    ("java.util.TreeMap", "descendingMap"),
];

impl<'a> Engine<'a> {
    /// Whether anything that exists in the first heap differs in the second.
    pub(crate) fn changed(&mut self, before: &Heap, after: &Heap) -> Lit {
        let differences = self.differences(before, after);
        self.circuit.or_all(differences.into_iter().map(|d| d.1))
    }

    /// The places of objects of the first heap that may differ in the second.
    pub(crate) fn differences(&mut self, before: &Heap, after: &Heap) -> Vec<(Slot, Lit)> {
        let mut found = Vec::new();
        for index in before.objects.differences(&after.objects) {
            let atom = Atom(index as u32);
            if self.is_new_since(before, atom) {
                continue;
            }
            let (Some(now), was) = (after.contents(atom).cloned(), before.contents(atom).cloned())
            else {
                continue;
            };
            for (field, value) in now.fields() {
                if self.is_cache(*field) {
                    continue;
                }
                let old = match was.as_ref().and_then(|c| c.field(*field)) {
                    Some(old) => Ok(old.clone()),
                    None => self.initial_field(atom, *field),
                };
                if let Ok(old) = old {
                    let same = self.same_value(after, &old, value);
                    found.push((Slot::Field(atom, *field), !same));
                }
            }
            if let Some(array) = &now.array {
                let old = match was.and_then(|c| c.array) {
                    Some(old) => old,
                    None => self.initial_array(atom),
                };
                if std::rc::Rc::ptr_eq(&old.elements, &array.elements) {
                    continue;
                }
                for (i, (x, y)) in old.elements.iter().zip(array.elements.iter()).enumerate() {
                    let same = self.same_value(after, x, y);
                    found.push((Slot::Element(atom, i as u32), !same));
                }
            }
        }
        for index in before.statics.differences(&after.statics) {
            let field = FieldId(index as u32);
            let old = before.statics.get(index).cloned();
            let old = old.unwrap_or_else(|| self.initial_static(field));
            if let Some(now) = after.statics.get(index).cloned() {
                let same = self.same_value(after, &old, &now);
                found.push((Slot::Static(field), !same));
            }
        }
        found.retain(|d| d.1 != Lit::FALSE);
        found
    }

    /// Whether an object was allocated after the heap.
    fn is_new_since(&self, heap: &Heap, atom: Atom) -> bool {
        let allocated = matches!(self.atoms.info(atom).name, Name::Fresh(_));
        allocated && heap.contents(atom).is_none() && self.base.contents(atom).is_none()
    }

    fn is_cache(&self, field: FieldId) -> bool {
        let declared = self.program.field(field);
        let class = self.program.class_name(declared.class);
        CACHES.contains(&(class, &declared.name))
    }

    fn same_value(&mut self, heap: &Heap, a: &Value, b: &Value) -> Lit {
        match (a, b) {
            (Value::Bits(a), Value::Bits(b)) if a.width() == b.width() => {
                self.circuit.bits_eq(a, b)
            }
            (Value::Ref(a), Value::Ref(b)) => self.same_object(heap, a, b),
            _ => Lit::FALSE,
        }
    }

    /// Checks what a case says about assignments.
    pub(super) fn check_frame(
        &mut self,
        method: &Method,
        case: &'a Case,
        view: &View,
        state: &State,
    ) {
        let constructor = &*method.name == "<init>";
        for frame in &case.assignable {
            self.check_assignable(frame, view, state, constructor);
        }
    }

    /// Checks that only these locations differ between the heap before and that of the state.
    fn check_assignable(
        &mut self,
        frame: &'a Assignable,
        view: &View,
        state: &State,
        constructor: bool,
    ) {
        let Some(locations) = &frame.locations else {
            return;
        };
        let (allowed, unknown) = self.apart(state, &frame.site, |engine, mut state| {
            let mut evaluator = Evaluator::new(engine, view);
            evaluator.old(&mut state, |e, s| {
                locations.iter().map(|l| e.allowed(s, l)).collect::<Vec<_>>()
            })
        });
        let known = self.circuit.and(state.guard, !unknown);
        self.must_be_allowed(&frame.site, &allowed, (&view.before, state), known, constructor);
    }

    /// Checks that only `allowed` locations differ between a heap and that of a later state.
    pub(super) fn must_be_allowed(
        &mut self,
        site: &'a Site,
        allowed: &[(Lit, Allowed)],
        (before, state): (&Heap, &State),
        known: Lit,
        constructor: bool,
    ) {
        for (place, changed) in self.differences(before, &state.heap) {
            let may = self.may_assign(allowed, place, constructor);
            let exists = self.existed(place);
            let mut broken = self.circuit.and(known, changed);
            broken = self.circuit.and(broken, !may);
            broken = self.circuit.and(broken, exists);
            if let Some(goal) = self.break_goal(Property::Assignable, site, broken) {
                self.note_place(goal, place);
            }
        }
    }

    /// Whether a place of the input is one at all.
    pub(crate) fn existed(&mut self, place: Slot) -> Lit {
        match place {
            Slot::Field(atom, _) | Slot::Element(atom, _) => {
                self.existence.of(atom).unwrap_or(Lit::TRUE)
            }
            Slot::Static(_) => Lit::TRUE,
        }
    }

    pub(super) fn may_assign(
        &mut self,
        allowed: &[(Lit, Allowed)],
        place: Slot,
        constructor: bool,
    ) -> Lit {
        if let (Slot::Field(atom, _), true) = (place, constructor)
            && self.atoms.info(atom).name == Name::Constructed
        {
            return Lit::TRUE;
        }
        let mut ways = Vec::new();
        for (exists, location) in allowed {
            let fits = match (location, place) {
                (Allowed::Field(object, field), Slot::Field(atom, f)) if *field == f => {
                    object.is(atom)
                }
                (Allowed::Fields(object), Slot::Field(atom, _)) => object.is(atom),
                (Allowed::Elements(array, None), Slot::Element(atom, _)) => array.is(atom),
                (Allowed::Elements(array, Some((from, to))), Slot::Element(atom, i)) => {
                    let index = Bits::constant(32, u64::from(i));
                    let above = self.circuit.le_signed(from, &index);
                    let below = self.circuit.le_signed(&index, to);
                    let inside = self.circuit.and(above, below);
                    self.circuit.and(array.is(atom), inside)
                }
                (Allowed::Static(field), Slot::Static(f)) if *field == f => Lit::TRUE,
                (Allowed::Statics(class), Slot::Static(f))
                    if self.program.field(f).class == *class =>
                {
                    Lit::TRUE
                }
                (Allowed::Members(members), place) => {
                    members.get(&place).copied().unwrap_or(Lit::FALSE)
                }
                _ => Lit::FALSE,
            };
            ways.push(self.circuit.and(*exists, fits));
        }
        self.circuit.or_all(ways)
    }
}

impl Evaluator<'_, '_> {
    /// A location of a frame, and whether it exists: a field of null allows nothing.
    pub(crate) fn allowed(&mut self, state: &mut State, location: &Location) -> (Lit, Allowed) {
        let mut inside = state.clone();
        let state = &mut inside;
        let known = self.undefined.len();
        let allowed = match location {
            Location::Field(object, field) => Allowed::Field(self.reference(state, object), *field),
            Location::Static(field) => Allowed::Static(*field),
            Location::Element(array, index) => {
                let array = self.reference(state, array);
                let index = self.number(state, index);
                Allowed::Elements(array, Some((index.clone(), index)))
            }
            Location::Elements(array, range) => {
                let array = self.reference(state, array);
                let range = range
                    .as_ref()
                    .map(|(from, to)| (self.number(state, from), self.number(state, to)));
                Allowed::Elements(array, range)
            }
            Location::Fields(object) => Allowed::Fields(self.reference(state, object)),
            Location::Statics(class) => Allowed::Statics(*class),
            Location::Members(set) => Allowed::Members(self.members_of(state, set)),
        };
        let undefined: Vec<Lit> = self.undefined[known..].iter().map(|u| u.0).collect();
        (!self.engine.circuit.or_all(undefined), allowed)
    }
}
