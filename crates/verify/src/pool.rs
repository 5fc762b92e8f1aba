//! Threads for work that nests deeply: calls of the checked program are inlined on the stack of ours.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// The memory is only touched when calls really nest so deep.
const STACK: usize = 1 << 30;

/// Serves on so many threads, each with a large stack and a number, while this thread does something else.
pub fn on_large_stacks<T>(
    name: &str,
    threads: usize,
    serve: impl Fn(usize) + Sync,
    meanwhile: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        for number in 0..threads.max(1) {
            let serve = &serve;
            let builder = std::thread::Builder::new().name(format!("{name}-{number}"));
            let started = builder.stack_size(STACK).spawn_scoped(scope, move || serve(number));
            started.expect("a thread can be started");
        }
        meanwhile()
    })
}

/// Does the same work on all items, on so many threads; `done` gets the results in the order of the items.
pub fn in_order<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> T + Sync,
    mut done: impl FnMut(T),
) {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    // Every thread has a sender of its own, so that the channel ends with the last of them.
    let senders = std::sync::Mutex::new(vec![send; threads.clamp(1, items.len().max(1))]);
    let serve = |_| {
        let Some(send) = senders.lock().ok().and_then(|mut senders| senders.pop()) else { return };
        while let Some((at, item)) = claim(items, &next) {
            if send.send((at, work(item))).is_err() {
                return;
            }
        }
    };
    let threads = threads.clamp(1, items.len().max(1));
    on_large_stacks("check", threads, serve, || {
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

/// The next item that nobody has claimed.
fn claim<'i, I>(items: &'i [I], next: &AtomicUsize) -> Option<(usize, &'i I)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    items.get(at).map(|item| (at, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whoever_is_done_first() {
        let items: Vec<u64> = (0..40).collect();
        for threads in [0, 1, 3, 100] {
            let mut results = Vec::new();
            let work = |item: &u64| {
                std::thread::sleep(std::time::Duration::from_millis(
                    40_u64.saturating_sub(*item) / 8,
                ));
                item * item
            };
            in_order(&items, threads, work, |result| results.push(result));
            let expected: Vec<u64> = items.iter().map(|item| item * item).collect();
            assert_eq!(results, expected);
        }
        in_order(&[] as &[u64], 3, |item| *item, |_| unreachable!("there is nothing to do"));
    }

    #[test]
    fn work_may_nest_deeply() {
        fn nest(depth: usize) -> usize {
            let here = std::hint::black_box([depth; 1_000]);
            if depth == 0 { 0 } else { 1 + nest(depth - 1) + here[0] - depth }
        }
        in_order(&[20_000_usize], 1, |depth| nest(*depth), |reached| assert_eq!(reached, 20_000));
    }
}
