//! Many methods on several cores.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use encode::Subject;
use ir::MethodId;

use crate::bounds::store::{Entry, find};
use crate::check::SharedJudge;
use crate::ladder::check_method;
use crate::options::Options;
use crate::options::progress::Activity;
use crate::pool::in_order;
use crate::result::{Cause, MethodResult};

/// Checks `methods` on `jobs` threads; results arrive at `done` in the order of `methods`. Without a
/// store they share tight bounds among themselves.
pub fn check_all(
    subject: Subject<'_>,
    methods: &[MethodId],
    options: &Options,
    jobs: usize,
    judge: Option<SharedJudge<'_>>,
    done: impl FnMut(MethodResult),
) {
    let options = &match options.store {
        Some(_) => options.clone(),
        None => Options { store: Some(Arc::default()), ..options.clone() },
    };
    let work = |method: &MethodId| guarded(subject, *method, options, judge);
    in_order(methods, jobs, work, done);
}

/// A failure of ours on one method must not take the others along, and after an interruption none is
/// begun.
fn guarded(
    subject: Subject<'_>,
    method: MethodId,
    options: &Options,
    judge: Option<SharedJudge<'_>>,
) -> MethodResult {
    if options.watch.is_interrupted() {
        return MethodResult::nothing_about(subject, method, Cause::Interrupted);
    }
    options.watch.tell(method, Activity::Started);
    let check = AssertUnwindSafe(|| check_method(subject, method, options, judge));
    let result = catch_unwind(check).unwrap_or_else(|panic| {
        if panic.is::<logic::Interrupted>() {
            return MethodResult::nothing_about(subject, method, Cause::Interrupted);
        }
        let why = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        MethodResult::nothing_about(subject, method, Cause::Internal(why.to_string()))
    });
    options.watch.tell(method, Activity::Done);
    result
}

/// Finds or computes the bounds of many methods, each for at most the time of `options`.
pub fn find_all(
    subject: Subject<'_>,
    methods: &[MethodId],
    options: &Options,
    jobs: usize,
    mut done: impl FnMut(MethodId, Option<Entry>),
) {
    let work = |method: &MethodId| {
        let method = *method;
        options.watch.tell(method, Activity::Started);
        let deadline = options.timeout.map(|t| Instant::now() + t);
        let find = AssertUnwindSafe(|| find(subject, method, options, deadline));
        // A failure of ours on one method must not take the others along.
        let found = catch_unwind(find).unwrap_or(None);
        options.watch.tell(method, Activity::Done);
        (method, found.map(|found| found.entry))
    };
    in_order(methods, jobs, work, |(method, found)| done(method, found));
}
