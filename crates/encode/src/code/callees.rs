//! Which of the given methods a method may lead to, as far as the code shows. Library code is not
//! looked into: what it calls back is known only when it is followed.

use crate::code::Subject;
use std::collections::BTreeSet;

use ir::{BlockId, ClassId, Code, InvokeKind, MethodId, MethodRefId, Op};

/// The given methods that a call may lead to.
pub(crate) fn targets(
    subject: Subject<'_>,
    kind: InvokeKind,
    called: MethodRefId,
) -> BTreeSet<MethodId> {
    let program = subject.program;
    let Ok(resolved) = program.resolve_method(called) else {
        return BTreeSet::new();
    };
    let mut found = BTreeSet::from([resolved]);
    if matches!(kind, InvokeKind::Virtual | InvokeKind::Interface) {
        let class = program.method(resolved).class;
        let below = subject.given.iter().filter(|c| program.is_subtype(**c, class));
        found.extend(below.filter_map(|c| program.select(resolved, *c).ok()));
    }
    let is_given =
        |m: &MethodId| program.class(program.method(*m).class).is_ok_and(|c| c.is_given());
    found.retain(is_given);
    found
}

/// The method itself and the given methods that it may call, directly or not.
pub fn reachable(subject: Subject<'_>, method: MethodId) -> BTreeSet<MethodId> {
    let mut seen = BTreeSet::from([method]);
    let mut work = vec![method];
    while let Some(method) = work.pop() {
        for op in instructions(subject, method) {
            if let Op::Invoke { kind, method: called, .. } = op {
                let new = targets(subject, *kind, *called);
                work.extend(new.into_iter().filter(|target| seen.insert(*target)));
            }
        }
    }
    seen
}

/// What the body of a method does, if it has one.
pub(crate) fn instructions<'a>(
    subject: Subject<'a>,
    method: MethodId,
) -> impl Iterator<Item = &'a Op> {
    let blocks = match subject.program.code(method) {
        Code::Body(body) => &body.blocks[..],
        Code::Intrinsic(_) | Code::Abstract | Code::Unsupported(_) => &[],
    };
    blocks.iter().flat_map(|block| block.instrs.iter().map(|instr| &instr.op))
}

/// The classes that stand for the lambdas and method references that a method makes.
pub fn made_lambdas(subject: Subject<'_>, method: MethodId) -> Vec<ClassId> {
    let program = subject.program;
    let made = instructions(subject, method).filter_map(|op| match op {
        Op::New { class, .. } => Some(*class),
        Op::Invoke { method, .. } => Some(program.method_ref_class(*method)),
        _ => None,
    });
    made.filter(|class| program.class_name(*class).contains("$$Lambda$")).collect()
}

/// Whether the code of a method calls another, as far as it shows.
pub fn calls(subject: Subject<'_>, caller: MethodId, callee: MethodId) -> bool {
    instructions(subject, caller).any(|op| match op {
        Op::Invoke { kind, method, .. } => targets(subject, *kind, *method).contains(&callee),
        _ => false,
    })
}

/// Whether following all of a method's executions may take long: it loops, or it goes into a library that is
/// not known to be harmless.
pub fn may_take_long(subject: Subject<'_>, method: MethodId) -> bool {
    let loops = |method: &MethodId| match subject.program.code(*method) {
        Code::Body(body) => {
            let order = body.order();
            (0..body.blocks.len() as u32)
                .any(|block| !order.loops_around(BlockId(block)).is_empty())
        }
        Code::Intrinsic(_) | Code::Abstract | Code::Unsupported(_) => false,
    };
    reachable(subject, method)
        .iter()
        .any(|m| loops(m) || instructions(subject, *m).any(|op| leaves(subject, op)))
}

fn leaves(subject: Subject<'_>, op: &Op) -> bool {
    let program = subject.program;
    let Op::Invoke { method, .. } = op else { return false };
    let Ok(resolved) = program.resolve_method(*method) else { return false };
    let class = program.method(resolved).class;
    let throwable = program.class_id("java.lang.Throwable");
    let is_short = program.is_subtype(class, throwable)
        || matches!(program.class_name(class), "java.lang.Object" | "java.lang.Math")
        || program.class_name(class) == "java.util.Objects";
    !is_short && program.class(class).is_ok_and(|c| !c.is_given())
}
