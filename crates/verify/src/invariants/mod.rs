//! Invariants that nobody wrote and the code keeps: what holds of every object of a class after each
//! constructor and after each method that can write what they speak of.
//!
//! Houdini (Flanagan & Leino, 2001): assume all candidates, drop those that some method breaks, repeat until
//! none is dropped. What remains is inductive, so every state that the given code makes satisfies it, as far
//! as the scope goes. Constructors come first: they assume nothing of the new object, and most candidates
//! fall there. A method that is not followed to its end breaks whatever it can write.
//!
//! | file | what |
//! |---|---|
//! | `terms` | what candidates are made of |
//! | `candidates` | the templates |
//! | `writers` | which methods can write what |
//! | `preserve` | one method and the candidates it breaks |

mod candidates;
mod preserve;
pub(crate) mod terms;
mod writers;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use encode::Subject;
use ir::{ClassId, Code, FieldId, Method, MethodId, Program};
use spec::core::{Clause, Contracts};

use crate::options::Options;
use crate::pool::in_order;
use candidates::Candidate;
use preserve::Outcome;
use writers::Writers;

/// What was found to hold of the objects of a class.
pub struct Inferred {
    pub class: ClassId,
    pub clause: Clause,
}

/// What the given code keeps, on so many threads.
pub fn infer(subject: Subject<'_>, options: &Options, jobs: usize) -> Vec<Inferred> {
    let candidates = candidates(subject);
    let options = &in_scope(subject, options, &candidates);
    let mut houdini = Houdini::new(subject, options, jobs, candidates);
    let entries = entries(subject, &houdini.writers);
    let (constructors, methods): (Vec<MethodId>, Vec<MethodId>) =
        entries.into_iter().partition(|m| is_constructor(subject.program.method(*m)));
    houdini.drop_what_initialisers_write();
    houdini.until_nothing_is_dropped(&constructors);
    houdini.until_nothing_is_dropped(&methods);
    // Constructors assume something of their arguments, and that may be gone.
    let all: Vec<MethodId> = constructors.into_iter().chain(methods).collect();
    houdini.until_nothing_is_dropped(&all);
    houdini.proved()
}

/// What may hold of the objects of the given classes. Of a class that states what its objects satisfy nothing
/// is added: its author has said which states count.
fn candidates(subject: Subject<'_>) -> Vec<Candidate> {
    let stated = |class: &ClassId| {
        let contract = subject.contracts.classes.get(class);
        contract.is_some_and(|c| !c.invariants.is_empty() || !c.gaps.is_empty())
    };
    let silent: Vec<ClassId> = subject.given.iter().copied().filter(|c| !stated(c)).collect();
    candidates::all(subject.program, &silent)
}

/// What was found earlier, by class and text; nothing if the templates are not what they were.
pub fn recall(subject: Subject<'_>, known: &[(String, String)]) -> Option<Vec<Inferred>> {
    let program = subject.program;
    let candidates = candidates(subject);
    let mut by_text: BTreeMap<(&str, &str), &Candidate> = BTreeMap::new();
    for candidate in &candidates {
        let class = program.class_name(candidate.class);
        by_text.insert((class, &candidate.clause.site.text), candidate);
    }
    let find = |(class, text): &(String, String)| {
        let found = by_text.get(&(class.as_str(), text.as_str()))?;
        Some(Inferred { class: found.class, clause: found.clause.clone() })
    };
    known.iter().map(find).collect()
}

/// The contracts of a program with what was found.
pub fn with_inferred(contracts: &Contracts, inferred: &[Inferred]) -> Contracts {
    let mut contracts = contracts.clone();
    for found in inferred {
        let class = contracts.classes.entry(found.class).or_default();
        class.inferred.push(found.clause.clone());
    }
    contracts
}

/// Where objects may have others in common, two of them show it: more cost more. Arrays are as long as what is
/// said of their length needs.
fn in_scope(subject: Subject<'_>, options: &Options, candidates: &[Candidate]) -> Options {
    let mut options = options.clone();
    let longest = candidates::longest_array(subject.program, subject.given);
    options.scope.array_length = options.scope.array_length.max(longest);
    for owner in candidates.iter().filter(|c| c.of_all.is_some()) {
        let name = subject.program.class_name(owner.class);
        options.scope.per_class.insert(name.to_string(), 2);
    }
    options
}

struct Houdini<'a> {
    subject: Subject<'a>,
    options: &'a Options,
    jobs: usize,
    writers: Writers,
    candidates: Vec<Candidate>,
    /// The candidates, by number, that nothing has broken.
    alive: BTreeSet<u32>,
    /// Methods that break none of the candidates that are alive, with those that this rests on.
    kept: BTreeMap<MethodId, BTreeSet<u32>>,
}

impl<'a> Houdini<'a> {
    fn new(
        subject: Subject<'a>,
        options: &'a Options,
        jobs: usize,
        candidates: Vec<Candidate>,
    ) -> Houdini<'a> {
        Houdini {
            subject,
            options,
            jobs,
            writers: Writers::of(subject.program, subject.given),
            alive: (0..candidates.len() as u32).collect(),
            candidates,
            kept: BTreeMap::new(),
        }
    }

    /// What initialisers write after a constructor is written once and for all, and nothing is known of it.
    fn drop_what_initialisers_write(&mut self) {
        let writes = self.writers.of_initialisers();
        let touches = |c: &Candidate| {
            c.reads.iter().any(|f| writes.fields.contains(f)) || (c.elements && writes.elements)
        };
        let candidates = &self.candidates;
        self.alive.retain(|number| !touches(&candidates[*number as usize]));
    }

    fn until_nothing_is_dropped(&mut self, methods: &[MethodId]) {
        loop {
            let open: Vec<(MethodId, BTreeSet<u32>)> = methods
                .iter()
                .filter(|m| !self.kept.contains_key(m))
                .map(|m| (*m, self.touched(*m)))
                .filter(|(_, touched)| !touched.is_empty())
                .collect();
            if open.is_empty() || self.options.watch.is_interrupted() {
                break;
            }
            self.round(open);
        }
        if self.options.watch.is_interrupted() {
            self.alive.clear();
        }
    }

    /// Asks methods which candidates they break, all under the same assumptions.
    fn round(&mut self, open: Vec<(MethodId, BTreeSet<u32>)>) {
        let contracts = self.assumed();
        let subject = Subject { contracts: &contracts, ..self.subject };
        let options = self.options;
        let ask = |(method, _): &(MethodId, BTreeSet<u32>)| {
            // A failure of ours proves nothing.
            let run = AssertUnwindSafe(|| preserve::run(subject, *method, options));
            catch_unwind(run).ok()
        };
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        in_order(&open, self.jobs, ask, |outcome| outcomes.push(outcome));
        let mut dropped = BTreeSet::new();
        for ((method, touched), outcome) in open.into_iter().zip(outcomes) {
            match outcome {
                Some(mut outcome) if outcome.is_complete => {
                    let is_open = |number: &&u32| {
                        let candidate = &self.candidates[**number as usize];
                        let is_seen = outcome.seen.contains(&candidate.class);
                        !is_seen || (outcome.is_vague && candidate.elements)
                    };
                    let open: Vec<u32> = touched.iter().filter(is_open).copied().collect();
                    outcome.broken.extend(open);
                    if outcome.broken.is_empty() {
                        self.kept.insert(method, outcome.assumed);
                    }
                    dropped.extend(outcome.broken);
                }
                Some(_) | None => dropped.extend(touched),
            }
        }
        self.alive.retain(|number| !dropped.contains(number));
        self.kept.retain(|_, assumed| assumed.is_disjoint(&dropped));
    }

    /// The candidates that a method may break, as far as it shows without running it.
    fn touched(&self, method: MethodId) -> BTreeSet<u32> {
        let program = self.subject.program;
        let declared = program.method(method);
        let writes = self.writers.of_method(method);
        let constructed = is_constructor(declared).then_some(declared.class);
        let made: Vec<ClassId> = writes.makes.iter().copied().chain(constructed).collect();
        let breaks = |number: &u32| {
            let candidate = &self.candidates[*number as usize];
            candidate.reads.iter().any(|field| writes.fields.contains(field))
                || (candidate.elements && writes.elements)
                || made.iter().any(|class| program.is_subtype(*class, candidate.class))
        };
        self.alive.iter().copied().filter(breaks).collect()
    }

    /// The contracts with all candidates that are alive as invariants.
    fn assumed(&self) -> Contracts {
        let mut contracts = self.subject.contracts.clone();
        for number in &self.alive {
            let Candidate { class, clause, of_all, .. } = &self.candidates[*number as usize];
            let class = contracts.classes.entry(*class).or_default();
            match of_all {
                Some(of_all) => class.static_invariants.push(of_all.clone()),
                None => class.invariants.push(clause.clone()),
            }
        }
        contracts
    }

    /// What is left, without what the stronger ones imply.
    fn proved(self) -> Vec<Inferred> {
        let alive = || self.alive.iter().map(|number| &self.candidates[*number as usize]);
        let non_null: BTreeSet<FieldId> = alive().filter_map(|c| c.non_null).collect();
        let says_more = |c: &&Candidate| !c.nullable.iter().any(|field| non_null.contains(field));
        let mut ladders = BTreeSet::new();
        let mut found = Vec::new();
        for candidate in alive().filter(|c| says_more(c) && !c.is_about_pairs()) {
            if ladders.insert((candidate.class, candidate.ladder)) {
                found.push(Inferred { class: candidate.class, clause: candidate.clause.clone() });
            }
        }
        found
    }
}

fn is_constructor(method: &Method) -> bool {
    &*method.name == "<init>"
}

/// The methods that something outside may call: what they call is followed with them.
fn entries(subject: Subject<'_>, writers: &Writers) -> Vec<MethodId> {
    let program = subject.program;
    let mut found = Vec::new();
    for class in subject.given.iter().filter_map(|c| program.class(*c).ok()) {
        for id in &class.methods {
            let method = program.method(*id);
            if matches!(program.code(*id), Code::Body(_)) && is_entry(program, writers, method) {
                found.push(*id);
            }
        }
    }
    found
}

fn is_entry(program: &Program, writers: &Writers, method: &Method) -> bool {
    let is_abstract = || program.class(method.class).is_ok_and(|c| c.is_abstract);
    let made_first = || writers.of_initialisers().makes.contains(&method.class);
    match &*method.name {
        "<clinit>" => false,
        // That of a class below it calls it.
        "<init>" if is_abstract() => false,
        "<init>" => !(method.is_private || is_hidden(program, method)) || made_first(),
        // Nobody outside can name its class, nor call it through another one.
        _ if is_hidden(program, method) && !writers.is_handed_out(method.id) => false,
        // A bridge does what the method does that it leads to.
        _ if method.is_bridge => false,
        _ => !method.is_private || writers.is_handed_out(method.id),
    }
}

/// Whether only the code around a private class can call a method of it: it overrides nothing.
fn is_hidden(program: &Program, method: &Method) -> bool {
    let Ok(class) = program.class(method.class) else { return false };
    let overridden = |above: &ClassId| {
        program.class(*above).is_ok_and(|above| {
            let found = program.find_method(above, &method.name, &method.descriptor);
            found.is_some_and(|m| !program.method(m).is_static)
        })
    };
    let is_constructor = is_constructor(method);
    let above = || class.supertypes().iter().filter(|above| **above != class.id);
    class.is_private && (is_constructor || !above().any(overridden))
}
