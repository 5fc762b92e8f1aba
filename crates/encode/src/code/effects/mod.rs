//! What a method may do to the state, over everything that it may call: its frame condition
//! (Taghdiri & Jackson, section 5.3).
//!
//! What happens before an exception that nobody catches changes nothing that anybody sees, so
//! ways through a method that come to a return are told apart from all ways. Dispatch is that of the closed world: a
//! method of a given class is the one that the given classes below override it with. Where the
//! analysis cannot follow a call, the effects are unknown, never fewer.

mod counting;
mod held;
mod nonnull;

use crate::code::Subject;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ir::{
    BinaryOp, BlockId, Body, ClassId, Code, FieldId, Intrinsic, InvokeKind, MethodId, MethodRefId,
    Op,
};
use ir::{Program, Reg, Terminator, Type, UnaryOp};
use rustc_hash::FxHashMap;
use spec::core::Assigned;

use held::Held;
use nonnull::NonNull;

/// Methods that one question may lead to before the answer is that the effects are unknown.
const MOST_METHODS: usize = 400;

/// The objects whose field may be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// Those that are passed as the n-th argument, the receiver being the first.
    pub arguments: BTreeSet<u32>,
    /// Others that existed before.
    pub any: bool,
}

/// The arrays whose elements may be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrays {
    /// Those that are passed as the n-th argument.
    pub arguments: BTreeSet<u32>,
    /// Any array of these classes.
    pub classes: BTreeSet<ClassId>,
}

/// What code may do to the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub fields: BTreeMap<FieldId, Owners>,
    pub statics: BTreeSet<FieldId>,
    pub arrays: Arrays,
    /// The classes of new objects that may outlive it, arrays and strings among them. Their own
    /// fields are not among `fields`.
    pub makes: BTreeSet<ClassId>,
    /// Whether it may do anything at all.
    pub unknown: bool,
}

/// How a method may end other than by returning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// By an exception.
    pub throws: bool,
    /// Not within the bounds.
    pub goes_on: bool,
    /// At something without a model, the initialiser of a class included.
    pub traps: bool,
}

impl Failures {
    /// In all these ways.
    pub const ALL: Failures = Failures { throws: true, goes_on: true, traps: true };

    /// Whether it may end in any such way.
    pub fn any(self) -> bool {
        self.throws || self.goes_on || self.traps
    }

    /// Those that are among `asked` too.
    pub fn among(self, asked: Failures) -> Failures {
        Failures {
            throws: self.throws && asked.throws,
            goes_on: self.goes_on && asked.goes_on,
            traps: self.traps && asked.traps,
        }
    }

    fn add(&mut self, other: Failures) {
        self.throws |= other.throws;
        self.goes_on |= other.goes_on;
        self.traps |= other.traps;
    }
}

/// What a method may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Before it returns.
    pub changes: Changes,
    /// Before it ends in any way: what is seen by whoever catches its exceptions.
    pub at_worst: Changes,
    pub failures: Failures,
    /// Whether it may call itself.
    pub is_recursive: bool,
}

/// A call in a body.
struct Call {
    targets: Vec<MethodId>,
    arguments: Vec<Held>,
    /// Whether an exception may be caught around it.
    covered: bool,
    /// Whether a return can be reached from it.
    returning: bool,
}

/// The effects of methods, each computed once.
#[derive(Default)]
pub struct Analysis {
    known: FxHashMap<MethodId, Rc<Effects>>,
    loops: FxHashMap<(MethodId, BlockId, Vec<Reg>), Rc<Effects>>,
    made: FxHashMap<MethodId, BTreeMap<ClassId, usize>>,
}

impl Analysis {
    /// What a method may do.
    pub fn of(&mut self, subject: Subject<'_>, method: MethodId) -> Rc<Effects> {
        if let Some(known) = self.known.get(&method) {
            return known.clone();
        }
        let mut found: BTreeMap<MethodId, (Effects, Vec<Call>)> = BTreeMap::new();
        let mut work = vec![method];
        while let Some(next) = work.pop() {
            if found.contains_key(&next) {
                continue;
            }
            if found.len() >= MOST_METHODS {
                let unknown = Rc::new(Effects::anything());
                self.known.insert(method, unknown.clone());
                return unknown;
            }
            let (effects, calls) = match self.known.get(&next) {
                Some(known) => ((**known).clone(), Vec::new()),
                None => own_effects(subject, next),
            };
            work.extend(calls.iter().flat_map(|c| &c.targets));
            found.insert(next, (effects, calls));
        }
        mark_recursion(&mut found);
        while spread(&mut found) {}
        for (method, (effects, _)) in found {
            self.known.entry(method).or_insert_with(|| Rc::new(effects));
        }
        self.known[&method].clone()
    }

    /// How many objects of each class a method makes if every instruction runs once, in all that it
    /// calls: as many as it can make, but for loops and recursion.
    pub fn made_at_once(
        &mut self,
        subject: Subject<'_>,
        method: MethodId,
    ) -> BTreeMap<ClassId, usize> {
        if let Some(known) = self.made.get(&method) {
            return known.clone();
        }
        self.made.insert(method, BTreeMap::new());
        let mut made: BTreeMap<ClassId, usize> = BTreeMap::new();
        if let Code::Body(body) = subject.program.code(method) {
            for instr in body.blocks.iter().flat_map(|b| &b.instrs) {
                if let Op::New { class, .. } | Op::NewArray { class, .. } = instr.op {
                    *made.entry(class).or_default() += 1;
                }
            }
        }
        for call in own_effects(subject, method).1 {
            let mut most: BTreeMap<ClassId, usize> = BTreeMap::new();
            for target in call.targets {
                for (class, number) in self.made_at_once(subject, target) {
                    let known = most.entry(class).or_default();
                    *known = number.max(*known);
                }
            }
            for (class, number) in most {
                let known = made.entry(class).or_default();
                *known = known.saturating_add(number);
            }
        }
        self.made.insert(method, made.clone());
        made
    }

    /// What the rounds of a loop may do. Its parameters are the registers that are live at its head;
    /// those in `non_null` hold no null there.
    pub fn of_loop(
        &mut self,
        subject: Subject<'_>,
        (method, body): (MethodId, &Body),
        head: BlockId,
        non_null: Vec<Reg>,
    ) -> Rc<Effects> {
        let key = (method, head, non_null);
        if let Some(known) = self.loops.get(&key) {
            return known.clone();
        }
        let blocks = body.order().inside(head);
        let mut walk = Walk::new(subject, (method, body), body.liveness().at(head), &blocks);
        let kept = |reg: &&Reg| {
            let instrs = blocks.iter().flat_map(|b| &body.block(*b).instrs);
            instrs.filter(|i| i.dst() == Some(**reg)).count() == 0
        };
        let kept: Vec<Reg> = key.2.iter().filter(kept).copied().collect();
        let receiver = !subject.program.method(method).is_static;
        walk.effects.failures.goes_on = !counting::loop_ends(body, head);
        walk.blocks(&blocks, receiver, &kept);
        let (mut effects, calls) = (walk.effects, walk.calls);
        for call in calls {
            for target in &call.targets {
                effects.add(&self.of(subject, *target), &call);
            }
        }
        let effects = Rc::new(effects);
        self.loops.insert(key, effects.clone());
        effects
    }
}

/// A recursion may have no end within the bounds.
fn mark_recursion(found: &mut BTreeMap<MethodId, (Effects, Vec<Call>)>) {
    let methods: Vec<MethodId> = found.keys().copied().collect();
    for method in methods {
        let mut seen = BTreeSet::new();
        let mut work: Vec<MethodId> = callees(&found[&method].1);
        while let Some(next) = work.pop() {
            if seen.insert(next) {
                work.extend(callees(&found[&next].1));
            }
        }
        if seen.contains(&method) {
            let effects = &mut found.get_mut(&method).expect("it is one of them").0;
            (effects.failures.goes_on, effects.is_recursive) = (true, true);
        }
    }
}

fn callees(calls: &[Call]) -> Vec<MethodId> {
    calls.iter().flat_map(|c| c.targets.iter().copied()).collect()
}

/// Adds what callees do to what their callers do; `false` once nothing changes.
fn spread(found: &mut BTreeMap<MethodId, (Effects, Vec<Call>)>) -> bool {
    let mut changed = false;
    let methods: Vec<MethodId> = found.keys().copied().collect();
    for method in methods {
        let (mut effects, calls) = found.remove(&method).expect("it is one of them");
        let before = effects.clone();
        for call in &calls {
            for target in &call.targets {
                match found.get(target) {
                    Some((callee, _)) => effects.add(callee, call),
                    None => effects.add(&before, call),
                }
            }
        }
        changed |= effects != before;
        found.insert(method, (effects, calls));
    }
    changed
}

impl Effects {
    fn anything() -> Effects {
        let changes = Changes { unknown: true, ..Changes::default() };
        let (at_worst, failures) = (changes.clone(), Failures::ALL);
        Effects { changes, at_worst, failures, is_recursive: false }
    }

    fn add(&mut self, callee: &Effects, call: &Call) {
        self.failures.add(callee.failures);
        self.at_worst.add(&callee.at_worst, call);
        match (call.returning, call.covered) {
            (false, _) => {}
            (true, true) => self.changes.add(&callee.at_worst, call),
            (true, false) => self.changes.add(&callee.changes, call),
        }
    }
}

impl Changes {
    /// Whether anything that existed before may be different afterwards.
    pub fn is_any(&self) -> bool {
        let writes_elements = !self.arrays.arguments.is_empty() || !self.arrays.classes.is_empty();
        self.unknown || writes_elements || !self.fields.is_empty() || !self.statics.is_empty()
    }

    fn add(&mut self, callee: &Changes, call: &Call) {
        let passed = |argument: &u32| call.arguments[*argument as usize];
        for (field, owners) in &callee.fields {
            if owners.any {
                self.write(*field, Held::Other);
            }
            owners.arguments.iter().for_each(|a| self.write(*field, passed(a)));
        }
        callee.arrays.arguments.iter().for_each(|a| self.write_elements(passed(a)));
        self.arrays.classes.extend(&callee.arrays.classes);
        self.statics.extend(&callee.statics);
        self.makes.extend(&callee.makes);
        self.unknown |= callee.unknown;
    }

    fn write(&mut self, field: FieldId, owner: Held) {
        match owner {
            Held::Parameter(number) => {
                self.fields.entry(field).or_default().arguments.insert(number);
            }
            Held::Made => {}
            Held::ArrayOf(_) | Held::Other => self.fields.entry(field).or_default().any = true,
        }
    }

    fn write_elements(&mut self, array: Held) {
        match array {
            Held::Parameter(number) => {
                self.arrays.arguments.insert(number);
            }
            Held::ArrayOf(class) => {
                self.arrays.classes.insert(class);
            }
            Held::Made => {}
            Held::Other => self.unknown = true,
        }
    }
}

/// What the code of a method does itself, and its calls.
fn own_effects(subject: Subject<'_>, method: MethodId) -> (Effects, Vec<Call>) {
    let program = subject.program;
    if fills_exception(subject, method) {
        return (Effects { failures: Failures::ALL, ..Effects::default() }, Vec::new());
    }
    match program.code(method) {
        Code::Body(body) => {
            let blocks: Vec<BlockId> = (0..body.blocks.len() as u32).map(BlockId).collect();
            let mut walk = Walk::new(subject, (method, body), &body.params, &blocks);
            walk.effects.failures.goes_on = !counting::all_end(body);
            walk.blocks(&blocks, !program.method(method).is_static, &[]);
            (walk.effects, walk.calls)
        }
        Code::Intrinsic(intrinsic) if is_harmless(*intrinsic) => (Effects::default(), Vec::new()),
        Code::Intrinsic(_) => (Effects::anything(), Vec::new()),
        Code::Abstract | Code::Unsupported(_) => (without_code(subject, method), Vec::new()),
    }
}

/// Whether this is a constructor of an exception of the library, with a message at most: it fills its new
/// object, and does nothing else. (One with a cause asks that for its text.)
fn fills_exception(subject: Subject<'_>, method: MethodId) -> bool {
    let program = subject.program;
    let declared = program.method(method);
    let throwable = program.class_id("java.lang.Throwable");
    let is_exception = |class: ClassId| program.is_subtype(class, throwable);
    let is_foreign = program.class(declared.class).is_ok_and(|c| !c.is_given());
    // Constructors call a method that classes below may override.
    let overrides = |class: &&ClassId| {
        program.class(**class).is_ok_and(|loaded| {
            let fills = |m: &MethodId| &*program.method(*m).name == "fillInStackTrace";
            loaded.methods.iter().any(fills)
        })
    };
    &*declared.name == "<init>"
        && ["()V", "(Ljava/lang/String;)V"].contains(&&*declared.descriptor)
        && is_foreign
        && is_exception(declared.class)
        && !subject.given.iter().filter(|c| is_exception(**c)).any(|c| overrides(&c))
}

/// What a method may do of which there is no code: what its contract says, or nothing but end there.
fn without_code(subject: Subject<'_>, method: MethodId) -> Effects {
    let Some(contract) = subject.contracts.methods.get(&method).filter(|c| c.stands_for_calls())
    else {
        let failures = Failures { traps: true, ..Failures::default() };
        return Effects { failures, ..Effects::default() };
    };
    let refers = |ty: Type| ty.class().is_some();
    match contract.is_pure && !subject.program.method(method).result.is_some_and(refers) {
        true => Effects { failures: Failures::ALL, ..Effects::default() },
        // It may make objects, and who looks at all objects must know of them beforehand.
        false => Effects::anything(),
    }
}

/// Built-in methods that compute a number, or nothing.
fn is_harmless(intrinsic: Intrinsic) -> bool {
    matches!(
        intrinsic,
        Intrinsic::Nothing
            | Intrinsic::Pause
            | Intrinsic::ReturnFalse
            | Intrinsic::ReturnTrue
            | Intrinsic::SameBits
            | Intrinsic::BitCountInt
            | Intrinsic::BitCountLong
            | Intrinsic::MultiplyHigh
    )
}

struct Walk<'s, 'b> {
    subject: Subject<'s>,
    body: &'b Body,
    /// Instructions after which something is checked.
    assigned: &'s [Assigned],
    held: Vec<Held>,
    effects: Effects,
    calls: Vec<Call>,
    /// Whether a return can be reached from the block that is looked at.
    returning: bool,
}

impl<'s, 'b> Walk<'s, 'b> {
    fn new(
        subject: Subject<'s>,
        (method, body): (MethodId, &'b Body),
        params: &[Reg],
        blocks: &[BlockId],
    ) -> Self {
        let assigned = subject.contracts.assigned.get(&method).map_or(&[][..], Vec::as_slice);
        let held = held::holdings(subject.program, body, params, blocks);
        let (effects, calls) = (Effects::default(), Vec::new());
        Walk { subject, body, assigned, held, effects, calls, returning: true }
    }

    /// Notes what blocks do. `receiver` tells whether the first parameter of the body is one; the
    /// registers in `kept` are never null in these blocks.
    fn blocks(&mut self, blocks: &[BlockId], receiver: bool, kept: &[Reg]) {
        let returning = returning(self.body);
        let known = NonNull::of(self.body, receiver);
        let in_bounds = counting::loads_in_bounds(self.body);
        for index in blocks.iter().map(|b| b.index()) {
            let block = &self.body.blocks[index];
            let Some(mut now) = known.at(index).cloned() else {
                continue;
            };
            kept.iter().for_each(|reg| now[reg.index()] = true);
            self.returning = returning[index];
            self.effects.failures.throws |= !self.returning;
            for (number, instr) in block.instrs.iter().enumerate() {
                if let Some(object) = nonnull::dereferenced(&instr.op) {
                    self.effects.failures.throws |= !now[object.index()];
                }
                if let Op::ArrayLoad { .. } = instr.op {
                    self.effects.failures.throws |= !in_bounds[index].contains(&number);
                }
                if self.assigned.iter().any(|a| a.pc == instr.pc && Some(a.register) == instr.dst())
                {
                    self.change(|c| c.unknown = true);
                }
                self.instruction(&instr.op, !block.handlers.is_empty());
                nonnull::pass(&instr.op, instr.dst(), &mut now);
            }
            self.effects.failures.throws |= matches!(block.end, Terminator::Throw(_));
            self.effects.failures.traps |= matches!(block.end, Terminator::Unsupported { .. });
        }
    }

    /// Notes a change.
    fn change(&mut self, change: impl Fn(&mut Changes)) {
        change(&mut self.effects.at_worst);
        if self.returning {
            change(&mut self.effects.changes);
        }
    }

    fn instruction(&mut self, op: &Op, covered: bool) {
        let program = self.subject.program;
        match op {
            Op::PutField { object, field, .. } => match program.resolve_field(*field) {
                Ok(field) => {
                    let owner = self.held[object.index()];
                    self.change(|c| c.write(field, owner));
                }
                Err(_) => self.effects.failures.traps = true,
            },
            Op::PutStatic { field, .. } => match program.resolve_field(*field) {
                Ok(found) => {
                    self.change(|c| c.statics.extend([found]));
                    self.effects.failures.traps |=
                        has_initialiser(program, program.field(found).class);
                }
                Err(_) => self.effects.failures.traps = true,
            },
            Op::GetStatic { field, .. } => {
                let class = program.field_ref_class(*field);
                let resolved = program.resolve_field(*field);
                self.effects.failures.traps |= resolved.is_err() || has_initialiser(program, class);
                // An object of the library's static state is not one that exists at the call.
                let is_foreign = resolved.is_ok_and(|f| {
                    let field = program.field(f);
                    let is_given = program.class(field.class).is_ok_and(|c| c.is_given());
                    field.ty.class().is_some() && !is_given
                });
                self.change(|c| c.unknown |= is_foreign);
            }
            Op::GetField { field, .. } => {
                self.effects.failures.traps |= program.resolve_field(*field).is_err();
            }
            Op::ArrayStore { array, .. } => {
                let array = self.held[array.index()];
                self.change(|c| c.write_elements(array));
                self.effects.failures = Failures::ALL;
            }
            Op::CheckCast { .. } => self.effects.failures = Failures::ALL,
            Op::InstanceOf { .. } | Op::Unsupported { .. } => self.effects.failures.traps = true,
            Op::New { class, .. }
            | Op::NewArray { class, .. }
            | Op::NewMultiArray { class, .. } => {
                self.change(|c| c.makes.extend([*class]));
                self.effects.failures.throws |= !matches!(op, Op::New { .. });
                self.effects.failures.traps |= has_initialiser(program, *class);
            }
            Op::Concat { .. } => {
                let string = program.class_id("java.lang.String");
                self.change(|c| c.makes.extend([string]));
                self.effects.failures = Failures::ALL;
            }
            Op::Mark { .. } => self.change(|c| c.unknown = true),
            Op::Unary { op, .. } => {
                self.effects.failures.traps |= matches!(op, UnaryOp::Floating(_));
            }
            Op::Binary { op, .. } => match op {
                BinaryOp::DivInt | BinaryOp::RemInt | BinaryOp::DivLong | BinaryOp::RemLong => {
                    self.effects.failures.throws = true;
                }
                op => self.effects.failures.traps |= matches!(op, BinaryOp::Floating(_)),
            },
            Op::Invoke { kind, method, args, .. } => self.call(*kind, *method, args, covered),
            Op::Const { .. }
            | Op::Move { .. }
            | Op::ArrayLength { .. }
            | Op::ArrayLoad { .. }
            | Op::NullCheck { .. } => {}
        }
    }

    fn call(&mut self, kind: InvokeKind, method: MethodRefId, args: &[Reg], covered: bool) {
        let program = self.subject.program;
        let Ok(resolved) = program.resolve_method(method) else {
            self.effects.failures.traps = true;
            return;
        };
        if kind == InvokeKind::Static {
            let class = program.method(resolved).class;
            self.effects.failures.traps |= has_initialiser(program, class);
        }
        let Some(targets) = self.targets(kind, resolved) else {
            self.effects.failures.traps = true;
            self.change(|c| c.unknown = true);
            return;
        };
        self.effects.failures.traps |= targets.is_empty();
        self.effects.failures.throws |= targets.iter().any(|target| self.demands(*target));
        let arguments = args.iter().map(|r| self.held[r.index()]).collect();
        let returning = self.returning;
        self.calls.push(Call { targets, arguments, covered, returning });
    }

    /// Whether a call of the method may break what is stated: its preconditions, or invariants of
    /// what it gets.
    fn demands(&self, target: MethodId) -> bool {
        let Subject { program, contracts, .. } = self.subject;
        let contract = contracts.methods.get(&target);
        let method = program.method(target);
        let is_stated = |class: &ir::ClassId| {
            let stated = contracts.classes.get(class);
            stated.is_some_and(|stated| !stated.invariants.is_empty())
        };
        let has_invariants = |class: ir::ClassId| {
            program.class(class).is_ok_and(|c| c.supertypes().iter().any(is_stated))
        };
        let open = !method.is_private && !contract.is_some_and(|c| c.is_helper);
        let mut received = method.params.iter().filter_map(|ty| ty.class()).chain([method.class]);
        contract.is_some_and(|c| c.has_preconditions()) || (open && received.any(has_invariants))
    }

    /// The methods that a call may lead to; `None` if there may be others.
    fn targets(&self, kind: InvokeKind, resolved: MethodId) -> Option<Vec<MethodId>> {
        let program = self.subject.program;
        let declared = program.method(resolved);
        if matches!(kind, InvokeKind::Static | InvokeKind::Special) || declared.is_private {
            return Some(vec![resolved]);
        }
        let class = program.class(declared.class).ok()?;
        if !class.is_given() {
            return class.is_final.then(|| vec![resolved]);
        }
        // A lambda may stand for an interface with one method to implement.
        if class.is_interface && !class.interfaces.is_empty() {
            return None;
        }
        let open = class.methods.iter().filter(|m| program.method(**m).is_abstract).count();
        if class.is_interface && open <= 1 {
            return None;
        }
        let below = self.subject.given.iter().copied();
        let below = below.filter(|c| program.is_subtype(*c, declared.class));
        let below = below.filter(|c| program.class(*c).is_ok_and(|c| c.is_instantiable()));
        let mut targets: Vec<MethodId> = Vec::new();
        for class in below {
            targets.push(program.select(resolved, class).ok()?);
        }
        // Objects of which nothing is known but their type keep to the contract.
        let has_code = matches!(program.code(resolved), Code::Body(_) | Code::Intrinsic(_));
        let contract = self.subject.contracts.methods.get(&resolved);
        if !has_code && contract.is_some_and(|c| c.stands_for_calls()) {
            targets.push(resolved);
        }
        targets.sort_unstable();
        targets.dedup();
        Some(targets)
    }
}

/// Whether touching the class may run code, which may fail.
fn has_initialiser(program: &Program, class: ir::ClassId) -> bool {
    let Ok(loaded) = program.class(class) else {
        return true;
    };
    loaded.supertypes().iter().any(|c| match program.class(*c) {
        Ok(c) => program.declared_method(c, "<clinit>", "()V").is_some(),
        Err(_) => true,
    })
}

/// The blocks from which a return can be reached.
fn returning(body: &Body) -> Vec<bool> {
    let mut found: Vec<bool> =
        body.blocks.iter().map(|b| matches!(b.end, Terminator::Return(_))).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in body.blocks.iter().enumerate().rev() {
            if !found[index] && block.successors().any(|s| found[s.index()]) {
                found[index] = true;
                changed = true;
            }
        }
    }
    found
}
