//! Random invariants: canonical heaps and tight bounds change no verdict, and bounds leave room for
//! every heap that the plain evaluator accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use encode::atom::Name;
use encode::bounds::{Bounds, Row};
use encode::inputs::LeafKey;
use encode::{Scope, Subject};
use ir::{ClassId, FieldId, MethodId, Program};
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::tighten::compute;
use verify::{Cause, Options, Verdict, check_method};

use super::jml::{Domain, Expr, Maker, Reach};
use super::jml_value;
use super::world::{BODIES, Class, Datum, Heap, Object, World};
use crate::generate::random::Random;
use crate::heaps::brute;

const STACK: usize = 1 << 28;

/// What a method does first with fields that may hold anything.
const OPEN: [&str; 6] = [
    "",
    "",
    "if (n != null && n.any == n.next) k = 7;",
    "if (n != null && n.any instanceof Node) { Node o = (Node) n.any; o.val = k; n = o.next; }",
    "if (n != null && n.any instanceof Root) { Root o = (Root) n.any; o.first = n; }",
    "if (r != null && r.any instanceof Node) { Node o = (Node) r.any; o.next = n; k = o.val; }",
];

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: u64,
    pub cases: usize,
    /// Random heaps of each.
    pub heaps: usize,
}

/// What came of a run.
#[derive(Default, Debug)]
pub struct Tally {
    pub cases: usize,
    /// Cases whose input has bounds.
    pub bounded: usize,
    /// Heaps that satisfy their invariants.
    pub accepted: usize,
    pub verified: usize,
    pub violated: usize,
    pub vacuous: usize,
    pub undecided: BTreeMap<String, usize>,
    pub failures: Vec<String>,
}

/// Random invariants of two classes, and a method with random postconditions.
struct Case {
    seed: u64,
    root: Expr,
    node: Option<Expr>,
    ensures: Vec<Expr>,
    open: usize,
    body: usize,
}

impl Case {
    fn random(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let depth = 1 + random.below(3);
        let root = Maker::make(&mut random, depth);
        let number = random.below(8);
        let ensures = (0..6).map(|n| Maker::make(&mut random, 1 + n / 2)).collect();
        let body = random.below(BODIES.len());
        let open = random.below(OPEN.len());
        Case { seed, root: about_root(&root), node: of_nodes(number), ensures, open, body }
    }

    fn source(&self, package: &str) -> String {
        let this = |name: &str| ["r", "n"].contains(&name).then(|| Expr::Name("this".into()));
        let invariant = |e: &Expr| format!("//@ invariant {};", substitute(e, &this).text());
        let (root, node) = (invariant(&self.root), self.node.as_ref().map(invariant));
        let node = node.unwrap_or_default();
        let ensures = self.ensures.iter().map(|e| format!("//@ ensures {};\n    ", e.text()));
        let (ensures, body) = (ensures.collect::<String>(), BODIES[self.body]);
        let open = OPEN[self.open];
        format!(
            "package {package};
/*@ nullable_by_default @*/ class Node {{
    Node next; Node other; int val; boolean mark; Object any;
    {node}
}}
/*@ nullable_by_default @*/ class Leaf extends Node {{ long big; byte small; }}
/*@ nullable_by_default @*/ class Root {{
    Node first; Node second; int size; int[] data; Node[] nodes; Object any;
    {root}
}}
/*@ nullable_by_default @*/ abstract class Case {{
    {ensures}static Node run(Root r, Node n, int k) {{ {open} {body} }}
}}
"
        )
    }

    /// Whether a heap satisfies the invariants.
    fn accepts(&self, heap: &Heap) -> bool {
        let world = |r: Option<usize>, n: Option<usize>| World {
            before: heap.clone(),
            after: heap.clone(),
            r,
            n,
            k: 0,
            result: None,
        };
        let mut roots = heap.of(Class::Root);
        let mut nodes = heap.of(Class::Node);
        roots.all(|r| jml_value::holds(&world(Some(r), None), &self.root))
            && nodes.all(|n| {
                self.node.as_ref().is_none_or(|e| jml_value::holds(&world(None, Some(n)), e))
            })
    }
}

/// The expression with other expressions in place of some names.
fn substitute(e: &Expr, by: &dyn Fn(&str) -> Option<Expr>) -> Expr {
    let boxed = |e: &Expr| Box::new(substitute(e, by));
    let reach = |r: &Reach| Reach { from: boxed(&r.from), ..r.clone() };
    match e {
        Expr::Name(name) => by(name).unwrap_or_else(|| e.clone()),
        Expr::Truth(_) | Expr::Int(_) | Expr::Long(_) | Expr::Null => e.clone(),
        Expr::Field(of, field) => Expr::Field(boxed(of), field),
        Expr::Length(of) => Expr::Length(boxed(of)),
        Expr::Element(array, index) => Expr::Element(boxed(array), boxed(index)),
        Expr::Cast(ty, of) => Expr::Cast(ty, boxed(of)),
        Expr::InstanceOf(of, class) => Expr::InstanceOf(boxed(of), *class),
        Expr::HasType(of, class) => Expr::HasType(boxed(of), *class),
        Expr::Unary(op, of) => Expr::Unary(op, boxed(of)),
        Expr::Binary(op, a, b) => Expr::Binary(op, boxed(a), boxed(b)),
        Expr::Conditional(c, a, b) => Expr::Conditional(boxed(c), boxed(a), boxed(b)),
        // An invariant knows one state only.
        Expr::Old(of) => substitute(of, by),
        Expr::Fresh(of) => Expr::Binary("==", boxed(of), Box::new(Expr::Null)),
        Expr::Quantified { quantifier, variable, domain, range, body } => Expr::Quantified {
            quantifier,
            variable: variable.clone(),
            domain: match domain {
                Domain::Numbers { width, low, high } => Domain::Numbers {
                    width: *width,
                    low: (boxed(&low.0), low.1),
                    high: (boxed(&high.0), high.1),
                },
                other => other.clone(),
            },
            range: range.as_ref().map(|r| boxed(r)),
            body: boxed(body),
        },
        Expr::NonNullElements(of) => Expr::NonNullElements(boxed(of)),
        Expr::Has(r, of) => Expr::Has(reach(r), boxed(of)),
        Expr::Size(r) => Expr::Size(reach(r)),
        Expr::SameReach(a, b) => Expr::SameReach(reach(a), reach(b)),
    }
}

/// A condition about a root, a node and a number as one about the root alone.
fn about_root(e: &Expr) -> Expr {
    let field = |name: &'static str| Expr::Field(Box::new(Expr::Name("r".into())), name);
    substitute(e, &|name| match name {
        "n" => Some(field("first")),
        "k" => Some(field("size")),
        "\\result" => Some(field("second")),
        _ => None,
    })
}

/// An invariant of nodes; sometimes none.
fn of_nodes(number: usize) -> Option<Expr> {
    let n = || Box::new(Expr::Name("n".into()));
    let field = |name| Box::new(Expr::Field(n(), name));
    let next = || field("next");
    let null = || Box::new(Expr::Null);
    let binary = |op, a, b| Some(Expr::Binary(op, a, b));
    match number {
        0 => binary("!=", next(), n()),
        1 => binary(">=", field("val"), Box::new(Expr::Int(0))),
        2 => {
            let none = Expr::Binary("==", next(), null());
            let more = Box::new(Expr::Field(next(), "val"));
            let more = Expr::Binary(">", more, field("val"));
            binary("||", Box::new(none), Box::new(more))
        }
        3 => {
            let reach = Reach { from: next(), class: Some(Class::Node), fields: vec!["next"] };
            Some(Expr::Unary("!", Box::new(Expr::Has(reach, n()))))
        }
        4 => {
            let some = Expr::Binary("!=", field("other"), null());
            binary("==>", field("mark"), Box::new(some))
        }
        _ => None,
    }
}

fn scope() -> Scope {
    let per_class =
        [("Root", 1), ("Node", 2), ("Leaf", 1), ("Node[]", 1), ("Leaf[]", 0), ("int[]", 1)];
    Scope {
        objects: 2,
        per_class: per_class.into_iter().map(|(c, n)| (c.to_string(), n)).collect(),
        array_length: 2,
        nullable_parameters: true,
        ..Scope::default()
    }
}

/// Makes cases and compares.
pub fn run(plan: Plan) -> Result<Tally, String> {
    let jdk = Jdk::find()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let seeds = (0..plan.cases as u64).map(|n| plan.seed.wrapping_mul(1_000_033) + n);
    let cases: Vec<Case> = seeds.map(Case::random).collect();
    for (number, case) in cases.iter().enumerate() {
        let package = directory.path().join(format!("p{number}"));
        fs::create_dir_all(&package).map_err(|e| e.to_string())?;
        let text = case.source(&format!("p{number}"));
        fs::write(package.join("World.java"), text).map_err(|e| e.to_string())?;
    }
    let inputs = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    let project = Project::open(&jdk, &inputs)?;
    let work = || {
        let mut tally = Tally::default();
        for (number, case) in cases.iter().enumerate() {
            let found = Found::new(&project, &format!("p{number}."));
            let Some(found) = found.filter(Found::is_understood) else {
                *tally.undecided.entry("not resolved".into()).or_default() += 1;
                continue;
            };
            let one = || {
                let mut one = Tally { cases: 1, ..Tally::default() };
                one.verdicts(&found, case);
                one.bounds(&found, case, plan.heaps);
                one
            };
            let one = panic::catch_unwind(AssertUnwindSafe(one)).unwrap_or_else(|_| {
                let failures = vec![described(case, "it panics")];
                Tally { failures, ..Tally::default() }
            });
            tally.add(one);
        }
        tally
    };
    std::thread::scope(|scope| {
        let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let started = started.map_err(|e| e.to_string())?;
        started.join().map_err(|_| "a thread failed".to_string())
    })
}

fn described(case: &Case, what: &str) -> String {
    format!("seed {}\n{}{what}", case.seed, case.source("p"))
}

/// The compiled classes of a case.
struct Found<'p> {
    project: &'p Project,
    prefix: String,
    given: Vec<ClassId>,
    method: MethodId,
}

impl<'p> Found<'p> {
    fn new(project: &'p Project, prefix: &str) -> Option<Found<'p>> {
        let program = &project.program;
        let is_ours = |c: &ClassId| program.class_name(*c).starts_with(prefix);
        let given: Vec<ClassId> = project.given.iter().copied().filter(is_ours).collect();
        let class = program.class(program.class_id(&format!("{prefix}Case"))).ok()?;
        let mut methods = class.methods.iter().copied();
        let method = methods.find(|m| &*program.method(*m).name == "run")?;
        Some(Found { project, prefix: prefix.to_string(), given, method })
    }

    /// Whether all clauses could be resolved.
    fn is_understood(&self) -> bool {
        let contracts = &self.project.contracts;
        let method = contracts.methods.get(&self.method).is_some_and(|c| c.gaps.is_empty());
        let class = |c: &ClassId| contracts.classes.get(c).is_none_or(|c| c.gaps.is_empty());
        method && self.given.iter().all(class)
    }

    fn subject(&self) -> Subject<'_> {
        let Project { program, contracts, .. } = self.project;
        Subject { program, given: &self.given, contracts }
    }

    fn program(&self) -> &Program {
        &self.project.program
    }

    fn class(&self, kind: usize) -> ClassId {
        let name = KINDS[kind].name();
        let in_package = format!("{}{name}", self.prefix);
        self.program().class_id(if name == "int[]" { name } else { &in_package })
    }

    fn field(&self, name: &str) -> Option<FieldId> {
        let classes = self.given.iter().filter_map(|c| self.program().class(*c).ok());
        let mut fields = classes.flat_map(|c| c.fields.iter().copied());
        fields.find(|f| *self.program().field(*f).name == *name)
    }
}

/// The verdict, as far as it must be the same.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Verified,
    /// Properties and the clauses that they are about.
    Violated(BTreeSet<String>),
    Vacuous,
    /// Not comparable.
    Open(String),
    Wrong(String),
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.cases += other.cases;
        self.bounded += other.bounded;
        self.accepted += other.accepted;
        self.verified += other.verified;
        self.violated += other.violated;
        self.vacuous += other.vacuous;
        self.failures.extend(other.failures);
        for (why, count) in other.undecided {
            *self.undecided.entry(why).or_default() += count;
        }
    }

    fn verdicts(&mut self, found: &Found<'_>, case: &Case) {
        let base =
            Options { scope: scope(), timeout: Some(Duration::from_secs(5)), ..Options::default() };
        let variants = [
            ("everything", base.clone()),
            ("no bounds", Options { bounds: false, ..base.clone() }),
            ("no order", Options { order: false, ..base.clone() }),
            ("no symmetry", Options { symmetry: false, ..base }),
        ];
        let mut first: Option<(&str, Said)> = None;
        for (name, options) in &variants {
            let said = said(found, options);
            match (&said, &first) {
                (Said::Wrong(why), _) => {
                    self.failures.push(described(case, &format!("with {name}: {why}")));
                }
                (Said::Open(why), _) => {
                    *self.undecided.entry(why.clone()).or_default() += 1;
                }
                (_, None) => first = Some((name, said)),
                (_, Some((before, other))) if *other != said => {
                    let what = format!("with {before}: {other:?}\nwith {name}: {said:?}");
                    self.failures.push(described(case, &what));
                }
                _ => {}
            }
        }
        match first {
            Some((_, Said::Verified)) => self.verified += 1,
            Some((_, Said::Violated(_))) => self.violated += 1,
            Some((_, Said::Vacuous)) => self.vacuous += 1,
            _ => {}
        }
    }

    /// Heaps that satisfy the invariants are within the bounds.
    fn bounds(&mut self, found: &Found<'_>, case: &Case, heaps: usize) {
        let options = Options { scope: scope(), ..Options::default() };
        let deadline = std::time::Instant::now() + Duration::from_secs(5);
        let Some(tight) = compute(found.subject(), found.method, &options, Some(deadline)) else {
            return;
        };
        self.bounded += 1;
        let mut random = Random::new(case.seed ^ 0xb0d5);
        for _ in 0..heaps {
            let (heap, roots) = draw(&mut random);
            if !case.accepts(&heap) {
                continue;
            }
            self.accepted += 1;
            if let Some(outside) = outside(found, &tight.bounds, &heap, roots) {
                let what = format!("{outside} is excluded\nroots {roots:?} in {heap:#?}");
                self.failures.push(described(case, &what));
                return;
            }
        }
    }
}

fn said(found: &Found<'_>, options: &Options) -> Said {
    let result = check_method(found.subject(), found.method, options, None);
    let cause = match &result.verdict {
        Verdict::Undecided(cause) => Some(cause),
        Verdict::Verified { .. } | Verdict::Violated(_) => result.incomplete.as_ref(),
    };
    if let Some(cause @ (Cause::Refuted(_) | Cause::Internal(_))) = cause {
        return Said::Wrong(cause.to_string());
    }
    match &result.verdict {
        Verdict::Verified { .. } => Said::Verified,
        Verdict::Violated(violations) => match &result.incomplete {
            Some(cause) => Said::Open(format!("not complete: {cause}")),
            None => Said::Violated(
                violations
                    .iter()
                    .map(|v| {
                        let clause = v.clause.as_ref().map_or("", |c| c.text.as_str());
                        format!("{} {clause}", v.property.name())
                    })
                    .collect(),
            ),
        },
        Verdict::Undecided(Cause::Vacuous(_) | Cause::Narrow(_)) => Said::Vacuous,
        Verdict::Undecided(Cause::Unsupported { what, .. }) => Said::Open(what.clone()),
        Verdict::Undecided(cause) => Said::Open(cause.to_string()),
    }
}

/// The classes, in the order in which their objects are numbered.
const KINDS: [Class; 5] = [Class::Root, Class::Nodes, Class::Node, Class::Leaf, Class::Ints];

/// A random heap, all of it reached, with the arguments.
fn draw(random: &mut Random) -> (Heap, [Option<usize>; 2]) {
    let mut all = Heap::default();
    let classes = [Class::Root, Class::Node, Class::Node, Class::Leaf, Class::Nodes, Class::Ints];
    let nulls = *random.pick(&[2, 4, 9]);
    let reference = |random: &mut Random, of: &[usize]| match random.one_in(nulls) {
        true => Datum::Ref(None),
        false => Datum::Ref(Some(*random.pick(of))),
    };
    for (number, class) in classes.into_iter().enumerate() {
        let mut object = Object::new(class);
        let small = |random: &mut Random| match random.one_in(6) {
            true => random.interesting() as i32,
            false => random.below(4) as i32 - 1,
        };
        let mut set = |name: &str, value: Datum| {
            object.fields.insert(name.to_string(), value);
        };
        match class {
            Class::Root => {
                set("first", reference(random, &[1, 2, 3]));
                set("second", reference(random, &[1, 2, 3]));
                set("data", reference(random, &[5]));
                set("nodes", reference(random, &[4]));
                set("size", Datum::Int(small(random)));
            }
            Class::Node | Class::Leaf => {
                set("next", reference(random, &[1, 2, 3]));
                set("other", reference(random, &[1, 2, 3]));
                set("val", Datum::Int(small(random)));
                set("mark", Datum::Truth(random.one_in(2)));
            }
            Class::Nodes | Class::Ints => {
                for _ in 0..random.below(3) {
                    let element = match class {
                        Class::Nodes => reference(random, &[1, 2, 3]),
                        _ => Datum::Int(small(random)),
                    };
                    object.elements.push(element);
                }
            }
        }
        if class == Class::Leaf {
            object.fields.insert("big".into(), Datum::Long(i64::from(small(random))));
            object.fields.insert("small".into(), Datum::Int(random.below(9) as i32 - 4));
        }
        all.0.insert(number, object);
    }
    let pick = |d: Datum| if let Datum::Ref(to) = d { to } else { None };
    let roots = [pick(reference(random, &[0])), pick(reference(random, &[1, 2, 3]))];
    let mut reached: BTreeSet<usize> = BTreeSet::new();
    let mut work: Vec<usize> = roots.iter().flatten().copied().collect();
    while let Some(object) = work.pop() {
        if reached.insert(object) {
            work.extend(all.successors(object));
        }
    }
    all.0.retain(|number, _| reached.contains(number));
    (all, roots)
}

/// The references of a class, in order.
fn references(class: Class) -> &'static [&'static str] {
    match class {
        Class::Root => &["first", "second", "data", "nodes"],
        Class::Node | Class::Leaf => &["next", "other"],
        Class::Nodes | Class::Ints => &[],
    }
}

/// A leaf of a heap that the bounds exclude, if there is one.
fn outside(
    found: &Found<'_>,
    bounds: &Bounds,
    heap: &Heap,
    roots: [Option<usize>; 2],
) -> Option<String> {
    let id = |number: usize| {
        let class = heap.0[&number].class;
        (KINDS.iter().position(|k| *k == class).unwrap_or(0), number as u32)
    };
    let held = |object: &Object| {
        let mut all: Vec<Datum> =
            references(object.class).iter().map(|f| object.fields[*f]).collect();
        all.extend(&object.elements);
        let values = all.into_iter().map(|datum| match datum {
            Datum::Ref(to) => brute::Value::Object(to.map(id)),
            _ => brute::Value::Number(0),
        });
        values.collect::<Vec<brute::Value>>()
    };
    let bare = brute::Heap {
        roots: roots.iter().map(|r| r.map(id)).collect(),
        objects: heap.0.iter().map(|(number, object)| (id(*number), held(object))).collect(),
    };
    let names = bare.canonical_names(&[vec![0], vec![1], vec![2, 3], vec![4]], &[0, 1]);
    let name = |number: usize| {
        let (kind, number) = names[&id(number)];
        Name::Input(found.class(kind), number)
    };
    let excluded = |key: LeafKey, datum: Datum| {
        let admitted = match (bounds.get(&key), datum) {
            (None, _) => true,
            (Some(Row::References(row)), Datum::Ref(to)) => {
                row.contains(&to.map_or(Name::Null, name))
            }
            (Some(Row::Numbers(row)), Datum::Int(n)) => row.contains(&u64::from(n as u32)),
            (Some(Row::Numbers(row)), Datum::Long(n)) => row.contains(&(n as u64)),
            (Some(Row::Numbers(row)), Datum::Truth(b)) => row.contains(&u64::from(b)),
            _ => false,
        };
        (!admitted).then(|| format!("{key:?} = {datum:?}"))
    };
    for (number, root) in roots.iter().enumerate() {
        let key = LeafKey::Parameter(number as u32);
        if let Some(found) = excluded(key, Datum::Ref(*root)) {
            return Some(found);
        }
    }
    let mut twice: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (number, object) in &heap.0 {
        for (field, datum) in &object.fields {
            let field = found.field(field)?;
            if let Some(found) = excluded(LeafKey::Field(name(*number), field), *datum) {
                return Some(found);
            }
            let sets = bounds.unshared.iter().enumerate().filter(|s| s.1.contains(&field));
            for (set, _) in sets {
                if let Datum::Ref(Some(to)) = datum
                    && !twice.insert((set, *to))
                {
                    return Some(format!("sharing of object {to}"));
                }
            }
        }
        for (index, datum) in object.elements.iter().enumerate() {
            let key = LeafKey::Element(name(*number), index as u32);
            if let Some(found) = excluded(key, *datum) {
                return Some(found);
            }
        }
    }
    None
}
