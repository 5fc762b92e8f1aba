//! Which of the given methods a method may lead to, as far as the code shows. Library code is not
//! looked into: what it calls back is known only when it is followed.

use crate::code::Subject;
use std::collections::BTreeSet;

use ir::{Code, InvokeKind, MethodId, MethodRefId, Op};

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
pub(crate) fn reachable(subject: Subject<'_>, method: MethodId) -> BTreeSet<MethodId> {
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
