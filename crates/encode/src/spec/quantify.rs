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

use crate::spec::number::width;
use crate::spec::{Evaluator, Meaning};
use crate::state::State;
use crate::state::atom::Atom;
use crate::state::goal::QUANTIFIER;
use crate::state::value::Ref;

/// Numbers that are tried before the solver is asked whether there can be more.
const FREE_NUMBERS: u32 = 4;

/// What to do with one choice of values: the state knows that they are in their domains and in
/// range where the literal holds.
type Visit<'v, 'e, 'a> = &'v mut dyn FnMut(&mut Evaluator<'e, 'a>, &mut State, Lit);

/// Terms that can bound the variables of a quantifier.
#[derive(Clone, Copy)]
pub(crate) struct Bounding<'t> {
    /// What every value has to satisfy.
    pub range: Option<&'t Term>,
    /// Where only values that satisfy a conjunct of the body matter: the body.
    pub conjunction: Option<&'t Term>,
    /// Where only values that satisfy the left sides of implications matter: the body.
    pub implication: Option<&'t Term>,
}

impl<'t> Bounding<'t> {
    pub fn of(q: &'t Quantification) -> Bounding<'t> {
        let body = Some(&q.body);
        let (conjunction, implication) = match q.quantifier {
            Quantifier::All => (None, body),
            Quantifier::Exists
            | Quantifier::No
            | Quantifier::One
            | Quantifier::Lone
            | Quantifier::Count => (body, None),
            Quantifier::Sum | Quantifier::Product | Quantifier::Min | Quantifier::Max => {
                (None, None)
            }
        };
        Bounding { range: q.range.as_ref(), conjunction, implication }
    }

    /// For a comprehension.
    pub fn of_body(body: &'t Term) -> Bounding<'t> {
        Bounding { range: None, conjunction: Some(body), implication: None }
    }
}

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
        let bounding = Bounding::of(q);
        self.for_each(state, &q.variables, bounding, &mut |e, s, active| {
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
            let wins = self.compared(better, &value, &best, sort);
            let wins = self.engine.circuit.or(wins, !any);
            let takes = self.engine.circuit.and(active, wins);
            best = self.choose(takes, value, best);
            any = self.engine.circuit.or(any, active);
        }
        self.undefined_if(state, !any, || "a minimum or maximum over nothing".into());
        best
    }

    /// Visits all values of the variables.
    pub(crate) fn for_each(
        &mut self,
        state: &mut State,
        variables: &[Bound],
        bounding: Bounding<'_>,
        visit: Visit<'_, 'e, 'a>,
    ) {
        let variables: Vec<&Bound> = variables.iter().collect();
        self.bind(state, &variables, bounding, Lit::TRUE, visit);
    }

    fn bind(
        &mut self,
        state: &State,
        variables: &[&Bound],
        bounding: Bounding<'_>,
        active: Lit,
        visit: Visit<'_, 'e, 'a>,
    ) {
        let Some((first, rest)) = variables.split_first() else {
            let mut inside = state.clone();
            let in_range = bounding.range.map_or(Lit::TRUE, |r| self.truth(&mut inside, r));
            let active = self.engine.circuit.and(active, in_range);
            if active != Lit::FALSE {
                inside.assume(&mut self.engine.circuit, in_range);
                visit(self, &mut inside, active);
            }
            return;
        };
        if let Domain::Numbers(_) = first.domain {
            self.bind_numbers(state, variables, bounding, active, visit);
            return;
        }
        let mut here = state.clone();
        let unbound: Vec<u32> = variables.iter().map(|v| v.number).collect();
        let members = self.members_in_range(&mut here, first, &unbound, bounding);
        let (values, condition) = match members {
            Some((values, condition)) => (values, Some(condition)),
            None => (self.values(&mut here, first), None),
        };
        for (value, member) in values {
            let member = self.apart_from(first, &value, member);
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
            let at = self.bound.len() - 1;
            self.granted.extend(condition.map(|c| (std::ptr::from_ref(c), at)));
            self.bind(&inner, rest, bounding, active, visit);
            if condition.is_some() {
                self.granted.pop();
            }
            self.bound.pop();
        }
    }

    /// The literal of a value where it differs from those of the variables that it must differ
    /// from: the domains of later variables do not matter elsewhere.
    fn apart_from(&mut self, variable: &Bound, value: &Meaning, member: Lit) -> Lit {
        let mut apart = member;
        for number in &variable.apart {
            let other = self.bound.iter().rev().find(|b| b.0 == *number).map(|b| &b.1);
            if let (Meaning::Relation(value), Some(Meaning::Relation(other))) = (value, other) {
                let same = self.engine.circuit.same_members(value, other);
                apart = self.engine.circuit.and(apart, !same);
            }
        }
        apart
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

    /// Binds a number, the first of the variables whose bounds do not depend on the others.
    fn bind_numbers(
        &mut self,
        state: &State,
        variables: &[&Bound],
        bounding: Bounding<'_>,
        active: Lit,
        visit: Visit<'_, 'e, 'a>,
    ) {
        let unbound: Vec<u32> = variables.iter().map(|v| v.number).collect();
        let bounded = variables.iter().enumerate().find_map(|(at, v)| match v.domain {
            Domain::Numbers(number) => Some((at, number, limits(v.number, &unbound, bounding)?)),
            _ => None,
        });
        let mut state = state.clone();
        let listed = variables.iter().enumerate().find_map(|(at, v)| match v.domain {
            Domain::Numbers(number) => Some((at, number, listed(v.number, &unbound, bounding)?)),
            _ => None,
        });
        if let (None, Some((at, number, values))) = (&bounded, listed) {
            let rest = [&variables[..at], &variables[at + 1..]].concat();
            let variable = (variables[at].number, number);
            return self.bind_listed(&state, variable, &values, &rest, bounding, active, visit);
        }
        let Some((at, number, Limits { lower, upper })) = bounded else {
            let name = &variables[0].name;
            self.engine.unspecified(
                &mut state,
                format!("the range of the quantifier does not bound {name} on both sides"),
            );
            return;
        };
        let variable = variables[at];
        let rest = [&variables[..at], &variables[at + 1..]].concat();
        let (start, end) = (self.meaning(&mut state, lower.0), self.meaning(&mut state, upper.0));
        let work = working_sort(number, &lower.0.sort, &upper.0.sort);
        let (start, end) = (self.widened(&work, start), self.widened(&work, end));
        let below = upper.1;
        let (mut value, end, mut possible) =
            self.first_number(&mut state, &work, number, (start, lower.1), (end, below));
        possible = self.engine.circuit.and(active, possible);
        let one = self.constant_of(&work, 1);
        let mut tried = 0;
        let most = self.engine.run.limits.iterations.max(self.engine.scope.array_length + 2);
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
                self.engine.cut_if(&mut state, possible, || QUANTIFIER.into());
                return;
            }
            if !self.engine.tick(state.guard) {
                return;
            }
            let mut inner = state.clone();
            inner.assume(&mut self.engine.circuit, possible);
            let bound = self.narrowed_to(number, &value);
            self.bound.push((variable.number, bound));
            self.bind(&inner, &rest, bounding, possible, visit);
            self.bound.pop();
            // The next number is looked at only where this one is below the end: it cannot wrap.
            let mut again = self.compared(Comparison::Less, &value, &end, &work);
            value = self.combine(&mut state, Arithmetic::Add, value, one.clone(), &work);
            if below {
                again = self.compared(Comparison::Less, &value, &end, &work);
            }
            possible = self.engine.circuit.and(possible, again);
            tried += 1;
        }
    }

    /// Binds a number that has to be one of these, each only once.
    #[allow(clippy::too_many_arguments)]
    fn bind_listed(
        &mut self,
        state: &State,
        (variable, number): (u32, Number),
        values: &[&Term],
        rest: &[&Bound],
        bounding: Bounding<'_>,
        active: Lit,
        visit: Visit<'_, 'e, 'a>,
    ) {
        let work = values.iter().fold(Sort::Number(number), |work, value| match work {
            Sort::Number(number) => working_sort(number, &value.sort, &value.sort),
            other => other,
        });
        let mut state = state.clone();
        let mut before: Vec<Meaning> = Vec::new();
        for value in values {
            let value = self.meaning(&mut state, value);
            let value = self.widened(&work, value);
            let mut possible = active;
            if let Some((least, greatest)) = range_of(number, &work) {
                let (least, greatest) =
                    (self.constant_of(&work, least), self.constant_of(&work, greatest));
                let low = self.compared(Comparison::Less, &value, &least, &work);
                let high = self.compared(Comparison::Greater, &value, &greatest, &work);
                let outside = self.engine.circuit.or(low, high);
                possible = self.engine.circuit.and(possible, !outside);
            }
            for other in &before {
                let same = self.compared(Comparison::Equal, &value, other, &work);
                possible = self.engine.circuit.and(possible, !same);
            }
            before.push(value.clone());
            if self.engine.circuit.and(state.guard, possible) == Lit::FALSE {
                continue;
            }
            let mut inner = state.clone();
            inner.assume(&mut self.engine.circuit, possible);
            let bound = self.narrowed_to(number, &value);
            self.bound.push((variable, bound));
            self.bind(&inner, rest, bounding, possible, visit);
            self.bound.pop();
        }
    }

    /// The least number, the end (excluded if `below`), and whether there is any between them.
    fn first_number(
        &mut self,
        state: &mut State,
        work: &Sort,
        number: Number,
        (mut start, above): (Meaning, bool),
        (mut end, below): (Meaning, bool),
    ) -> (Meaning, Meaning, Lit) {
        let mut possible = Lit::TRUE;
        if above {
            // Where the bound is below the end its successor does not wrap.
            possible = self.compared(Comparison::Less, &start, &end, work);
            let one = self.constant_of(work, 1);
            start = self.combine(state, Arithmetic::Add, start, one, work);
        }
        if let Some((least, greatest)) = range_of(number, work) {
            let least = self.constant_of(work, least);
            let last = self.constant_of(work, greatest + i64::from(below));
            let low = self.compared(Comparison::Less, &start, &least, work);
            start = self.choose(low, least, start);
            let high = self.compared(Comparison::Greater, &end, &last, work);
            end = self.choose(high, last, end);
        }
        let admitted = if below { Comparison::Less } else { Comparison::LessEqual };
        let ordered = self.compared(admitted, &start, &end, work);
        (start, end, self.engine.circuit.and(possible, ordered))
    }

    fn widened(&mut self, work: &Sort, value: Meaning) -> Meaning {
        match work {
            Sort::Number(Number::Big) => Meaning::Big(value.wide()),
            Sort::Number(number) => {
                let wanted = width(*number);
                let bits = value.number();
                Meaning::Number(match bits.width() < wanted {
                    true => self.engine.circuit.sign_extend(&bits, wanted),
                    false => bits,
                })
            }
            _ => value,
        }
    }

    /// A number of the working sort as one of the variable's.
    fn narrowed_to(&mut self, number: Number, value: &Meaning) -> Meaning {
        match (number, value) {
            (Number::Big, value) => Meaning::Big(value.wide()),
            (number, Meaning::Big(wide)) => Meaning::Number(wide.low(width(number))),
            (number, value) => {
                let bits = value.number();
                Meaning::Number(self.engine.circuit.truncate(&bits, width(number)))
            }
        }
    }
}

/// The sort in which numbers are counted: wide enough for the variable and its bounds.
fn working_sort(number: Number, lower: &Sort, upper: &Sort) -> Sort {
    let is = |wanted: Number| {
        let sort = Sort::Number(wanted);
        number == wanted || *lower == sort || *upper == sort
    };
    match () {
        () if is(Number::Big) => Sort::Number(Number::Big),
        () if is(Number::Long) => Sort::Number(Number::Long),
        () => Sort::Number(Number::Int),
    }
}

/// The values of a type, where the working sort has more.
fn range_of(number: Number, work: &Sort) -> Option<(i64, i64)> {
    let (least, greatest) = match number {
        Number::Byte => (i64::from(i8::MIN), i64::from(i8::MAX)),
        Number::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Number::Char => (0, i64::from(u16::MAX)),
        Number::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        // A strict end lies one above.
        Number::Long => (i64::MIN, i64::MAX - 1),
        Number::Float | Number::Double | Number::Big => return None,
    };
    (*work != Sort::Number(number)).then_some((least, greatest))
}

/// Bounds of a variable in the conjuncts of what every value that matters satisfies. They may not
/// depend on variables that have no value yet; where such a variable itself is the bound, its own
/// bound will do (`0 <= i && i < j && j < n` bounds `i` by `n`, and `j` by 0).
fn limits<'t>(variable: u32, unbound: &[u32], bounding: Bounding<'t>) -> Option<Limits<'t>> {
    let mut comparisons = Vec::new();
    for term in bounding.range.into_iter().chain(bounding.conjunction) {
        collect(term, &mut comparisons);
    }
    let mut body = bounding.implication;
    while let Some(TermKind::Connective(Connective::Implies, left, right)) = body.map(|b| &b.kind) {
        collect(left, &mut comparisons);
        body = Some(&**right);
    }
    let sides = |op: Comparison| match op {
        Comparison::Less => Some((Side::Upper, true)),
        Comparison::LessEqual => Some((Side::Upper, false)),
        Comparison::Greater => Some((Side::Lower, true)),
        Comparison::GreaterEqual => Some((Side::Lower, false)),
        Comparison::Equal | Comparison::NotEqual => None,
    };
    let mut facts = Vec::new();
    for (op, left, right) in comparisons {
        for (op, of, bound) in [(op, left, right), (mirrored(op), right, left)] {
            let Some(of) = bound_variable(of) else {
                continue;
            };
            match sides(op) {
                Some((side, strict)) => facts.push(Fact { of, side, bound, strict }),
                None if op == Comparison::Equal => {
                    facts.push(Fact { of, side: Side::Lower, bound, strict: false });
                    facts.push(Fact { of, side: Side::Upper, bound, strict: false });
                }
                None => {}
            }
        }
    }
    let find = |side| bound_of(variable, side, &facts, unbound, unbound.len());
    Some(Limits { lower: find(Side::Lower)?, upper: find(Side::Upper)? })
}

/// The values of a variable where some condition that every value that matters satisfies lists
/// them, as in `n == a || n == b`.
fn listed<'t>(variable: u32, unbound: &[u32], bounding: Bounding<'t>) -> Option<Vec<&'t Term>> {
    let mut conditions = Vec::new();
    for term in bounding.range.into_iter().chain(bounding.conjunction) {
        conjuncts(term, &mut conditions);
    }
    let mut body = bounding.implication;
    while let Some(TermKind::Connective(Connective::Implies, left, right)) = body.map(|b| &b.kind) {
        conjuncts(left, &mut conditions);
        body = Some(&**right);
    }
    conditions.into_iter().find_map(|condition| {
        let mut values = Vec::new();
        lists(condition, variable, unbound, &mut values).then_some(values)
    })
}

fn conjuncts<'t>(term: &'t Term, found: &mut Vec<&'t Term>) {
    match &term.kind {
        TermKind::Connective(Connective::And | Connective::BothAnd, left, right) => {
            conjuncts(left, found);
            conjuncts(right, found);
        }
        _ => found.push(term),
    }
}

/// Whether a condition holds for these values of the variable only, at most.
fn lists<'t>(term: &'t Term, variable: u32, unbound: &[u32], values: &mut Vec<&'t Term>) -> bool {
    match &term.kind {
        TermKind::Connective(Connective::Or | Connective::BothOr, left, right) => {
            lists(left, variable, unbound, values) && lists(right, variable, unbound, values)
        }
        TermKind::Connective(Connective::And | Connective::BothAnd, left, right) => {
            let known = values.len();
            [left, right].into_iter().any(|side| {
                values.truncate(known);
                lists(side, variable, unbound, values)
            })
        }
        TermKind::Compare(Comparison::Equal, left, right) => {
            let sides = [(left, right), (right, left)];
            let value = sides.into_iter().find_map(|(of, value)| {
                let is_it = bound_variable(of) == Some(variable) && !mentions(value, unbound);
                is_it.then_some(&**value)
            });
            values.extend(value);
            value.is_some()
        }
        _ => false,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
}

/// A variable is not beyond a bound on one side.
struct Fact<'t> {
    of: u32,
    side: Side,
    bound: &'t Term,
    strict: bool,
}

fn bound_of<'t>(
    variable: u32,
    side: Side,
    facts: &[Fact<'t>],
    unbound: &[u32],
    steps: usize,
) -> Option<(&'t Term, bool)> {
    let own = || facts.iter().filter(|f| f.of == variable && f.side == side);
    if let Some(fact) = own().find(|f| !mentions(f.bound, unbound)) {
        return Some((fact.bound, fact.strict));
    }
    let through = |fact: &Fact<'t>| {
        let other = bound_variable(fact.bound).filter(|v| unbound.contains(v))?;
        bound_of(other, side, facts, unbound, steps.checked_sub(1)?)
    };
    own().find_map(through)
}

/// The comparisons among the conjuncts of a condition.
fn collect<'t>(term: &'t Term, found: &mut Vec<(Comparison, &'t Term, &'t Term)>) {
    match &term.kind {
        TermKind::Connective(Connective::And | Connective::BothAnd, left, right) => {
            collect(left, found);
            collect(right, found);
        }
        TermKind::Compare(op, left, right) => found.push((*op, left, right)),
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

/// The bound variable that a term is, perhaps promoted.
fn bound_variable(term: &Term) -> Option<u32> {
    match &term.kind {
        TermKind::Variable(Variable::Bound(number)) => Some(*number),
        TermKind::Widen(inner) => bound_variable(inner),
        TermKind::Cast(ir::Type::Long, inner) => bound_variable(inner),
        TermKind::Cast(ir::Type::Int, inner) => match inner.sort {
            Sort::Number(Number::Long | Number::Big) => None,
            _ => bound_variable(inner),
        },
        _ => None,
    }
}

/// Whether a bound depends on a variable that has no value yet: then it bounds nothing. Terms that bind variables of
/// their own are taken to.
pub(crate) fn mentions(term: &Term, unbound: &[u32]) -> bool {
    match &term.kind {
        TermKind::Variable(Variable::Bound(number)) => unbound.contains(number),
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
        | TermKind::Typed(_, inner)
        | TermKind::Fitted(_, inner)
        | TermKind::Widen(inner)
        | TermKind::Negate(inner)
        | TermKind::Complement(inner)
        | TermKind::Old(inner)
        | TermKind::Cardinality(inner)
        | TermKind::Set(inner)
        | TermKind::Scalar(inner) => mentions(inner, unbound),
        TermKind::Element(a, b) | TermKind::Arithmetic(_, a, b) => {
            mentions(a, unbound) || mentions(b, unbound)
        }
        TermKind::Call { arguments, .. } | TermKind::Array(_, arguments) => {
            arguments.iter().any(|a| mentions(a, unbound))
        }
        TermKind::Reach { from, .. } => mentions(from, unbound),
        TermKind::Conditional(a, b, c) => [a, b, c].iter().any(|t| mentions(t, unbound)),
        _ => true,
    }
}
