//! One run that is not followed far, for questions that must be cheap: each has an engine of its own, numbers
//! with all their bits, and so many conflicts.

use encode::decode::Symbolic;
use encode::{Calls, Limits, Objects, Subject};
use ir::MethodId;

use super::{Budget, Check, Setting, SharedJudge};
use crate::options::Options;

/// How far, and what the questions may cost together.
pub(crate) struct Reach {
    pub iterations: u32,
    pub instructions: u64,
    pub conflicts: u64,
    /// Whether a loop is asked if it goes round in a circle.
    pub circles: bool,
}

/// A run that is at its end.
pub(crate) struct Shallow<'a> {
    pub check: Check<'a>,
    pub run: Symbolic,
    pub limits: Limits,
}

/// A method on its own, called code inlined, the input not laid out.
pub(crate) fn plain<'a>(
    subject: Subject<'a>,
    method: MethodId,
    options: &'a Options,
    judge: Option<SharedJudge<'a>>,
    objects: Objects,
) -> Setting<'a> {
    Setting {
        subject,
        method,
        options,
        judge,
        deadline: None,
        canonical: false,
        calls: Calls::Inline,
        objects,
        bounds: None,
        called_off: options.watch.cancel(),
        piece: None,
    }
}

impl<'a> Shallow<'a> {
    pub fn run(setting: Setting<'a>, reach: &Reach) -> Shallow<'a> {
        let method = setting.method;
        let mut check = Check::new(setting);
        check.restart(None);
        check.budget = Budget::of(Some(reach.conflicts));
        let limits = Limits {
            instructions: reach.instructions,
            circles: reach.circles,
            ..check.limits(reach.iterations)
        };
        let run = Symbolic::run(&mut check.engine, method, &limits);
        Shallow { check, run, limits }
    }
}
