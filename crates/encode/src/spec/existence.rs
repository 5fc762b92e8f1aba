//! Which objects exist: those of the input heap that the scope admits and the input has, and what
//! the run has allocated.
//!
//! An object of the input exists if a root or an existing object refers to it. That is said in one
//! direction only: a heap may hold objects that nothing refers to.

use ir::ClassId;
use logic::Lit;
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::spec::Evaluator;
use crate::state::atom::{Atom, Name};
use crate::state::leaves::{LeafKey, LeafValue, Origin, Source};
use crate::state::value::Value;

impl Engine<'_> {
    /// Whether an object of the input exists.
    pub(crate) fn live(&mut self, atom: Atom) -> Lit {
        if let Some(live) = self.existence.of(atom) {
            return live;
        }
        let name = self.atoms.info(atom).name.clone();
        let live = match name {
            Name::Input(..) if !self.is_sure_root(atom) => {
                self.inputs.flag(&mut self.circuit, LeafKey::Live(name))
            }
            _ => Lit::TRUE,
        };
        self.existence.set(atom, live);
        live
    }

    fn is_sure_root(&self, atom: Atom) -> bool {
        let parameters = self.program.method(self.run.method).params.len() as u32;
        let roots = (0..parameters).map(LeafKey::Parameter).chain([LeafKey::Receiver]);
        roots.filter_map(|key| self.inputs.leaf(&key)).any(|value| match value {
            Value::Ref(r) => r.as_constant() == Some(atom),
            Value::Bits(_) => false,
        })
    }

    /// Says of every reference in the input that was made up since the last time: what an existing
    /// object refers to exists.
    pub(crate) fn link_liveness(&mut self) {
        let mut pending: Vec<(LeafKey, Value)> = Vec::new();
        for (key, value) in self.inputs.leaves().skip(self.existence.linked()) {
            if matches!(value, Value::Ref(_)) {
                pending.push((key.clone(), value.clone()));
            }
        }
        self.existence.set_linked(self.inputs.leaves().count());
        for (key, value) in pending {
            let owner = match &key {
                LeafKey::Field(name, _) | LeafKey::Element(name, _) => self.atoms.named(name),
                _ => None,
            };
            let owner = owner.map_or(Lit::TRUE, |atom| self.live(atom));
            for (atom, lit) in value.reference().objects() {
                if !matches!(self.atoms.info(atom).name, Name::Input(..)) {
                    continue;
                }
                let live = self.live(atom);
                let referred = self.circuit.and(owner, lit);
                let implied = self.circuit.implies(referred, live);
                self.inputs.require(implied, Origin::Leaf(key.clone()));
            }
        }
        // Flags are leaves too, but refer to nothing.
        self.existence.set_linked(self.inputs.leaves().count());
    }

    /// In a run on constants: brings all objects into play that exist in the model, also those that
    /// only other runs look at. Their invariants may be what is broken.
    pub(super) fn recall_live(&mut self) {
        let Source::Fixed(values) = &self.inputs.source else {
            return;
        };
        let mut existing: Vec<(ClassId, u32)> = Vec::new();
        for (key, value) in values {
            if let (LeafKey::Live(Name::Input(class, number)), LeafValue::Bits(1)) = (key, value) {
                existing.push((*class, *number));
            }
        }
        existing.sort_unstable();
        for (class, number) in existing {
            if self.program.class(class).is_ok_and(|c| c.is_given() && c.is_instantiable()) {
                let atom = self.input_atom(class, number, false);
                self.live(atom);
            }
        }
    }

    /// The objects of the input whose invariants are checked: those that roots lead to, and
    /// those whose existence was asked about. Others may exist, but nothing shows them.
    pub(super) fn in_play(&mut self) -> Vec<(Atom, Lit)> {
        let mut found: Vec<(Atom, Lit)> = self.existence.all().collect();
        found.retain(|(atom, _)| self.is_specified(self.atoms.class(*atom)));
        found.sort_unstable_by_key(|e| e.0);
        if matches!(self.inputs.source, Source::Fixed(_)) {
            return found;
        }
        let is_open = |(atom, lit): &(Atom, Lit)| {
            *lit != Lit::TRUE && !self.is_laid_out(*atom) && !self.existence.is_looked_at(*atom)
        };
        let open: Vec<bool> = found.iter().map(is_open).collect();
        if !open.contains(&true) {
            return found;
        }
        let reached = self.reached_from_roots(self.existence.len());
        for ((atom, lit), open) in found.iter_mut().zip(open) {
            if open {
                let reached = reached.get(atom).copied().unwrap_or(Lit::FALSE);
                *lit = self.circuit.and(*lit, reached);
            }
        }
        found
    }

    /// Whether anything is said of the objects of a class.
    pub(crate) fn is_specified(&self, class: ClassId) -> bool {
        let supertypes = self.program.class(class).map_or(&[][..], |c| c.supertypes());
        supertypes.iter().any(|c| self.contracts.classes.contains_key(c))
    }

    /// Which objects the roots lead to through what has been read, in at most so many steps.
    fn reached_from_roots(&mut self, steps: usize) -> FxHashMap<Atom, Lit> {
        let laid_out = self.layout.get().into_iter().flat_map(|l| &l.reached);
        let mut reached: FxHashMap<Atom, Lit> = laid_out.map(|(a, l)| (*a, *l)).collect();
        let mut edges: Vec<(Atom, Atom, Lit)> = Vec::new();
        for (key, value) in self.inputs.leaves() {
            let Value::Ref(value) = value else {
                continue;
            };
            let owner = match key {
                LeafKey::Field(name, _) | LeafKey::Element(name, _) => self.atoms.named(name),
                _ => None,
            };
            for (atom, lit) in value.objects() {
                match owner {
                    _ if self.is_laid_out(atom) => {}
                    Some(owner) if owner == atom => {}
                    Some(owner) => edges.push((owner, atom, lit)),
                    None => {
                        let known = reached.entry(atom).or_insert(Lit::FALSE);
                        *known = self.circuit.or(*known, lit);
                    }
                }
            }
        }
        for _ in 0..steps {
            let before = reached.clone();
            for (from, to, lit) in &edges {
                let from = before.get(from).copied().unwrap_or(Lit::FALSE);
                let through = self.circuit.and(from, *lit);
                if through != Lit::FALSE {
                    let known = reached.entry(*to).or_insert(Lit::FALSE);
                    *known = self.circuit.or(*known, through);
                }
            }
            if reached == before {
                break;
            }
        }
        reached
    }
}

impl Evaluator<'_, '_> {
    /// Whether an object exists in the state that is looked at.
    pub(crate) fn exists(&mut self, atom: Atom) -> Lit {
        match self.engine.atoms.info(atom).name {
            Name::Null => Lit::FALSE,
            Name::Input(..) => {
                self.engine.existence.look_at(atom);
                self.engine.layout.leave();
                self.engine.live(atom)
            }
            Name::Fresh(number) => {
                if self.in_old && number > self.view.allocated_before {
                    return Lit::FALSE;
                }
                self.engine.run.objects.made(atom).unwrap_or(Lit::FALSE)
            }
            _ => Lit::TRUE,
        }
    }

    /// Whether an object came into being only after the state that is looked at.
    pub(crate) fn is_unborn(&self, atom: Atom) -> bool {
        let name = &self.engine.atoms.info(atom).name;
        self.in_old && matches!(name, Name::Fresh(n) if *n > self.view.allocated_before)
    }

    /// The objects of a class that may exist, each with the literal that says whether it does.
    pub(crate) fn objects_of(&mut self, class: ClassId) -> Vec<(Atom, Lit)> {
        let mut atoms = self.engine.candidates_for(class).to_vec();
        let mut made: Vec<Atom> = self.engine.run.objects.all().collect();
        made.extend(self.engine.atoms.named(&Name::Constructed));
        made.sort_unstable();
        for atom in made {
            if self.engine.atom_is_a(atom, class) && !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
        let all: Vec<(Atom, Lit)> =
            atoms.into_iter().map(|atom| (atom, self.exists(atom))).collect();
        all.into_iter().filter(|e| e.1 != Lit::FALSE).collect()
    }

    /// All objects of given classes that may exist.
    pub(crate) fn everything(&mut self) -> Vec<(Atom, Lit)> {
        let mut found: Vec<(Atom, Lit)> = Vec::new();
        for class in self.engine.candidates.relevant.clone().iter().copied() {
            let Ok(loaded) = self.engine.program.class(class) else {
                continue;
            };
            if loaded.is_given() && loaded.is_instantiable() {
                let of_class = self.objects_of(class);
                found.extend(of_class);
            }
        }
        found.sort_unstable_by_key(|e| e.0);
        found.dedup_by_key(|e| e.0);
        found
    }
}
