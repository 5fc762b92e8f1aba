//! What a method may do to the state, over everything that it may call: its frame condition
//! (Taghdiri & Jackson, section 5.3).
//!
//! Only ways through a method that come to a return count: what happens before an exception that
//! nobody catches changes nothing that anybody sees. Dispatch is that of the closed world: a
//! method of a given class is the one that the given classes below override it with. Where the
//! analysis cannot follow a call, the effects are unknown, never fewer.

mod nonnull;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ir::order::Element;
use ir::{BinaryOp, Body, Code, FieldId, Intrinsic, InvokeKind, MethodId, MethodRefId, Op};
use ir::{Program, Reg, Terminator, UnaryOp};
use rustc_hash::FxHashMap;

use crate::engine::Subject;
use nonnull::NonNull;

/// Methods that one question may lead to before the answer is that the effects are unknown.
const MOST_METHODS: usize = 400;

/// The objects whose field may be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// Those that are passed as the n-th argument, the receiver being the first.
    pub arguments: BTreeSet<u32>,
    /// Others.
    pub any: bool,
}

/// What a method may do before it returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    pub fields: BTreeMap<FieldId, Owners>,
    pub statics: BTreeSet<FieldId>,
    /// Whether elements of arrays may be written.
    pub arrays: bool,
    /// Whether new objects may outlive it.
    pub allocates: bool,
    /// Whether it may end in another way than by returning: by an exception, at something without
    /// a model, or not at all.
    pub may_fail: bool,
    /// Whether it may do anything at all.
    pub unknown: bool,
}

/// A call in a body.
struct Call {
    targets: Vec<MethodId>,
    /// What is passed, where it is a parameter of the caller.
    arguments: Vec<Option<u32>>,
    /// Whether an exception may be caught around it.
    covered: bool,
}

/// The effects of methods, each computed once.
#[derive(Default)]
pub struct Analysis {
    known: FxHashMap<MethodId, Rc<Effects>>,
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
                let unknown = Rc::new(Effects { unknown: true, ..Effects::default() });
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
            found.get_mut(&method).expect("it is one of them").0.may_fail = true;
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
    fn add(&mut self, callee: &Effects, call: &Call) {
        for (field, owners) in &callee.fields {
            let here = self.fields.entry(*field).or_default();
            here.any |= owners.any;
            for argument in &owners.arguments {
                match call.arguments.get(*argument as usize).copied().flatten() {
                    Some(own) => {
                        here.arguments.insert(own);
                    }
                    None => here.any = true,
                }
            }
        }
        self.statics.extend(&callee.statics);
        self.arrays |= callee.arrays;
        self.allocates |= callee.allocates;
        self.may_fail |= callee.may_fail;
        // What a callee did before it threw is seen by whoever catches.
        self.unknown |= callee.unknown || (call.covered && callee.may_fail);
    }
}

/// What the code of a method does itself, and its calls.
fn own_effects(subject: Subject<'_>, method: MethodId) -> (Effects, Vec<Call>) {
    let program = subject.program;
    match program.code(method) {
        Code::Body(body) => {
            let mut walk = Walk {
                subject,
                body,
                parameters: parameters(body),
                effects: Effects::default(),
                calls: Vec::new(),
            };
            walk.blocks(!program.method(method).is_static);
            (walk.effects, walk.calls)
        }
        Code::Intrinsic(intrinsic) => {
            (Effects { unknown: !is_harmless(*intrinsic), ..Effects::default() }, Vec::new())
        }
        Code::Abstract | Code::Unsupported(_) => {
            (Effects { may_fail: true, ..Effects::default() }, Vec::new())
        }
    }
}

/// Built-in methods that compute a number, or nothing.
fn is_harmless(intrinsic: Intrinsic) -> bool {
    matches!(
        intrinsic,
        Intrinsic::Nothing
            | Intrinsic::ReturnFalse
            | Intrinsic::ReturnTrue
            | Intrinsic::SameBits
            | Intrinsic::BitCountInt
            | Intrinsic::BitCountLong
            | Intrinsic::MultiplyHigh
    )
}

/// For each register the parameter that it holds from beginning to end.
fn parameters(body: &Body) -> Vec<Option<u32>> {
    let mut held = vec![None; body.registers.len()];
    for (number, reg) in body.params.iter().enumerate() {
        held[reg.index()] = Some(number as u32);
    }
    let written = body.blocks.iter().flat_map(|b| b.instrs.iter().filter_map(|i| i.dst()));
    let caught = body.blocks.iter().flat_map(|b| b.handlers.iter().map(|h| h.exception));
    for reg in written.chain(caught) {
        held[reg.index()] = None;
    }
    held
}

struct Walk<'s, 'b> {
    subject: Subject<'s>,
    body: &'b Body,
    parameters: Vec<Option<u32>>,
    effects: Effects,
    calls: Vec<Call>,
}

impl Walk<'_, '_> {
    fn blocks(&mut self, receiver: bool) {
        let returning = returning(self.body);
        let known = NonNull::of(self.body, receiver);
        self.effects.may_fail |= has_loop(&self.body.order().elements);
        for (index, block) in self.body.blocks.iter().enumerate() {
            let Some(mut now) = known.at(index).cloned() else {
                continue;
            };
            if !returning[index] {
                self.effects.may_fail = true;
                continue;
            }
            for instr in &block.instrs {
                if let Some(object) = nonnull::dereferenced(&instr.op) {
                    self.effects.may_fail |= !now[object.index()];
                }
                self.instruction(&instr.op, !block.handlers.is_empty());
                nonnull::pass(&instr.op, instr.dst(), &mut now);
            }
            if matches!(block.end, Terminator::Throw(_) | Terminator::Unsupported { .. }) {
                self.effects.may_fail = true;
            }
        }
    }

    fn instruction(&mut self, op: &Op, covered: bool) {
        let program = self.subject.program;
        match op {
            Op::PutField { object, field, .. } => match program.resolve_field(*field) {
                Ok(field) => {
                    let owners = self.effects.fields.entry(field).or_default();
                    match self.parameters[object.index()] {
                        Some(number) => {
                            owners.arguments.insert(number);
                        }
                        None => owners.any = true,
                    }
                }
                Err(_) => self.effects.may_fail = true,
            },
            Op::PutStatic { field, .. } => match program.resolve_field(*field) {
                Ok(found) => {
                    self.effects.statics.insert(found);
                    self.effects.may_fail |= has_initialiser(program, program.field(found).class);
                }
                Err(_) => self.effects.may_fail = true,
            },
            Op::GetStatic { field, .. } => {
                let class = program.field_ref_class(*field);
                let resolved = program.resolve_field(*field);
                self.effects.may_fail |= resolved.is_err() || has_initialiser(program, class);
                // An object of the library's static state is not one that exists at the call.
                self.effects.unknown |= resolved.is_ok_and(|f| {
                    let field = program.field(f);
                    let is_given = program.class(field.class).is_ok_and(|c| c.is_given());
                    field.ty.class().is_some() && !is_given
                });
            }
            Op::GetField { field, .. } => {
                self.effects.may_fail |= program.resolve_field(*field).is_err();
            }
            Op::ArrayStore { .. } => {
                self.effects.arrays = true;
                self.effects.may_fail = true;
            }
            Op::ArrayLoad { .. }
            | Op::InstanceOf { .. }
            | Op::CheckCast { .. }
            | Op::Unsupported { .. } => self.effects.may_fail = true,
            Op::New { .. } | Op::NewArray { .. } | Op::NewMultiArray { .. } | Op::Concat { .. } => {
                self.effects.allocates = true;
                self.effects.may_fail = true;
            }
            Op::Mark { .. } => self.effects.unknown = true,
            Op::Unary { op, .. } => {
                self.effects.may_fail |= matches!(op, UnaryOp::Floating(_));
            }
            Op::Binary { op, .. } => self.effects.may_fail |= may_trap(*op),
            Op::Invoke { kind, method, args, .. } => self.call(*kind, *method, args, covered),
            Op::Const { .. } | Op::Move { .. } | Op::ArrayLength { .. } | Op::NullCheck { .. } => {}
        }
    }

    fn call(&mut self, kind: InvokeKind, method: MethodRefId, args: &[Reg], covered: bool) {
        let program = self.subject.program;
        let Ok(resolved) = program.resolve_method(method) else {
            self.effects.may_fail = true;
            return;
        };
        if kind == InvokeKind::Static {
            let class = program.method(resolved).class;
            self.effects.may_fail |= has_initialiser(program, class);
        }
        let Some(targets) = self.targets(kind, resolved) else {
            self.effects.unknown = true;
            return;
        };
        self.effects.may_fail |= targets.is_empty();
        let arguments = args.iter().map(|r| self.parameters[r.index()]).collect();
        self.calls.push(Call { targets, arguments, covered });
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
        targets.sort_unstable();
        targets.dedup();
        Some(targets)
    }
}

fn may_trap(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::DivInt
            | BinaryOp::RemInt
            | BinaryOp::DivLong
            | BinaryOp::RemLong
            | BinaryOp::Floating(_)
    )
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

fn has_loop(elements: &[Element]) -> bool {
    elements.iter().any(|e| matches!(e, Element::Loop { .. }))
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
