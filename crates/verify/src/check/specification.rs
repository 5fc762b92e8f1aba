//! Specifications in verdicts: what a violated clause shows, which gaps leave a method undecided,
//! and which clauses are to blame if nothing satisfies them.

use encode::Subject;
use encode::atom::Point;
use encode::decode::{BrokenClause, place};
use encode::execution::{Execution, Place};
use encode::inputs::{Constraint, Origin};
use ir::{MethodId, Program};
use logic::{Cancel, Circuit, Lit};
use sat::{Answer, Limits, Session};
use spec::core::{Gap, NON_NULL_BY_DEFAULT, Site};

use crate::result::{Cause, ViolatedClause};

const HOW_TO_ALLOW_NULL: &str = "in files with JML, references are non-null unless marked /*@ nullable @*/ or checked with --nullness nullable";

/// The first thing in the specification of a method or of its class that cannot be decided, and whether
/// nothing else that is specified rests on it. What everything rests on comes first. Where a static method
/// meets objects of its class, the engine says so.
pub fn gap(subject: Subject<'_>, method: MethodId) -> Option<(Cause, bool)> {
    let Subject { program, contracts, .. } = subject;
    let own = contracts.methods.get(&method).into_iter().flat_map(|c| &c.gaps);
    let declared = program.method(method);
    let class = declared.class;
    let supertypes = program.class(class).map(|c| c.supertypes()).unwrap_or_default();
    let of_class = supertypes.iter().filter_map(|c| contracts.classes.get(c));
    let of_class = of_class.flat_map(|c| &c.gaps);
    let of_class = of_class.filter(|gap| !declared.is_static || !gap.is_about_objects());
    let gaps = own.chain(of_class);
    let gap = gaps.min_by_key(|gap| gap.is_demand())?;
    let cause = Cause::Specification {
        what: without_place(&gap.reason).to_string(),
        at: Some(gap_place(program, method, gap)),
    };
    Some((cause, gap.is_demand()))
}

/// A reason may begin with the place that is told besides.
fn without_place(reason: &str) -> &str {
    match reason.split_once(": ") {
        Some((place, rest)) if place.chars().all(|c| c.is_ascii_digit() || c == ':') => rest,
        _ => reason,
    }
}

fn gap_place(program: &Program, method: MethodId, gap: &Gap) -> Place {
    let mut at = place(program, Point { method, line: gap.site.span.line });
    at.file = file_name(&gap.site.file).to_string();
    at
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Where a violation shows: at a point of the code, or where the method ends.
pub fn shown_at(program: &Program, at: Point, execution: &Execution) -> Place {
    if at.line != 0 {
        return place(program, at);
    }
    match execution.trace.iter().rev().find(|s| s.depth == 0) {
        Some(step) => step.place.clone(),
        None => {
            let line = program.method(at.method).line.unwrap_or(0);
            place(program, Point { line, ..at })
        }
    }
}

/// A violated clause as reports show it.
pub fn violated(site: &Site, failure: BrokenClause) -> ViolatedClause {
    ViolatedClause {
        file: site.file.to_string(),
        line: site.span.line,
        column: site.span.column,
        text: site.text.to_string(),
        part: failure.part,
        witness: failure.witness,
        sides: failure.sides,
        note: failure.note,
    }
}

/// Clauses as a person would point at them.
pub fn named<'s>(sites: impl IntoIterator<Item = &'s Site>) -> String {
    let mut sites: Vec<&Site> = sites.into_iter().collect();
    sites.sort();
    sites.dedup();
    let name = |s: &&Site| format!("`{}` ({}:{})", s.text, file_name(&s.file), s.span.line);
    let names = sites.iter().map(name).collect::<Vec<_>>().join(" and ");
    match sites.iter().any(|s| s.text.ends_with(NON_NULL_BY_DEFAULT)) {
        true => format!("{names}; {HOW_TO_ALLOW_NULL}"),
        false => names,
    }
}

/// A smallest set of clauses that nothing in the scope satisfies together.
pub fn blame(circuit: &Circuit, constraints: &[Constraint], cancel: Cancel) -> Cause {
    let mut session = Session::new();
    let mut clauses: Vec<(Lit, &Site)> = Vec::new();
    for (index, constraint) in constraints.iter().enumerate() {
        match &constraint.origin {
            Origin::Leaf(_) | Origin::Bound | Origin::Case | Origin::Callee(_) => {
                session.assert(circuit, constraint.lit, index as u32)
            }
            Origin::Clause(site) => clauses.push((constraint.lit, site)),
        }
    }
    let limits = Limits { deadline: None, conflicts: Some(100_000), cancel };
    let mut sites: Vec<&Site> = clauses.iter().map(|c| c.1).collect();
    sites.sort();
    sites.dedup();
    // Nobody has written what holds by default: blamed last.
    sites.sort_by_key(|site| !site.text.ends_with(NON_NULL_BY_DEFAULT));
    let mut kept = sites.clone();
    for site in sites {
        let fewer: Vec<Lit> =
            clauses.iter().filter(|c| c.1 != site && kept.contains(&c.1)).map(|c| c.0).collect();
        if session.solve(circuit, &fewer, &limits) == Answer::Unsat {
            kept.retain(|s| *s != site);
        }
    }
    Cause::Vacuous(match kept.is_empty() {
        true => "no input fits the scope".into(),
        false => named(kept),
    })
}
