//! Smaller domains for quantifiers: where only members of a set matter, as in
//! `(\forall Node n; \reach(root, Node, left).has(n); …)`, the set is evaluated once and the
//! variable ranges over its members instead of over all objects that exist.

use spec::core::{Bound, Connective, Domain, Term, TermKind, Variable};

use crate::spec::quantify::{Bounding, mentions};
use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::value::Ref;
use logic::{Lit, Relation};

/// A condition that a variable is a member of a set.
struct Membership<'t> {
    condition: &'t Term,
    set: &'t Term,
    in_old: bool,
}

impl Evaluator<'_, '_> {
    /// The members of the set that a variable must be in, if there is one that does not depend on
    /// variables without a value, and the condition that says so.
    pub(super) fn members_in_range<'t>(
        &mut self,
        state: &mut State,
        variable: &Bound,
        unbound: &[u32],
        bounding: Bounding<'t>,
    ) -> Option<(Vec<(Meaning, Lit)>, &'t Term)> {
        let Domain::Objects { class, nullable: false } = variable.domain else {
            return None;
        };
        let found = membership(variable.number, unbound, bounding)?;
        let (known, guard) = (self.undefined.len(), state.guard);
        let mut inside = state.clone();
        let set: Relation = match found.in_old {
            true => self.old(&mut inside, |e, s| e.relation(s, found.set)),
            false => self.relation(&mut inside, found.set),
        };
        if self.undefined.len() > known || inside.guard != guard {
            // Whether that matters depends on whether there are objects at all.
            self.undefined.truncate(known);
            return None;
        }
        let members = set.atoms().map(|(atom, lit)| (Atom(atom), lit));
        let members: Vec<(Atom, Lit)> =
            members.filter(|(atom, _)| self.engine.atom_is_a(*atom, class)).collect();
        let one = |(atom, lit)| (Meaning::Reference(Ref::constant(atom)), lit);
        Some((members.into_iter().map(one).collect(), found.condition))
    }

    /// Whether a condition holds because the values of its variable are chosen so.
    pub(super) fn is_granted(&self, condition: &Term) -> bool {
        self.granted.iter().any(|(granted, at)| {
            let variable = self.bound[*at].0;
            let innermost = self.bound.iter().rposition(|b| b.0 == variable);
            std::ptr::eq(*granted, condition) && innermost == Some(*at)
        })
    }
}

fn membership<'t>(
    variable: u32,
    unbound: &[u32],
    bounding: Bounding<'t>,
) -> Option<Membership<'t>> {
    let mut conditions = Vec::new();
    for term in bounding.range.into_iter().chain(bounding.conjunction) {
        conjuncts(term, false, &mut conditions);
    }
    let mut body = bounding.implication;
    while let Some(TermKind::Connective(Connective::Implies, left, right)) = body.map(|b| &b.kind) {
        conjuncts(left, false, &mut conditions);
        body = Some(&**right);
    }
    conditions.into_iter().find_map(|(condition, in_old)| match &condition.kind {
        TermKind::In(member, set) if is_variable(member, variable) && !mentions(set, unbound) => {
            Some(Membership { condition, set, in_old })
        }
        _ => None,
    })
}

/// The conjuncts of a condition, each with whether it is about the state before the call.
fn conjuncts<'t>(term: &'t Term, in_old: bool, found: &mut Vec<(&'t Term, bool)>) {
    match &term.kind {
        TermKind::Connective(Connective::And | Connective::BothAnd, left, right) => {
            conjuncts(left, in_old, found);
            conjuncts(right, in_old, found);
        }
        TermKind::Old(inner) => conjuncts(inner, true, found),
        _ => found.push((term, in_old)),
    }
}

fn is_variable(term: &Term, variable: u32) -> bool {
    match &term.kind {
        TermKind::Set(inner) => is_variable(inner, variable),
        TermKind::Variable(Variable::Bound(number)) => *number == variable,
        _ => false,
    }
}
