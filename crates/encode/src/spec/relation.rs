//! Relations over the heap: fields, sets of objects, reachability.
//!
//! The image of a set under a field or a closure of fields is computed from the set outwards, so
//! that only what may be reached is looked at.

use std::collections::BTreeMap;

use ir::{ClassId, FieldId, Type};
use logic::{Bits, Cell, Lit, Relation};
use spec::core::{Combination, Multiplicity, Sort, Term, TermKind};

use crate::spec::quantify::Bounding;
use crate::spec::steps::{Ready, Steps, followed};
use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::value::{Ref, Value};

impl Evaluator<'_, '_> {
    /// A term as a relation.
    pub(super) fn relation(&mut self, state: &mut State, term: &Term) -> Relation {
        let typing = self.typing.take();
        match &term.kind {
            TermKind::Set(inner) => {
                let meaning = self.meaning(state, inner);
                self.set_of(state, meaning)
            }
            TermKind::Objects(class) => {
                let objects = self.objects_of(*class);
                self.set(&objects)
            }
            TermKind::Universe => {
                let all = self.everything();
                self.set(&all)
            }
            TermKind::Identity => {
                let all = self.everything();
                let mut identity = Relation::empty();
                for (atom, lit) in all {
                    let cell = Cell::Atom(atom.0);
                    identity.add(&mut self.engine.circuit, vec![cell.clone(), cell], lit);
                }
                identity
            }
            TermKind::Empty => Relation::empty(),
            TermKind::Relation(field) => self.field_relation(state, *field),
            TermKind::Elements(class) => self.element_relation(state, *class),
            TermKind::Reach { from, class, fields } => {
                let start = self.reference(state, from);
                self.reach(state, &start, *class, fields)
            }
            TermKind::Transpose(inner) => {
                let inner = self.relation(state, inner);
                self.engine.circuit.transpose(&inner)
            }
            TermKind::Closure(inner) => {
                let inner = self.relation(state, inner);
                self.engine.circuit.closure(&inner)
            }
            TermKind::ReflexiveClosure(inner) => {
                let inner = self.relation(state, inner);
                let closure = self.engine.circuit.closure(&inner);
                let mut reflexive = closure;
                for (atom, lit) in self.everything() {
                    let cell = Cell::Atom(atom.0);
                    reflexive.add(&mut self.engine.circuit, vec![cell.clone(), cell], lit);
                }
                reflexive
            }
            TermKind::Combine(Combination::Join, left, right) => {
                self.join(state, left, right, typing)
            }
            TermKind::Typed(class, inner) if matches!(term.sort, Sort::Relation(_)) => {
                self.typed_relation(state, *class, inner)
            }
            TermKind::Combine(op, left, right) => {
                let (a, b) = (self.relation(state, left), self.relation(state, right));
                let circuit = &mut self.engine.circuit;
                match op {
                    Combination::Union => circuit.union(&a, &b),
                    Combination::Difference => circuit.difference(&a, &b),
                    Combination::Intersection => circuit.intersection(&a, &b),
                    Combination::Product => circuit.cross(&a, &b),
                    Combination::Join => circuit.join(&a, &b),
                    Combination::DomainRestriction => circuit.restrict_domain(&a, &b),
                    Combination::RangeRestriction => circuit.restrict_range(&a, &b),
                    Combination::Override => circuit.override_by(&a, &b),
                }
            }
            TermKind::Comprehension { variables, body } => {
                let mut found = Relation::empty();
                let bounding = Bounding::of_body(body);
                self.for_each(state, variables, bounding, &mut |e, s, active| {
                    let holds = e.truth(s, body);
                    let member = e.engine.circuit.and(active, holds);
                    let tuple: Vec<Cell> =
                        variables.iter().flat_map(|v| e.cells_of(v.number)).collect();
                    found.add(&mut e.engine.circuit, tuple, member);
                });
                found
            }
            TermKind::Old(inner) => self.old(state, |e, s| e.relation(s, inner)),
            TermKind::Let { variable, value, body, .. } => {
                let value = self.meaning(state, value);
                self.bound.push((*variable, value));
                let relation = self.relation(state, body);
                self.bound.pop();
                relation
            }
            TermKind::Conditional(cond, then, other) => {
                let cond = self.truth(state, cond);
                let yes = self.under(state, cond, |e, s| e.relation(s, then));
                let no = self.under(state, !cond, |e, s| e.relation(s, other));
                match self.choose(cond, Meaning::Relation(yes), Meaning::Relation(no)) {
                    Meaning::Relation(chosen) => chosen,
                    _ => Relation::empty(),
                }
            }
            _ => {
                let meaning = self.meaning(state, term);
                self.set_of(state, meaning)
            }
        }
    }

    fn set(&mut self, atoms: &[(Atom, Lit)]) -> Relation {
        Relation::set(&mut self.engine.circuit, atoms.iter().map(|(a, l)| (a.0, *l)))
    }

    /// The cells of a bound variable.
    fn cells_of(&self, number: u32) -> Vec<Cell> {
        let found = self.bound.iter().rev().find(|b| b.0 == number);
        match found.map(|b| &b.1) {
            Some(Meaning::Relation(one)) => {
                one.tuples().next().map(|t| t.0.to_vec()).unwrap_or_default()
            }
            Some(Meaning::Reference(r)) => {
                r.as_constant().map(|a| vec![Cell::Atom(a.0)]).unwrap_or_default()
            }
            Some(Meaning::Number(bits)) => vec![Cell::number(bits)],
            Some(Meaning::Truth(lit)) => vec![Cell::Number(vec![*lit])],
            _ => Vec::new(),
        }
    }

    /// A scalar as a set. Strings and boxes with equal values may be one object, which a set of
    /// atoms cannot say.
    fn set_of(&mut self, state: &mut State, meaning: Meaning) -> Relation {
        match meaning {
            Meaning::Relation(relation) => relation,
            Meaning::Truth(lit) => Relation::tuple(vec![Cell::Number(vec![lit])]),
            Meaning::Number(bits) => Relation::tuple(vec![Cell::number(&bits)]),
            Meaning::Big(wide) => Relation::tuple(vec![Cell::Number(wide.lits().to_vec())]),
            Meaning::Reference(r) => {
                let r = r.restrict(&state.facts, |_| true);
                self.refuse_by_value(state, &r);
                let atoms: Vec<(Atom, Lit)> = r.objects().collect();
                self.set(&atoms)
            }
            Meaning::Type(_) | Meaning::Locations(_) => Relation::empty(),
        }
    }

    fn refuse_by_value(&mut self, state: &mut State, r: &Ref) {
        let by_value: Vec<Lit> = r
            .objects()
            .filter(|(a, _)| {
                self.engine.known.is_shared_by_value(self.engine.atoms.class(*a))
                    && self.engine.atoms.info(*a).shared != Some(Lit::FALSE)
            })
            .map(|e| e.1)
            .collect();
        if !by_value.is_empty() {
            let any = self.engine.circuit.or_all(by_value);
            self.engine.unsupported_if(state, any, || "a set of strings or boxes".into());
        }
    }

    /// What a field holds for one object: the targets, each with its literal.
    fn successors(&mut self, state: &mut State, atom: Atom, field: FieldId) -> Vec<(Cell, Lit)> {
        let declared = self.engine.program.field(field);
        if !self.engine.atom_is_a(atom, declared.class) || self.is_unborn(atom) {
            return Vec::new();
        }
        match self.field_of_ref(state, &Ref::constant(atom), field) {
            Meaning::Reference(r) => {
                let r = match self.typing {
                    Some(class) => self.trusted(state, class, &r, declared.ty.class()),
                    None => r,
                };
                self.refuse_by_value(state, &r);
                r.objects().map(|(to, lit)| (Cell::Atom(to.0), lit)).collect()
            }
            Meaning::Truth(lit) => vec![(Cell::Number(vec![lit]), Lit::TRUE)],
            Meaning::Number(bits) => vec![(Cell::number(&bits), Lit::TRUE)],
            Meaning::Big(wide) => vec![(Cell::Number(wide.lits().to_vec()), Lit::TRUE)],
            Meaning::Type(_) | Meaning::Relation(_) | Meaning::Locations(_) => Vec::new(),
        }
    }

    fn field_relation(&mut self, state: &mut State, field: FieldId) -> Relation {
        let class = self.engine.program.field(field).class;
        let mut relation = Relation::empty();
        for (atom, exists) in self.objects_of(class) {
            let targets = self.under(state, exists, |e, s| e.successors(s, atom, field));
            for (to, lit) in targets {
                let lit = self.engine.circuit.and(exists, lit);
                relation.add(&mut self.engine.circuit, vec![Cell::Atom(atom.0), to], lit);
            }
        }
        relation
    }

    fn element_relation(&mut self, state: &mut State, class: ClassId) -> Relation {
        let mut relation = Relation::empty();
        for (atom, exists) in self.objects_of(class) {
            for (index, to, lit) in self.elements_of(state, atom) {
                let lit = self.engine.circuit.and(exists, lit);
                let index = Cell::number(&Bits::constant(32, index as u64));
                relation.add(&mut self.engine.circuit, vec![Cell::Atom(atom.0), index, to], lit);
            }
        }
        relation
    }

    /// The elements of one array within its length.
    fn elements_of(&mut self, state: &mut State, atom: Atom) -> Vec<(usize, Cell, Lit)> {
        let array = self.engine.array_of(&state.heap, atom);
        let mut found = Vec::new();
        for (index, element) in array.elements.iter().enumerate() {
            let at = Bits::constant(32, index as u64);
            let inside = self.engine.circuit.lt_unsigned(&at, &array.length);
            match element {
                Value::Ref(r) => {
                    for (to, lit) in r.objects() {
                        let lit = self.engine.circuit.and(inside, lit);
                        found.push((index, Cell::Atom(to.0), lit));
                    }
                }
                Value::Bits(bits) => found.push((index, Cell::number(bits), inside)),
            }
        }
        found
    }

    /// `left.right`. Where the left side is a set and the right side can be followed from single
    /// objects, only what the set leads to is looked at.
    fn join(
        &mut self,
        state: &mut State,
        left: &Term,
        right: &Term,
        typing: Option<ClassId>,
    ) -> Relation {
        let is_set = matches!(&left.sort, Sort::Relation(columns) if columns.len() == 1);
        if is_set && let Some((closed, reflexive, before, steps)) = followed(right) {
            let start = self.relation(state, left);
            let follow = |e: &mut Self, s: &mut State| {
                if !closed {
                    e.typing = typing;
                    let image = e.image(s, &start, &steps);
                    e.typing = None;
                    return image;
                }
                let start = match reflexive {
                    true => start.clone(),
                    false => e.image(s, &start, &steps),
                };
                e.closed_image(s, &start, &steps)
            };
            return match before {
                true => self.old(state, follow),
                false => follow(self, state),
            };
        }
        let (a, b) = (self.relation(state, left), self.relation(state, right));
        self.engine.circuit.join(&a, &b)
    }

    fn image(&mut self, state: &mut State, start: &Relation, steps: &Steps<'_>) -> Relation {
        let fields = match steps {
            Steps::Relation(term) => {
                let relation = self.relation(state, term);
                return self.engine.circuit.join(start, &relation);
            }
            Steps::Fields(fields) => self.ready(state, fields),
        };
        let mut image = Relation::empty();
        let atoms: Vec<(u32, Lit)> = start.atoms().collect();
        for (atom, lit) in atoms {
            for (to, edge) in self.all_successors(state, lit, Atom(atom), &fields) {
                let lit = self.engine.circuit.and(lit, edge);
                image.add(&mut self.engine.circuit, vec![to], lit);
            }
        }
        image
    }

    fn all_successors(
        &mut self,
        state: &State,
        reached: Lit,
        atom: Atom,
        steps: &[Ready],
    ) -> Vec<(Cell, Lit)> {
        self.under(state, reached, |e, s| {
            let mut found = Vec::new();
            for step in steps {
                let leaves = e.leaves(step, atom);
                if leaves == Lit::FALSE {
                    continue;
                }
                let targets = match step.before {
                    true => e.old(s, |e, s| e.successors(s, atom, step.field)),
                    false => e.successors(s, atom, step.field),
                };
                for (to, lit) in targets {
                    let arrives = match to {
                        Cell::Atom(to) => e.arrives(step, Atom(to)),
                        Cell::Number(_) => Lit::TRUE,
                    };
                    let passes = e.engine.circuit.and(leaves, arrives);
                    let lit = e.engine.circuit.and(lit, passes);
                    found.push((to, lit));
                }
            }
            found
        })
    }

    fn closed_image(&mut self, state: &mut State, start: &Relation, steps: &Steps<'_>) -> Relation {
        let fields = match steps {
            Steps::Relation(term) => {
                let relation = self.relation(state, term);
                let mut edges: BTreeMap<u32, Vec<(u32, Lit)>> = BTreeMap::new();
                for (tuple, lit) in relation.tuples() {
                    if let [Cell::Atom(from), Cell::Atom(to)] = *tuple {
                        edges.entry(from).or_default().push((to, lit));
                    }
                }
                return self.engine.reach(start, &edges);
            }
            Steps::Fields(fields) => self.ready(state, fields),
        };
        self.reach_through(state, start, |e, s, atom| e.all_successors(s, Lit::TRUE, atom, &fields))
    }

    /// Everything that is reached from a set through edges that `next` gives.
    fn reach_through(
        &mut self,
        state: &mut State,
        start: &Relation,
        mut next: impl FnMut(&mut Self, &mut State, Atom) -> Vec<(Cell, Lit)>,
    ) -> Relation {
        // Without what is known on the path, so that it is the same wherever it is asked.
        let state = &mut State { facts: Default::default(), ..state.clone() };
        let mut edges: BTreeMap<u32, Vec<(u32, Lit)>> = BTreeMap::new();
        let mut work: Vec<u32> = start.atoms().map(|e| e.0).collect();
        while let Some(atom) = work.pop() {
            if edges.contains_key(&atom) {
                continue;
            }
            let targets = next(self, state, Atom(atom));
            let targets: Vec<(u32, Lit)> = targets
                .into_iter()
                .filter_map(|(cell, lit)| match cell {
                    Cell::Atom(to) => Some((to, lit)),
                    Cell::Number(_) => None,
                })
                .filter(|e| e.1 != Lit::FALSE)
                .collect();
            work.extend(targets.iter().map(|e| e.0));
            edges.insert(atom, targets);
        }
        self.engine.reach(start, &edges)
    }

    /// `\reach(start, class, fields)`
    fn reach(
        &mut self,
        state: &mut State,
        start: &Ref,
        class: Option<ClassId>,
        fields: &[FieldId],
    ) -> Relation {
        let atoms: Vec<(Atom, Lit)> = start.objects().collect();
        let start = self.set(&atoms);
        let reached = self.reach_through(state, &start, |e, s, atom| {
            let through = match fields.is_empty() {
                true => e.reference_fields(atom),
                false => fields.to_vec(),
            };
            let mut found = Vec::new();
            for field in through {
                found.extend(e.successors(s, atom, field));
            }
            if e.engine.element_type(atom).is_some_and(|t| matches!(t, Type::Ref(_))) {
                let elements = e.elements_of(s, atom);
                found.extend(elements.into_iter().map(|(_, to, lit)| (to, lit)));
            }
            found
        });
        let Some(class) = class else {
            return reached;
        };
        let kept: Vec<(Atom, Lit)> = reached
            .atoms()
            .map(|(atom, lit)| (Atom(atom), lit))
            .filter(|(atom, _)| self.engine.atom_is_a(*atom, class))
            .collect();
        self.set(&kept)
    }

    /// The fields of an object that refer to objects.
    fn reference_fields(&self, atom: Atom) -> Vec<FieldId> {
        let program = self.engine.program;
        let Ok(class) = program.class(self.engine.atoms.class(atom)) else {
            return Vec::new();
        };
        let owners = class.supertypes().iter().filter_map(|c| program.class(*c).ok());
        owners
            .filter(|c| c.is_given())
            .flat_map(|c| c.fields.iter().copied())
            .filter(|f| {
                let field = program.field(*f);
                !field.is_static && matches!(field.ty, Type::Ref(_))
            })
            .collect()
    }

    pub(super) fn multiplicity(&mut self, multiplicity: Multiplicity, relation: &Relation) -> Lit {
        let circuit = &mut self.engine.circuit;
        match multiplicity {
            Multiplicity::No => !circuit.is_some(relation),
            Multiplicity::Some => circuit.is_some(relation),
            Multiplicity::Lone => circuit.is_lone(relation),
            Multiplicity::One => {
                let (some, lone) = (circuit.is_some(relation), circuit.is_lone(relation));
                circuit.and(some, lone)
            }
        }
    }

    /// The number or truth value in a set; there must be exactly one.
    pub(super) fn scalar(&mut self, state: &mut State, term: &Term, sort: &Sort) -> Meaning {
        let relation = self.relation(state, term);
        let one = self.multiplicity(Multiplicity::One, &relation);
        self.undefined_if(state, !one, || "an expression has not exactly one value".into());
        let width = match sort {
            Sort::Number(number) => crate::spec::number::width(*number),
            _ => 1,
        };
        let numbers: Vec<(Lit, Bits)> = relation
            .tuples()
            .filter_map(|(tuple, lit)| match tuple {
                [Cell::Number(number)] if number.len() == width as usize => {
                    Some((lit, Bits::from_lits(number.clone())))
                }
                _ => None,
            })
            .collect();
        let cases: Vec<(Lit, &Bits)> = numbers.iter().map(|(lit, bits)| (*lit, bits)).collect();
        if cases.len() == relation.tuples().len()
            && let Some(word) = self.engine.circuit.ordered_select(&cases)
        {
            return Meaning::Number(word);
        }
        let mut bits = vec![Lit::FALSE; width as usize];
        for (tuple, lit) in relation.tuples() {
            let [Cell::Number(number)] = tuple else {
                continue;
            };
            for (position, bit) in bits.iter_mut().enumerate() {
                let source = number[position.min(number.len() - 1)];
                let here = self.engine.circuit.and(lit, source);
                *bit = self.engine.circuit.or(*bit, here);
            }
        }
        match sort {
            Sort::Boolean => Meaning::Truth(bits[0]),
            _ => Meaning::Number(Bits::from_lits(bits)),
        }
    }
}
