//! Joining two states where paths meet: registers, ghosts and the heap, object by object.

use std::rc::Rc;

use ir::{ClassId, FieldId};
use logic::Lit;

use crate::engine::Engine;
use crate::state::atom::{Atom, Name};
use crate::state::heap::{Array, Contents, Heap};
use crate::state::value::{self, Value};
use crate::state::{Registers, State};

impl Engine<'_> {
    /// Joins `b` into `a`; no execution is in both. `values` are pairs of places to merge.
    /// Returns the literal that selects `a`.
    pub(crate) fn join(&mut self, a: &mut State, b: State) -> Lit {
        if b.is_dead() {
            return Lit::TRUE;
        }
        if a.is_dead() {
            *a = b;
            return Lit::FALSE;
        }
        // All executions are in one of them: the other is a leftover of a case that excludes it.
        if a.guard == Lit::TRUE {
            return Lit::TRUE;
        }
        if b.guard == Lit::TRUE {
            *a = b;
            return Lit::FALSE;
        }
        let (common, first_a, first_b) = a.facts.common(&b.facts);
        // Where the paths parted on one condition, that condition alone tells them apart.
        let from_a = match (first_a, first_b) {
            (Some(x), Some(y)) if x == !y => x,
            _ => a.guard,
        };
        let guard = self.circuit.or(a.guard, b.guard);
        self.join_heaps(from_a, &mut a.heap, &b.heap);
        self.join_ghosts(from_a, a, &b);
        a.guard = guard;
        a.facts = common;
        let guard = a.guard;
        a.facts.learn(&self.circuit, guard);
        from_a
    }

    /// A ghost variable that only one path has set may be anything on the other.
    fn join_ghosts(&mut self, from_a: Lit, a: &mut State, b: &State) {
        for (key, y) in &b.ghosts {
            let joined = match a.ghosts.get(key) {
                Some(x) => value::choose(&mut self.circuit, from_a, x, y),
                None => y.clone(),
            };
            a.ghosts.insert(*key, joined);
        }
    }

    /// Joins the registers of `b` into `a` where `live` says that they are still needed.
    pub(super) fn join_registers(
        &mut self,
        from_a: Lit,
        a: &mut Registers,
        b: Registers,
        live: &[ir::Reg],
    ) {
        let mut b = b;
        for reg in live {
            let (x, y) = (a[reg.index()].take(), b[reg.index()].take());
            a[reg.index()] = match (x, y) {
                (Some(x), Some(y)) => Some(value::choose(&mut self.circuit, from_a, &x, &y)),
                (x, y) => x.or(y),
            };
        }
    }

    fn join_heaps(&mut self, from_a: Lit, a: &mut Heap, b: &Heap) {
        let same = a.objects.same(&b.objects) && a.statics.same(&b.statics);
        if from_a == Lit::TRUE || (same && a.initialised.same(&b.initialised)) {
            return;
        }
        if from_a == Lit::FALSE {
            *a = b.clone();
            return;
        }
        for index in a.objects.differences(&b.objects) {
            let atom = Atom(index as u32);
            let (x, y) = (a.objects.get(index).cloned(), b.objects.get(index).cloned());
            let joined = match (x, y) {
                (Some(x), Some(y)) if Rc::ptr_eq(&x, &y) => continue,
                (Some(x), None) if self.is_unborn(atom) => x,
                (None, Some(y)) if self.is_unborn(atom) => y,
                (x, y) => {
                    let (x, y) = (x.unwrap_or_default(), y.unwrap_or_default());
                    Rc::new(self.join_contents(from_a, atom, &x, &y))
                }
            };
            a.objects.set(index, joined);
        }
        for index in a.statics.differences(&b.statics) {
            let field = FieldId(index as u32);
            let x = a.statics.get(index).cloned().unwrap_or_else(|| self.initial_static(field));
            let y = b.statics.get(index).cloned().unwrap_or_else(|| self.initial_static(field));
            let joined = value::choose(&mut self.circuit, from_a, &x, &y);
            a.statics.set(index, joined);
        }
        for index in a.initialised.differences(&b.initialised) {
            let class = ClassId(index as u32);
            let x = a.initialised.get(index).copied();
            let x = x.unwrap_or_else(|| self.is_initialised_first(class));
            let y = b.initialised.get(index).copied();
            let y = y.unwrap_or_else(|| self.is_initialised_first(class));
            let joined = self.circuit.ite(from_a, x, y);
            a.initialised.set(index, joined);
        }
    }

    /// Whether the atom was allocated by this run: a heap without it has never seen it.
    fn is_unborn(&self, atom: Atom) -> bool {
        let allocated =
            matches!(self.atoms.info(atom).name, Name::Fresh(_) | Name::Initialiser(..));
        allocated && self.base.contents(atom).is_none()
    }

    fn join_contents(&mut self, from_a: Lit, atom: Atom, a: &Contents, b: &Contents) -> Contents {
        let mut joined = Contents::default();
        let mut fields: Vec<FieldId> = a.fields().iter().chain(b.fields()).map(|f| f.0).collect();
        fields.sort_unstable();
        fields.dedup();
        for field in fields {
            let x = a.field(field).cloned().unwrap_or_else(|| self.initial_or_default(atom, field));
            let y = b.field(field).cloned().unwrap_or_else(|| self.initial_or_default(atom, field));
            joined.set_field(field, value::choose(&mut self.circuit, from_a, &x, &y));
        }
        joined.array = match (&a.array, &b.array) {
            (None, None) => None,
            (x, y) => {
                let x = x.clone().unwrap_or_else(|| self.initial_array(atom));
                let y = y.clone().unwrap_or_else(|| self.initial_array(atom));
                Some(self.join_arrays(from_a, x, y))
            }
        };
        joined
    }

    fn join_arrays(&mut self, from_a: Lit, a: Array, b: Array) -> Array {
        let length = self.circuit.bits_ite(from_a, &a.length, &b.length);
        if Rc::ptr_eq(&a.elements, &b.elements) {
            return Array { length, elements: a.elements };
        }
        debug_assert_eq!(a.elements.len(), b.elements.len());
        let elements = a.elements.iter().zip(b.elements.iter());
        let elements = elements.map(|(x, y)| value::choose(&mut self.circuit, from_a, x, y));
        Array { length, elements: Rc::new(elements.collect()) }
    }

    /// The initial value of a field, or any value where it cannot be known (nothing reads it).
    fn initial_or_default(&mut self, atom: Atom, field: FieldId) -> Value {
        match self.initial_field(atom, field) {
            Ok(value) => value,
            Err(_) => self.default_of(self.program.field(field).ty),
        }
    }
}
