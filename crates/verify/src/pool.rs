//! Threads for work that nests deeply.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use ir::MethodId;

/// Inlined calls nest on the Rust stack; the memory is only touched when they really do.
pub(crate) const STACK: usize = 1 << 30;

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
