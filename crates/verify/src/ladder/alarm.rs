//! Ends the work on a method when its time is over, or the machine's memory.
//!
//! Whatever takes long looks at the clock by itself, and then ends in good order: with what was found, and with
//! questions left open by name. Not everything does, and not often enough. So a while after its time the method is
//! interrupted, as by the user; and so is one that takes the last of the memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::options::Options;
use crate::options::progress::Watch;
use crate::result::Cause;

/// What a method has to end in good order.
const GRACE: Duration = Duration::from_millis(300);

/// Between two looks at the memory.
const GLANCE: Duration = Duration::from_millis(100);

/// Set until it is dropped.
pub(crate) struct Alarm {
    watch: Watch,
    is_memory: Arc<AtomicBool>,
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Alarm {
    /// For a method whose check begins now.
    pub fn set(options: &Options, start: Instant) -> Alarm {
        let watch = options.watch.part();
        let is_memory = Arc::new(AtomicBool::new(false));
        let mut alarm = Alarm { watch, is_memory, waiting: None };
        let deadline = options.timeout.map(|timeout| start + timeout + GRACE);
        let is_scarce = options.memory;
        if deadline.is_none() && is_scarce.is_none() {
            return alarm;
        }
        let (sender, ended) = channel();
        let (cancel, is_memory) = (alarm.watch.cancel(), alarm.is_memory.clone());
        let wait = move || {
            loop {
                let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
                let wait = left.unwrap_or(GLANCE);
                let wait = if is_scarce.is_some() { wait.min(GLANCE) } else { wait };
                match ended.recv_timeout(wait) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
                if is_scarce.is_some_and(|is_scarce| is_scarce()) {
                    is_memory.store(true, Ordering::Relaxed);
                    return cancel.set();
                }
                if deadline.is_some_and(|d| Instant::now() >= d) {
                    return cancel.set();
                }
            }
        };
        // Without a thread there is no alarm, and the method ends as soon as it looks at the clock.
        let builder = std::thread::Builder::new().name("alarm".into());
        alarm.waiting = builder.spawn(wait).ok().map(|thread| (sender, thread));
        alarm
    }

    /// For the work on the method: it is interrupted with the run, or by this.
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Why the method is over, if it is.
    pub fn cause(&self) -> Cause {
        match self.is_memory.load(Ordering::Relaxed) {
            true => Cause::Memory,
            false => Cause::Timeout,
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.waiting.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rings_for_time_and_memory_and_not_for_others() {
        let whole = Options::default();
        let start = Instant::now();
        let quiet = Alarm::set(&whole, start);
        let timeout = Some(Duration::from_millis(20));
        let late = Alarm::set(&Options { timeout, ..whole.clone() }, start);
        let full = Alarm::set(&Options { memory: Some(|| true), ..whole.clone() }, start);
        let ring = |alarm: &Alarm| {
            while !alarm.watch().is_interrupted() {
                std::thread::sleep(Duration::from_millis(5));
            }
            alarm.cause()
        };
        assert_eq!((ring(&late), ring(&full)), (Cause::Timeout, Cause::Memory));
        assert!(!quiet.watch().is_interrupted() && !whole.watch.is_interrupted());
    }
}
