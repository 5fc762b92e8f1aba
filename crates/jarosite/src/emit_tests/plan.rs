//! How to build the objects of an input: by what a person would write where that leads to the
//! same state, which the JVM is asked about, and otherwise past all constructors.
//!
//! For one object, every constructor is tried with values that the object is to hold; what is
//! then still different is assigned. If something different is private and the object is one that
//! the test starts from, a search over short sequences of its methods follows: each state reached
//! is compared with the wanted one.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use encode::execution::{Content, Datum, Execution, FieldDatum, Object, Outcome};
use ir::{Method, MethodId, Type};

use super::access::Access;
use super::harmless::Harmless;
use crate::replay::{Call, Ending, Observed, Replayer, Statics};

/// Most calls that are tried in one search, and how long a sequence gets.
const MOST_TRIES: usize = 4000;
const MOST_CALLS: usize = 4;
/// Most combinations of arguments that one method is tried with, and states kept after a round.
const MOST_ARGUMENTS: usize = 64;
const MOST_STATES: usize = 120;

/// How one object comes to be.
#[derive(Clone, Debug)]
pub(super) enum Making {
    /// A constructor, then methods.
    New { constructor: MethodId, arguments: Vec<Datum>, calls: Vec<(MethodId, Vec<Datum>)> },
    /// No constructor leads there, or none can be called.
    Bare,
    /// Another object's methods make it.
    Hidden,
    /// Strings, boxes, constants, arrays: by what they hold.
    Literal,
}

/// How all objects of an input are made, by index, and the fields still to be set.
pub(super) struct Plan {
    pub makings: BTreeMap<usize, Making>,
    pub assignments: Vec<(usize, FieldDatum)>,
}

pub(super) struct Planner<'a, 'p> {
    pub access: Access<'p>,
    pub execution: &'a Execution,
    pub jvm: &'a mut Replayer,
    pub harmless: Harmless<'p>,
}

/// A state on the way of a search: the heap and how it was reached.
#[derive(Clone)]
struct State {
    heap: Vec<Object>,
    constructor: MethodId,
    arguments: Vec<Datum>,
    calls: Vec<(MethodId, Vec<Datum>)>,
}

impl Planner<'_, '_> {
    pub fn plan(&mut self) -> Plan {
        let roots = self.roots();
        let mut plan = Plan { makings: BTreeMap::new(), assignments: Vec::new() };
        for index in reachable(&self.execution.pre, roots.iter().copied()) {
            let object = &self.execution.pre[index];
            let (making, missing) = match &object.content {
                Content::Fields(fields) => self.object(index, &object.class, fields),
                _ => (Making::Literal, Vec::new()),
            };
            plan.makings.insert(index, making);
            plan.assignments.extend(missing.into_iter().map(|field| (index, field)));
        }
        for root in &roots {
            self.prefer_methods(*root, &roots, &mut plan);
        }
        plan
    }

    /// The objects that the test itself has to name.
    fn roots(&self) -> Vec<usize> {
        let execution = self.execution;
        let receiver = execution.receiver.filter(|_| execution.method != "<init>");
        let arguments = execution.arguments.iter().map(|a| a.1);
        let statics = execution.statics.iter().map(|f| f.value);
        let mut roots = Vec::new();
        for datum in receiver.into_iter().chain(arguments).chain(statics) {
            if let Datum::Object(index) = datum
                && !roots.contains(&index)
                && index < execution.pre.len()
            {
                roots.push(index);
            }
        }
        roots
    }

    /// The constructor after which least is left to do, and what that is.
    fn object(
        &mut self,
        index: usize,
        class: &str,
        fields: &[FieldDatum],
    ) -> (Making, Vec<FieldDatum>) {
        let bare = (Making::Bare, fields.to_vec());
        if self.access.name(class).is_none() || !self.harmless.can_build(&self.execution.pre) {
            return bare;
        }
        let mut tries: Vec<(&Method, Vec<Datum>)> = Vec::new();
        for constructor in self.harmless_ones(self.access.constructors(class)) {
            for arguments in self.arguments_from(index, constructor, fields) {
                tries.push((constructor, arguments));
            }
        }
        let mut heap = self.execution.pre.clone();
        heap.push(blank(class));
        let created = heap.len() - 1;
        let calls: Vec<Call> =
            tries.iter().map(|(m, arguments)| self.construct(m, arguments, &heap)).collect();
        let Ok(observed) = self.jvm.observe(&calls, Statics::Shared) else {
            return bare;
        };
        let mut best: Option<(usize, Making, Vec<FieldDatum>)> = None;
        for ((constructor, arguments), seen) in tries.into_iter().zip(observed) {
            if !returned(&seen) || self.disturbs(&seen) {
                continue;
            }
            let Some(Content::Fields(now)) = seen.heap.get(created).map(|o| &o.content) else {
                continue;
            };
            // Once it is corrected, a constructor may leave something else than it does now.
            let is_record = self.access.class(class).is_some_and(|c| c.is_record);
            let is_sure = is_record || !self.access.violated.contains(&constructor.id);
            let missing: Vec<FieldDatum> =
                fields.iter().filter(|f| !is_sure || !now.contains(f)).cloned().collect();
            let private = missing.iter().filter(|f| !self.access.can_write(&f.class, &f.name));
            let cost = 100 * private.count() + 3 * missing.len() + arguments.len();
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                let (constructor, calls) = (constructor.id, Vec::new());
                best = Some((cost, Making::New { constructor, arguments, calls }, missing));
            }
        }
        best.map_or(bare, |(_, making, missing)| (making, missing))
    }

    /// What nobody understands to its end is not tried.
    fn harmless_ones<'m>(&mut self, mut methods: Vec<&'m Method>) -> Vec<&'m Method> {
        methods.retain(|method| self.harmless.can_call(method.id, &self.execution.pre));
        methods
    }

    /// Whether a constructor changed what it was given.
    fn disturbs(&self, seen: &Observed) -> bool {
        self.execution.pre.iter().zip(&seen.heap).any(|(wanted, now)| {
            match (&wanted.content, &now.content) {
                (Content::Fields(wanted), Content::Fields(now)) => {
                    wanted.iter().any(|f| !now.contains(f))
                }
                (Content::Array(wanted), Content::Array(now)) => wanted != now,
                _ => false,
            }
        })
    }

    fn construct(&self, constructor: &Method, arguments: &[Datum], heap: &[Object]) -> Call {
        Call {
            class: self.access.program.class_name(constructor.class).to_string(),
            method: "<init>".into(),
            descriptor: constructor.descriptor.to_string(),
            receiver: Some(Datum::Object(heap.len() - 1)),
            arguments: arguments.to_vec(),
            heap: heap.to_vec(),
            ..Call::default()
        }
    }

    /// Arguments for a constructor of an object: the field of the parameter's name, else any
    /// field of its type, else the default. Objects that lead back to this one cannot exist yet.
    fn arguments_from(
        &self,
        index: usize,
        constructor: &Method,
        fields: &[FieldDatum],
    ) -> Vec<Vec<Datum>> {
        let usable = |value: Datum| match value {
            Datum::Object(to) => !reachable(&self.execution.pre, [to]).contains(&index),
            _ => true,
        };
        let mut choices = Vec::new();
        for (number, ty) in constructor.params.iter().enumerate() {
            let name = constructor.param_names.get(number);
            let fits: Vec<&FieldDatum> =
                fields.iter().filter(|f| self.fits(*ty, f.value) && usable(f.value)).collect();
            let mut values: Vec<Datum> =
                fits.iter().filter(|f| Some(&f.name) == name).map(|f| f.value).collect();
            if values.is_empty() {
                values.extend(fits.iter().map(|f| f.value));
                values.push(default(*ty));
            }
            choices.push(distinct(values));
        }
        combinations(&choices)
    }

    /// Whether a value can be passed for a type.
    fn fits(&self, ty: Type, value: Datum) -> bool {
        let program = self.access.program;
        match (ty, value) {
            (Type::Boolean, Datum::Boolean(_))
            | (Type::Byte, Datum::Byte(_))
            | (Type::Char, Datum::Char(_))
            | (Type::Short, Datum::Short(_))
            | (Type::Int, Datum::Int(_))
            | (Type::Long, Datum::Long(_))
            | (Type::Float, Datum::Float(_))
            | (Type::Double, Datum::Double(_))
            | (Type::Ref(_), Datum::Null) => true,
            (Type::Ref(class), Datum::Object(index)) => {
                let object = self.execution.pre.get(index);
                object.is_some_and(|o| program.is_subtype(program.class_id(&o.class), class))
            }
            _ => false,
        }
    }

    /// Replaces what would be set past all access rules by calls, if a short sequence does it.
    fn prefer_methods(&mut self, root: usize, roots: &[usize], plan: &mut Plan) {
        let inside = reachable(&self.execution.pre, [root]);
        let is_hard = |index: &usize| {
            let is_bare = matches!(plan.makings.get(index), Some(Making::Bare));
            let private = |(i, f): &&(usize, FieldDatum)| {
                i == index && !self.access.can_write(&f.class, &f.name)
            };
            is_bare || plan.assignments.iter().any(|a| private(&a))
        };
        let is_object = matches!(self.execution.pre[root].content, Content::Fields(_));
        if !is_object || !inside.iter().any(is_hard) {
            return;
        }
        // What the methods make cannot be named, so nothing else may have to name it.
        let others: BTreeSet<usize> = roots
            .iter()
            .filter(|r| **r != root)
            .flat_map(|r| reachable(&self.execution.pre, [*r]))
            .collect();
        let is_shared = |i: &&usize| others.contains(i) && is_mutable(&self.execution.pre[**i]);
        if inside.iter().any(|i| is_shared(&i)) {
            return;
        }
        if let Some(found) = self.search(root, &inside) {
            plan.assignments.retain(|(index, _)| !inside.contains(index));
            for index in &inside {
                let literal = !is_mutable(&self.execution.pre[*index]);
                plan.makings.insert(*index, if literal { Making::Literal } else { Making::Hidden });
            }
            let State { constructor, arguments, calls, .. } = found;
            plan.makings.insert(root, Making::New { constructor, arguments, calls });
        }
    }

    /// Breadth first over what can be called.
    fn search(&mut self, root: usize, inside: &BTreeSet<usize>) -> Option<State> {
        let class = self.execution.pre[root].class.clone();
        self.access.name(&class)?;
        if !self.harmless.can_build(&self.execution.pre) {
            return None;
        }
        let values = self.vocabulary(inside);
        let mut heap = self.execution.pre.clone();
        heap.push(blank(&class));
        let created = heap.len() - 1;
        let mut tries: Vec<(State, Call)> = Vec::new();
        let constructors = self.harmless_ones(self.access.constructors(&class)).into_iter();
        for constructor in constructors.filter(|c| !self.access.violated.contains(&c.id)) {
            for arguments in self.arguments_of(constructor, &values) {
                let call = self.construct(constructor, &arguments, &heap);
                let (constructor, calls) = (constructor.id, Vec::new());
                tries.push((State { heap: Vec::new(), constructor, arguments, calls }, call));
            }
        }
        let methods = self.harmless_ones(self.access.methods(&class));
        let mut seen: HashSet<String> = HashSet::new();
        let mut spent = 0;
        for depth in 0..=MOST_CALLS {
            tries.truncate(MOST_TRIES.saturating_sub(spent));
            spent += tries.len();
            let calls: Vec<Call> = tries.iter().map(|t| t.1.clone()).collect();
            let observed = self.jvm.observe(&calls, Statics::Shared).ok()?;
            let mut states = Vec::new();
            for ((mut state, _), observed) in tries.into_iter().zip(observed) {
                if !returned(&observed) {
                    continue;
                }
                state.heap = observed.heap;
                if matches(&self.execution.pre, root, &state.heap, created) {
                    return Some(state);
                }
                if seen.insert(fingerprint(&state.heap, created)) {
                    states.push(state);
                }
            }
            states.truncate(MOST_STATES);
            tries = Vec::new();
            if depth == MOST_CALLS {
                break;
            }
            for state in &states {
                for method in &methods {
                    for arguments in self.arguments_of(method, &values) {
                        let mut next = state.clone();
                        next.calls.push((method.id, arguments.clone()));
                        let call = self.invoke(method, arguments, created, &state.heap);
                        tries.push((next, call));
                    }
                }
            }
        }
        None
    }

    fn invoke(&self, method: &Method, arguments: Vec<Datum>, on: usize, heap: &[Object]) -> Call {
        Call {
            class: self.access.program.class_name(method.class).to_string(),
            method: method.name.to_string(),
            descriptor: method.descriptor.to_string(),
            receiver: Some(Datum::Object(on)),
            arguments,
            heap: heap.to_vec(),
            ..Call::default()
        }
    }

    /// The values that occur in the wanted objects, and those that occur everywhere.
    fn vocabulary(&self, inside: &BTreeSet<usize>) -> Vec<Datum> {
        let mut values = Vec::new();
        for index in inside {
            let object = &self.execution.pre[*index];
            values.extend(held(object));
            if !is_mutable(object) {
                values.push(Datum::Object(*index));
            }
        }
        let is_plain = |v: &Datum| match v {
            Datum::Object(i) => self.execution.pre.get(*i).is_some_and(|o| !is_mutable(o)),
            _ => true,
        };
        values.retain(is_plain);
        values.extend([Datum::Int(0), Datum::Int(1), Datum::Boolean(true), Datum::Boolean(false)]);
        distinct(values)
    }

    fn arguments_of(&self, method: &Method, values: &[Datum]) -> Vec<Vec<Datum>> {
        let choices: Vec<Vec<Datum>> = method
            .params
            .iter()
            .map(|ty| {
                let fitting = values.iter().copied().filter(|v| self.fits(*ty, *v));
                distinct(fitting.chain([default(*ty)]).collect())
            })
            .collect();
        combinations(&choices)
    }
}

/// The objects that these lead to, themselves included, in the order of their indices.
pub(super) fn reachable(
    objects: &[Object],
    roots: impl IntoIterator<Item = usize>,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<usize> = roots.into_iter().collect();
    while let Some(index) = waiting.pop() {
        let Some(object) = objects.get(index) else {
            continue;
        };
        if found.insert(index) {
            waiting.extend(held(object).into_iter().filter_map(|d| match d {
                Datum::Object(to) => Some(to),
                _ => None,
            }));
        }
    }
    found
}

fn held(object: &Object) -> Vec<Datum> {
    match &object.content {
        Content::Fields(fields) => fields.iter().map(|f| f.value).collect(),
        Content::Array(elements) => elements.clone(),
        Content::Box { value, .. } => vec![*value],
        Content::Text { .. } | Content::Constant { .. } | Content::Mirror(_) | Content::Opaque => {
            Vec::new()
        }
    }
}

fn is_mutable(object: &Object) -> bool {
    matches!(object.content, Content::Fields(_) | Content::Array(_) | Content::Opaque)
}

fn returned(seen: &Observed) -> bool {
    matches!(seen.ending, Ending::Ended(Outcome::Returned(_)))
}

fn blank(class: &str) -> Object {
    Object { label: "new".into(), class: class.into(), content: Content::Fields(Vec::new()) }
}

fn default(ty: Type) -> Datum {
    match ty {
        Type::Boolean => Datum::Boolean(false),
        Type::Byte => Datum::Byte(0),
        Type::Char => Datum::Char(0),
        Type::Short => Datum::Short(0),
        Type::Int => Datum::Int(0),
        Type::Long => Datum::Long(0),
        Type::Float => Datum::Float(0),
        Type::Double => Datum::Double(0),
        Type::Ref(_) => Datum::Null,
    }
}

fn distinct(values: Vec<Datum>) -> Vec<Datum> {
    let mut seen = HashSet::new();
    values.into_iter().filter(|v| seen.insert(*v)).collect()
}

/// One value of each choice, in all ways, up to a number.
fn combinations(choices: &[Vec<Datum>]) -> Vec<Vec<Datum>> {
    let mut found = vec![Vec::new()];
    for values in choices {
        let longer = found.iter().flat_map(|start: &Vec<Datum>| {
            values.iter().map(|value| start.iter().copied().chain([*value]).collect())
        });
        found = longer.take(MOST_ARGUMENTS).collect();
    }
    found
}

/// Whether an object and all that it leads to look like the wanted one, one object for one.
fn matches(wanted: &[Object], root: usize, heap: &[Object], created: usize) -> bool {
    let mut forth: BTreeMap<usize, usize> = BTreeMap::new();
    let mut back: BTreeMap<usize, usize> = BTreeMap::new();
    let mut waiting = vec![(Datum::Object(root), Datum::Object(created))];
    while let Some(pair) = waiting.pop() {
        let (Datum::Object(a), Datum::Object(b)) = pair else {
            if pair.0 != pair.1 {
                return false;
            }
            continue;
        };
        match (forth.get(&a), back.get(&b)) {
            (Some(known), _) if *known == b => continue,
            (None, None) => {}
            _ => return false,
        }
        forth.insert(a, b);
        back.insert(b, a);
        let (Some(a), Some(b)) = (wanted.get(a), heap.get(b)) else {
            return false;
        };
        match (&a.content, &b.content) {
            _ if a.class != b.class => return false,
            (Content::Fields(wanted), Content::Fields(now)) => {
                for field in wanted {
                    let same = |f: &&FieldDatum| f.class == field.class && f.name == field.name;
                    match now.iter().find(same) {
                        Some(f) => waiting.push((field.value, f.value)),
                        None => return false,
                    }
                }
            }
            (Content::Array(wanted), Content::Array(now)) if wanted.len() == now.len() => {
                waiting.extend(wanted.iter().copied().zip(now.iter().copied()));
            }
            (Content::Text { units: wanted, .. }, Content::Text { units: now, .. })
                if wanted == now => {}
            (Content::Box { value: wanted, .. }, Content::Box { value: now, .. })
                if wanted == now => {}
            (Content::Constant { .. } | Content::Mirror(_), _) => return false,
            _ => return false,
        }
    }
    true
}

/// The state of an object as text, numbers of objects in the order in which they are met.
fn fingerprint(heap: &[Object], created: usize) -> String {
    let mut order: Vec<usize> = vec![created];
    let mut text = String::new();
    let mut at = 0;
    while let Some(object) = order.get(at).and_then(|i| heap.get(*i)) {
        text.push_str(&object.class);
        for datum in held(object) {
            match datum {
                Datum::Object(to) => {
                    let number = order.iter().position(|o| *o == to).unwrap_or_else(|| {
                        order.push(to);
                        order.len() - 1
                    });
                    text.push_str(&format!(" #{number}"));
                }
                other => text.push_str(&format!(" {other:?}")),
            }
        }
        if let Content::Text { units, .. } = &object.content {
            text.push_str(&format!(" {units:?}"));
        }
        text.push('\n');
        at += 1;
    }
    text
}
