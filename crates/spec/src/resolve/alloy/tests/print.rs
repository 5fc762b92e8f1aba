//! Terms as short texts: every operator by its name, what is in the state before by `@`.

use ir::Program;

use crate::core::{Bound, Comparison, Domain, Number, Sort, Term, TermKind, Variable};

pub(super) fn printed(program: &Program, term: &Term) -> String {
    let p = |t: &Term| printed(program, t);
    let one = |name: &str, t: &Term| format!("{name}({})", p(t));
    let two = |name: &str, l: &Term, r: &Term| format!("{name}({}, {})", p(l), p(r));
    match &term.kind {
        TermKind::Boolean(b) => b.to_string(),
        TermKind::Number(n) if term.sort == Sort::Number(Number::Int) => n.to_string(),
        TermKind::Number(n) => match term.sort {
            Sort::Number(Number::Long) => format!("{n}L"),
            ref other => format!("{n}:{other:?}"),
        },
        TermKind::Variable(variable) => match variable {
            Variable::This => "this".into(),
            Variable::Result => "result".into(),
            Variable::Parameter(n) => format!("p{n}"),
            Variable::Bound(n) => format!("x{n}"),
            other => format!("{other:?}"),
        },
        TermKind::Static(field) | TermKind::Relation(field) => {
            let field = program.field(*field);
            let class = ir::program::simple(program.class_name(field.class));
            format!("{class}.{}", field.name)
        }
        TermKind::Objects(class) => ir::program::simple(program.class_name(*class)).into(),
        TermKind::Universe => "univ".into(),
        TermKind::Identity => "iden".into(),
        TermKind::Empty => "{}".into(),
        TermKind::Old(inner) => format!("@{}", p(inner)),
        TermKind::Set(inner) => format!("{{{}}}", p(inner)),
        TermKind::Scalar(inner) => one("scalar", inner),
        TermKind::Not(inner) => one("not", inner),
        TermKind::Transpose(inner) => one("transpose", inner),
        TermKind::Closure(inner) => one("closure", inner),
        TermKind::ReflexiveClosure(inner) => one("reach", inner),
        TermKind::Cardinality(inner) => one("count", inner),
        TermKind::Multiplicity(m, inner) => one(&format!("{m:?}").to_lowercase(), inner),
        TermKind::Cast(ty, inner) => one(ty.keyword().unwrap_or("?"), inner),
        TermKind::In(l, r) => two("in", l, r),
        TermKind::Equal(l, r) => two("equal", l, r),
        TermKind::Combine(op, l, r) => two(&format!("{op:?}").to_lowercase(), l, r),
        TermKind::Arithmetic(op, l, r) => two(&format!("{op:?}").to_lowercase(), l, r),
        TermKind::Compare(op, l, r) => {
            let op = match op {
                Comparison::Equal => "==",
                Comparison::NotEqual => "!=",
                Comparison::Less => "<",
                Comparison::LessEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterEqual => ">=",
            };
            format!("({} {op} {})", p(l), p(r))
        }
        TermKind::Connective(op, l, r) => two(&format!("{op:?}").to_lowercase(), l, r),
        TermKind::Conditional(c, l, r) => format!("if({}, {}, {})", p(c), p(l), p(r)),
        TermKind::Let { variable, value, body, .. } => {
            format!("let(x{variable} = {}, {})", p(value), p(body))
        }
        TermKind::Quantified(q) => {
            let range = q.range.as_ref().map_or(String::new(), |r| format!(" & {}", p(r)));
            let name = format!("{:?}", q.quantifier).to_lowercase();
            format!("{name}({}{range} | {})", bounds(program, &q.variables), p(&q.body))
        }
        TermKind::Comprehension { variables, body } => {
            format!("those({} | {})", bounds(program, variables), p(body))
        }
        other => format!("{other:?}"),
    }
}

fn bounds(program: &Program, variables: &[Bound]) -> String {
    let one = |bound: &Bound| format!("{}{}", domain(program, bound), apart(bound));
    variables.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn apart(bound: &Bound) -> String {
    bound.apart.iter().map(|other| format!(" not x{other}")).collect()
}

fn domain(program: &Program, bound: &Bound) -> String {
    match &bound.domain {
        Domain::Members(term) => format!("x{}: {}", bound.number, printed(program, term)),
        Domain::Everything => format!("x{}", bound.number),
        other => format!("x{}: {other:?}", bound.number),
    }
}
