//! Explanations, proofs and executions in words, for whoever shows them.

use crate::abstraction::Bit;
use crate::exact;
use crate::explanation::Explanation;
use crate::print;
use crate::program::{FrameId, Op, Path, Point, ProcId, Program, Space};
use crate::reach::{Proof, Search};
use crate::store::Cause;
use crate::term::{OFFSET_BITS, TermId, Terms, signed};
use std::collections::{BTreeMap, BTreeSet};

/// A predicate in words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Said {
    /// The procedure that it is local to.
    pub scope: Option<String>,
    /// The predicate.
    pub text: String,
}

/// A step of a path in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The procedure.
    pub procedure: String,
    /// The statement.
    pub text: String,
    /// Whether it belongs to the projection.
    pub relevant: bool,
    /// Whether its condition is one of those that contradict each other.
    pub contradicts: bool,
    /// The predicates that hold after it and did not before, or the values that it sets.
    pub after: Vec<String>,
}

/// Why some paths cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The predicates.
    pub predicates: Vec<Said>,
    /// Where values are named.
    pub annotations: Vec<String>,
    /// The first path with this explanation.
    pub path: Vec<Told>,
    /// How many paths have it.
    pub paths: usize,
    /// The places that are read on fresh names, because a condition says enough about them.
    pub weakened: Vec<String>,
    /// Where something undefined can happen on the way, beyond which no execution is followed.
    pub undefined: Vec<String>,
}

/// What holds at a point whenever it is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The procedure.
    pub procedure: String,
    /// A condition.
    pub text: String,
    /// The same for other tools, in C and in names of the program, or something weaker; if there is
    /// anything to say so.
    pub c: Option<String>,
}

impl Invariant {
    /// `file:line`.
    pub fn location(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// The explanations of a search; those with the same predicates are one.
pub fn reasons(search: &Search<'_>, program: &Program) -> Vec<Reason> {
    let mut all: Vec<Reason> = Vec::new();
    for (path, explanation) in &search.explanations {
        let reason = reason(&search.terms, program, path, explanation);
        match all.iter_mut().find(|known| known.predicates == reason.predicates) {
            Some(known) => known.paths += 1,
            None => all.push(reason),
        }
    }
    all
}

fn scope(program: &Program, owner: Option<ProcId>) -> Option<String> {
    owner.map(|owner| program.procedure(owner).name.clone())
}

/// One explanation in words.
pub fn reason(terms: &Terms, program: &Program, path: &Path, explanation: &Explanation) -> Reason {
    let space = &explanation.space;
    let say = |term: TermId| print::term(terms, space, term);
    let predicates = explanation.predicates.iter().map(|predicate| Said {
        scope: scope(program, predicate.owner),
        text: say(predicate.term),
    });
    let mut predicates: Vec<Said> = predicates.collect();
    predicates.sort();
    let mut annotations: Vec<String> = explanation
        .annotations
        .iter()
        .map(|annotation| {
            let name = &space.variable(annotation.name).name;
            let procedure = &program.procedure(path.procedure(annotation.frame)).name;
            let place = match path.steps.get(annotation.before) {
                Some(step) => format!("before {}:{}", step.origin.file, step.origin.line),
                None => "at the end".to_owned(),
            };
            format!("{name} is the value of {} in {procedure} {place}", say(annotation.place))
        })
        .collect();
    annotations.dedup();
    let mut told = steps(program, path, explanation.last);
    for (index, step) in told.iter_mut().enumerate() {
        step.relevant = explanation.projection.steps.contains(&index);
        step.contradicts = explanation.contradiction.contains(&index);
        if let (Some(before), Some(after)) =
            (explanation.known.get(index), explanation.known.get(index + 1))
        {
            let new = after.difference(before).filter_map(|bit| match bit {
                Bit::Predicate(position, _) => Some(say(explanation.predicates[*position].term)),
                Bit::Mapping(_) => None,
            });
            step.after = new.collect();
        }
    }
    let weakened = explanation.abstracted.iter().map(|&(step, place)| {
        let origin = &path.steps[step].origin;
        format!(
            "the value of {} before {}:{} does not matter: `{}` says enough",
            say(place),
            origin.file,
            origin.line,
            origin.text
        )
    });
    let weakened = weakened.collect();
    let undefined = explanation.undefined.iter().map(|&step| {
        let origin = &path.steps[step].origin;
        format!("{}:{} `{}` can be undefined here", origin.file, origin.line, origin.text)
    });
    let undefined = undefined.collect();
    Reason { predicates, annotations, path: told, paths: 1, weakened, undefined }
}

fn steps(program: &Program, path: &Path, last: usize) -> Vec<Told> {
    let told = path.steps.iter().take(last + 1).map(|step| Told {
        file: step.origin.file.clone(),
        line: step.origin.line,
        procedure: program.procedure(path.procedure(step.frame)).name.clone(),
        text: step.origin.text.clone(),
        relevant: true,
        contradicts: false,
        after: Vec::new(),
    });
    told.collect()
}

/// What a proof found out about the points to which loops come back, and about entries and ends of
/// procedures where something is known.
pub fn invariants(terms: &Terms, program: &Program, proof: &Proof) -> Vec<Invariant> {
    let mut all = Vec::new();
    for (&(procedure, point), alternatives) in &proof.invariants {
        if !is_loop_head(program, procedure, point) {
            continue;
        }
        let node = &program.procedure(procedure).nodes[point.0 as usize];
        let Some(origin) = node.edges.first().map(|edge| &edge.origin) else { continue };
        // An alternative that says less covers one that says more.
        let weakest: BTreeSet<&BTreeSet<usize>> = alternatives
            .iter()
            .filter(|one| !alternatives.iter().any(|other| other != *one && other.is_subset(one)))
            .collect();
        let conjunctions = weakest.iter().map(|one| {
            let texts: Vec<String> = one
                .iter()
                .map(|&index| print::term(terms, &proof.space, proof.predicates[index].term))
                .collect();
            texts
        });
        let conjunctions: Vec<Vec<String>> = conjunctions.collect();
        if conjunctions.iter().any(Vec::is_empty) {
            continue;
        }
        let several = conjunctions.len() > 1;
        let mut texts: Vec<String> = conjunctions
            .into_iter()
            .map(|texts| {
                let joined = texts.join(" && ");
                if several && texts.len() > 1 { format!("({joined})") } else { joined }
            })
            .collect();
        texts.sort();
        all.push(Invariant {
            file: origin.file.clone(),
            line: origin.line,
            c: in_c(terms, proof, &weakest),
            procedure: program.procedure(procedure).name.clone(),
            text: texts.join(" || "),
        });
    }
    all
}

/// The part of some alternatives that is exactly C: what is left out of one only makes it weaker.
fn in_c(terms: &Terms, proof: &Proof, weakest: &BTreeSet<&BTreeSet<usize>>) -> Option<String> {
    let mut alternatives = BTreeSet::new();
    for one in weakest {
        let terms_of = one.iter().map(|&index| proof.predicates[index].term);
        let said = terms_of.filter(|&term| exact::is_c(terms, &proof.space, term));
        let texts: Vec<String> =
            said.map(|term| format!("({})", print::term(terms, &proof.space, term))).collect();
        if texts.is_empty() {
            return None;
        }
        alternatives.insert(format!("({})", texts.join(" && ")));
    }
    let all: Vec<String> = alternatives.into_iter().collect();
    (!all.is_empty()).then(|| all.join(" || "))
}

/// Whether a path from a point comes back to it without leaving the procedure, and the point is
/// the first of the loop in the order in which points were made.
pub(crate) fn is_loop_head(program: &Program, procedure: ProcId, point: Point) -> bool {
    let nodes = &program.procedure(procedure).nodes;
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<Point> = nodes[point.0 as usize]
        .edges
        .iter()
        .map(|edge| edge.to)
        .filter(|to| *to >= point)
        .collect();
    while let Some(at) = waiting.pop() {
        if at == point {
            return true;
        }
        if !seen.insert(at) {
            continue;
        }
        let edges = nodes.get(at.0 as usize).map(|node| &node.edges[..]).unwrap_or_default();
        waiting.extend(edges.iter().map(|edge| edge.to).filter(|to| *to >= point));
    }
    false
}

/// An execution in words: the steps with the values that they set, and the inputs.
pub struct Execution {
    /// What was unknown, in order: whose value it is, and the value.
    pub inputs: Vec<(String, String)>,
    /// The steps.
    pub steps: Vec<Told>,
}

/// The execution along a path that can be taken, where `pointers` are the places that hold addresses; `None` if the solver gives up the second time.
pub fn execution(
    search: &mut Search<'_>,
    program: &Program,
    path: &Path,
    space: &Space,
    pointers: &BTreeSet<TermId>,
) -> Option<Execution> {
    let (context, mut values, mut words) = search.values(space, path, pointers)?;
    let terms = &search.terms;
    let mut told = steps(program, path, path.steps.len());
    let mut inputs = Vec::new();
    let mut objects: BTreeMap<u64, String> = BTreeMap::new();
    for entry in &context.store.entries {
        let text = print::term(terms, space, entry.place);
        let width = terms.width(entry.place);
        let value = words.value(terms, &mut values, entry.value);
        let is_address = pointers.contains(&entry.place);
        let shown = shown(&context, (width, is_address), value, &mut objects, entry.frame);
        match (entry.cause, path.steps.get(entry.step).map(|step| &step.op)) {
            (Cause::Exposed, _) => inputs.push((text, shown)),
            (Cause::Assigned, Some(Op::Unknown { why, .. })) => {
                inputs.push((why.to_string(), shown.clone()));
                told[entry.step].after.push(format!("{text} = {shown}"));
            }
            (
                Cause::Assigned | Cause::Renamed,
                Some(Op::Assign { .. } | Op::Return { .. } | Op::Call { .. } | Op::Allocate { .. }),
            ) if entry.cause == Cause::Assigned
                || matches!(path.steps[entry.step].op, Op::Call { .. } | Op::Return { .. }) =>
            {
                told[entry.step].after.push(format!("{text} = {shown}"));
            }
            _ => {}
        }
    }
    Some(Execution { inputs, steps: told })
}

fn shown(
    context: &crate::simulate::Context<'_>,
    (width, is_address): (u32, bool),
    value: u64,
    objects: &mut BTreeMap<u64, String>,
    frame: FrameId,
) -> String {
    let object = value >> OFFSET_BITS;
    if !is_address || object == 0 {
        return signed(width, value).to_string();
    }
    let next = objects.len() + 1;
    let known = context.store.variable_of(object as u32, frame);
    let name = objects.entry(object).or_insert_with(|| match known {
        Some(variable) => format!("&{}", context.store.name_of(variable)),
        None => format!("object#{next}"),
    });
    let offset = value & ((1 << OFFSET_BITS) - 1);
    if offset == 0 { name.clone() } else { format!("{name} + {offset}") }
}
