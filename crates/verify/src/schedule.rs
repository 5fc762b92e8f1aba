//! Many methods on several cores.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use encode::Subject;
use ir::MethodId;

use crate::check::{SharedJudge, check_method};
use crate::options::Options;
use crate::progress::Activity;
use crate::result::{Cause, MethodResult};

/// Inlined calls nest on the Rust stack; the memory is only touched when they really do.
pub(crate) const STACK: usize = 1 << 30;

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
    let work = |method| guarded(subject, method, options, judge);
    on_threads(methods, jobs, work, done);
}

/// Does the same work on many methods, each thread with a large stack; results in order.
pub(crate) fn on_threads<T: Send>(
    methods: &[MethodId],
    jobs: usize,
    work: impl Fn(MethodId) -> T + Sync,
    mut done: impl FnMut(T),
) {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for number in 0..jobs.clamp(1, methods.len().max(1)) {
            let (send, next, work) = (send.clone(), &next, &work);
            let serve = move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(method) = methods.get(at) else {
                        return;
                    };
                    let result = work(*method);
                    if send.send((at, result)).is_err() {
                        return;
                    }
                }
            };
            let builder = std::thread::Builder::new().name(format!("check-{number}"));
            let started = builder.stack_size(STACK).spawn_scoped(scope, serve);
            started.expect("a thread can be started");
        }
        drop(send);
        let mut waiting = std::collections::BTreeMap::new();
        let mut expected = 0;
        for (at, result) in receive {
            waiting.insert(at, result);
            while let Some(result) = waiting.remove(&expected) {
                done(result);
                expected += 1;
            }
        }
    });
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
        return undecided(subject, method, Cause::Interrupted);
    }
    options.watch.tell(method, Activity::Started);
    let check = AssertUnwindSafe(|| check_method(subject, method, options, judge));
    let result = catch_unwind(check).unwrap_or_else(|panic| {
        if panic.is::<logic::Interrupted>() {
            return undecided(subject, method, Cause::Interrupted);
        }
        let why = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        undecided(subject, method, Cause::Internal(why.to_string()))
    });
    options.watch.tell(method, Activity::Done);
    result
}

/// A method of which nothing was found out.
pub(crate) fn undecided(subject: Subject<'_>, method: MethodId, cause: Cause) -> MethodResult {
    let program = subject.program;
    let declared = program.method(method);
    let class = program.class(declared.class).ok();
    let name = program.class_name(declared.class).to_string();
    MethodResult {
        file: class.and_then(|c| c.source_file.clone()).unwrap_or_default(),
        line: declared.line.unwrap_or(0),
        ..MethodResult::undecided(name, program.signature(declared), cause)
    }
}
