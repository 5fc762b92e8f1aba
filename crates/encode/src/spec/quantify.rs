//! Quantifiers: their variables range over objects that exist, members of sets, or numbers that
//! the range bounds.
//!
//! Numbers are enumerated from the lower bound upwards while the upper bound admits them, as a
//! loop would be unrolled: the same limits apply, and what goes beyond them is a cut.

use logic::{Bits, Cell, Lit, Relation, Wide};
use spec::core::{
    Arithmetic, Bound, Comparison, Connective, Domain, Number, Quantification, Quantifier, Sort,
    Term, TermKind, Variable,
};

use crate::atom::Atom;
use crate::spec::number::width;
use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::value::Ref;

/// Numbers that are tried before the solver is asked whether there can be more.
const FREE_NUMBERS: u32 = 4;

/// What to do with one choice of values: the state knows that they are in their domains and in
/// range where the literal holds.
type Visit<'v, 'e, 'a> = &'v mut dyn FnMut(&mut Evaluator<'e, 'a>, &mut State, Lit);

/// The bounds of a number in a range.
struct Limits<'t> {
    /// The least value, and whether it is itself excluded.
    lower: (&'t Term, bool),
    upper: (&'t Term, bool),
}

impl<'e, 'a> Evaluator<'e, 'a> {
    pub(crate) fn quantified(&mut self, state: &mut State, q: &Quantification) -> Meaning {
        let sort = q.body.sort.clone();
        let mut cases: Vec<(Lit, Meaning)> = Vec::new();
        self.for_each(state, &q.variables, q.range.as_ref(), &q.body, &mut |e, s, active| {
            let value = e.meaning(s, &q.body);
            cases.push((active, value));
        });
        match q.quantifier {
            Quantifier::All => {
                let circuit = &mut self.engine.circuit;
                let all: Vec<Lit> =
                    cases.iter().map(|(l, m)| circuit.implies(*l, m.truth())).collect();
                Meaning::Truth(circuit.and_all(all))
            }
            Quantifier::Exists | Quantifier::No | Quantifier::One | Quantifier::Lone => {
                let circuit = &mut self.engine.circuit;
                let true_ones: Vec<Lit> =
                    cases.iter().map(|(l, m)| circuit.and(*l, m.truth())).collect();
                Meaning::Truth(self.how_many(q.quantifier, &true_ones))
            }
            Quantifier::Count => self.count(&cases),
            Quantifier::Sum => self.fold(state, Arithmetic::Add, 0, cases, &sort),
            Quantifier::Product => self.fold(state, Arithmetic::Multiply, 1, cases, &sort),
            Quantifier::Min => self.extreme(state, Comparison::Less, cases, &sort),
            Quantifier::Max => self.extreme(state, Comparison::Greater, cases, &sort),
        }
    }

    fn how_many(&mut self, quantifier: Quantifier, lits: &[Lit]) -> Lit {
        let circuit = &mut self.engine.circuit;
        let some = circuit.or_all(lits.iter().copied());
        let (mut before, mut twice) = (Lit::FALSE, Lit::FALSE);
        if matches!(quantifier, Quantifier::One | Quantifier::Lone) {
            for lit in lits {
                let again = circuit.and(before, *lit);
                twice = circuit.or(twice, again);
                before = circuit.or(before, *lit);
            }
        }
        match quantifier {
            Quantifier::No => !some,
            Quantifier::One => circuit.and(some, !twice),
            Quantifier::Lone => !twice,
            _ => some,
        }
    }

    fn count(&mut self, cases: &[(Lit, Meaning)]) -> Meaning {
        let circuit = &mut self.engine.circuit;
        let mut total = Bits::constant(64, 0);
        let lits: Vec<Lit> = cases.iter().map(|(l, m)| circuit.and(*l, m.truth())).collect();
        for part in lits.chunks(64) {
            let count = circuit.pop_count(&Bits::from_lits(part.to_vec()), 64);
            total = circuit.add(&total, &count);
        }
        Meaning::Number(total)
    }

    fn fold(
        &mut self,
        state: &mut State,
        op: Arithmetic,
        neutral: i64,
        cases: Vec<(Lit, Meaning)>,
        sort: &Sort,
    ) -> Meaning {
        let neutral = self.constant_of(sort, neutral);
        let mut total = neutral.clone();
        for (active, value) in cases {
            let part = self.choose(active, value, neutral.clone());
            total = self.combine(state, op, total, part, sort);
        }
        total
    }

    fn constant_of(&self, sort: &Sort, value: i64) -> Meaning {
        match sort {
            Sort::Number(Number::Big) => Meaning::Big(Wide::constant(value)),
            Sort::Number(Number::Float) => {
                Meaning::Number(Bits::constant(32, u64::from((value as f32).to_bits())))
            }
            Sort::Number(Number::Double) => {
                Meaning::Number(Bits::constant(64, (value as f64).to_bits()))
            }
            Sort::Number(number) => Meaning::Number(Bits::constant(width(*number), value as u64)),
            _ => Meaning::Number(Bits::constant(32, value as u64)),
        }
    }

    fn extreme(
        &mut self,
        state: &mut State,
        better: Comparison,
        cases: Vec<(Lit, Meaning)>,
        sort: &Sort,
    ) -> Meaning {
        let mut best = self.constant_of(sort, 0);
        let mut any = Lit::FALSE;
        for (active, value) in cases {
            let wins = self.compared(state, better, &value, &best, sort);
            let wins = self.engine.circuit.or(wins, !any);
            let takes = self.engine.circuit.and(active, wins);
            best = self.choose(takes, value, best);
            any = self.engine.circuit.or(any, active);
        }
        self.undefined_if(state, !any, || "a minimum or maximum over nothing".into());
        best
    }

    /// Visits all values of the variables. `body` may bound numbers too: as the left side of an
    /// implication, or as a conjunct.
    pub(crate) fn for_each(
        &mut self,
        state: &mut State,
        variables: &[Bound],
        range: Option<&Term>,
        body: &Term,
        visit: Visit<'_, 'e, 'a>,
    ) {
        self.bind(state, variables, range, body, Lit::TRUE, visit);
    }

    fn bind(
        &mut self,
        state: &State,
        variables: &[Bound],
        range: Option<&Term>,
        body: &Term,
        active: Lit,
        visit: Visit<'_, 'e, 'a>,
    ) {
        let Some((first, rest)) = variables.split_first() else {
            let mut inside = state.clone();
            let in_range = range.map_or(Lit::TRUE, |r| self.truth(&mut inside, r));
            let active = self.engine.circuit.and(active, in_range);
            if active != Lit::FALSE {
                inside.assume(&mut self.engine.circuit, in_range);
                visit(self, &mut inside, active);
            }
            return;
        };
        if let Domain::Numbers(number) = first.domain {
            self.bind_numbers(state, first, number, rest, range, body, active, visit);
            return;
        }
        let mut here = state.clone();
        for (value, member) in self.values(&mut here, first) {
            if member == Lit::FALSE {
                continue;
            }
            let mut inner = here.clone();
            inner.assume(&mut self.engine.circuit, member);
            if inner.is_dead() {
                continue;
            }
            let active = self.engine.circuit.and(active, member);
            self.bound.push((first.number, value));
            self.bind(&inner, rest, range, body, active, visit);
            self.bound.pop();
        }
    }

    /// The values of a variable that is no number, each with the literal that says whether it is
    /// in the domain.
    fn values(&mut self, state: &mut State, variable: &Bound) -> Vec<(Meaning, Lit)> {
        match &variable.domain {
            Domain::Numbers(_) => Vec::new(),
            Domain::Booleans => vec![
                (Meaning::Truth(Lit::FALSE), Lit::TRUE),
                (Meaning::Truth(Lit::TRUE), Lit::TRUE),
            ],
            Domain::Objects { class, nullable } => {
                let null = nullable.then_some((Atom::NULL, Lit::TRUE));
                let objects = self.objects_of(*class);
                let all = null.into_iter().chain(objects);
                all.map(|(a, l)| (Meaning::Reference(Ref::constant(a)), l)).collect()
            }
            Domain::Members(set) => {
                let set = self.relation(state, set);
                self.members(&set)
            }
            Domain::Everything => {
                let all = self.everything();
                let one = |a: Atom| Meaning::Relation(Relation::tuple(vec![Cell::Atom(a.0)]));
                all.into_iter().map(|(a, l)| (one(a), l)).collect()
            }
        }
    }

    fn members(&mut self, set: &Relation) -> Vec<(Meaning, Lit)> {
        let one = |t: &[Cell]| Meaning::Relation(Relation::tuple(t.to_vec()));
        let members = self.engine.circuit.distinct_members(set);
        members.into_iter().map(|(t, l)| (one(&t), l)).collect()
    }

    #[allow(clippy::too_many_arguments)]
    fn bind_numbers(
        &mut self,
        state: &State,
        variable: &Bound,
        number: Number,
        rest: &[Bound],
        range: Option<&Term>,
        body: &Term,
        active: Lit,
        visit: Visit<'_, 'e, 'a>,
    ) {
        let bounds = limits(variable.number, range, body);
        let mut state = state.clone();
        let Some(Limits { lower, upper }) = bounds else {
            let name = &variable.name;
            self.engine.unsupported(
                &mut state,
                format!(
                    "a quantifier over numbers whose range does not bound {name} on both sides"
                ),
            );
            return;
        };
        let sort = Sort::Number(number);
        let (start, strict) = (self.bound_value(&mut state, lower.0, number), lower.1);
        let end = self.bound_value(&mut state, upper.0, number);
        let one = self.constant_of(&sort, 1);
        let mut value = start.clone();
        let mut possible = active;
        if strict {
            // Above the greatest number there is none.
            let below = self.compared(&mut state, Comparison::Less, &start, &end, &sort);
            possible = self.engine.circuit.and(possible, below);
            value = self.combine(&mut state, Arithmetic::Add, value, one.clone(), &sort);
        }
        let admitted = match upper.1 {
            true => Comparison::Less,
            false => Comparison::LessEqual,
        };
        let inside = self.compared(&mut state, admitted, &value, &end, &sort);
        possible = self.engine.circuit.and(possible, inside);
        let mut tried = 0;
        let most = self.engine.limits.iterations.max(self.engine.scope.array_length + 2);
        loop {
            let reached = self.engine.circuit.and(state.guard, possible);
            if reached == Lit::FALSE {
                return;
            }
            let symbolic = !possible.is_constant();
            if symbolic && tried >= FREE_NUMBERS && self.engine.is_impossible(reached) {
                return;
            }
            if symbolic && tried > most {
                self.engine.cut_if(&mut state, possible, || "quantifier".into());
                return;
            }
            if !self.engine.tick(state.guard) {
                return;
            }
            let mut inner = state.clone();
            inner.assume(&mut self.engine.circuit, possible);
            self.bound.push((variable.number, value.clone()));
            self.bind(&inner, rest, range, body, possible, visit);
            self.bound.pop();
            let again = self.compared(&mut state, Comparison::Less, &value, &end, &sort);
            possible = self.engine.circuit.and(possible, again);
            value = self.combine(&mut state, Arithmetic::Add, value, one.clone(), &sort);
            if upper.1 {
                let inside = self.compared(&mut state, Comparison::Less, &value, &end, &sort);
                possible = self.engine.circuit.and(possible, inside);
            }
            tried += 1;
        }
    }

    fn bound_value(&mut self, state: &mut State, term: &Term, number: Number) -> Meaning {
        let meaning = self.meaning(state, term);
        match number {
            Number::Big => Meaning::Big(meaning.wide()),
            _ => {
                let bits = meaning.number();
                let wanted = width(number);
                let circuit = &mut self.engine.circuit;
                Meaning::Number(match bits.width() < wanted {
                    true => circuit.sign_extend(&bits, wanted),
                    false => circuit.truncate(&bits, wanted),
                })
            }
        }
    }
}

/// Bounds of a variable in the conjuncts of the range, of the left side of an implication, or of
/// the body itself.
fn limits<'t>(variable: u32, range: Option<&'t Term>, body: &'t Term) -> Option<Limits<'t>> {
    let (mut lower, mut upper) = (None, None);
    if let Some(range) = range {
        collect(variable, range, &mut lower, &mut upper);
    }
    if lower.is_none() || upper.is_none() {
        match &body.kind {
            TermKind::Connective(Connective::Implies, left, _) => {
                collect(variable, left, &mut lower, &mut upper);
            }
            _ => collect(variable, body, &mut lower, &mut upper),
        }
    }
    Some(Limits { lower: lower?, upper: upper? })
}

type Side<'t> = Option<(&'t Term, bool)>;

fn collect<'t>(variable: u32, term: &'t Term, lower: &mut Side<'t>, upper: &mut Side<'t>) {
    match &term.kind {
        TermKind::Connective(Connective::And | Connective::BothAnd, left, right) => {
            collect(variable, left, lower, upper);
            collect(variable, right, lower, upper);
        }
        TermKind::Compare(op, left, right) => {
            let (op, bound) = if is_variable(left, variable) && !mentions(right, variable) {
                (*op, &**right)
            } else if is_variable(right, variable) && !mentions(left, variable) {
                (mirrored(*op), &**left)
            } else {
                return;
            };
            match op {
                Comparison::Less => *upper = upper.or(Some((bound, true))),
                Comparison::LessEqual => *upper = upper.or(Some((bound, false))),
                Comparison::Greater => *lower = lower.or(Some((bound, true))),
                Comparison::GreaterEqual => *lower = lower.or(Some((bound, false))),
                Comparison::Equal => {
                    *lower = lower.or(Some((bound, false)));
                    *upper = upper.or(Some((bound, false)));
                }
                Comparison::NotEqual => {}
            }
        }
        _ => {}
    }
}

fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
        same => same,
    }
}

/// Whether a term is the variable, perhaps promoted.
fn is_variable(term: &Term, variable: u32) -> bool {
    match &term.kind {
        TermKind::Variable(Variable::Bound(number)) => *number == variable,
        TermKind::Cast(ir::Type::Int | ir::Type::Long, inner) | TermKind::Widen(inner) => {
            is_variable(inner, variable)
        }
        _ => false,
    }
}

/// Whether a bound depends on a variable: then it bounds nothing. Terms that bind variables of
/// their own are taken to.
fn mentions(term: &Term, variable: u32) -> bool {
    match &term.kind {
        TermKind::Variable(Variable::Bound(number)) => *number >= variable,
        TermKind::Boolean(_)
        | TermKind::Number(_)
        | TermKind::Text(_)
        | TermKind::Null
        | TermKind::TypeLiteral(_)
        | TermKind::Variable(_)
        | TermKind::Static(_) => false,
        TermKind::Field(inner, _)
        | TermKind::Length(inner)
        | TermKind::Cast(_, inner)
        | TermKind::Widen(inner)
        | TermKind::Negate(inner)
        | TermKind::Complement(inner)
        | TermKind::Old(inner)
        | TermKind::Cardinality(inner)
        | TermKind::Set(inner)
        | TermKind::Scalar(inner) => mentions(inner, variable),
        TermKind::Element(a, b) | TermKind::Arithmetic(_, a, b) => {
            mentions(a, variable) || mentions(b, variable)
        }
        TermKind::Call { arguments, .. } => arguments.iter().any(|a| mentions(a, variable)),
        TermKind::Reach { from, .. } => mentions(from, variable),
        TermKind::Conditional(a, b, c) => [a, b, c].iter().any(|t| mentions(t, variable)),
        _ => true,
    }
}
