//! Ctrl-C: the first ends the run with what is known so far, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use crate::screen::complain;

/// What a shell says of a process that an interruption ended.
const ENDED: i32 = 130;

static REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on an interruption (or a request to terminate) sets the flag that is returned.
pub fn listen() -> Arc<AtomicBool> {
    let handle = || {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(ENDED);
        }
        complain("interrupted: ending with what is known so far");
    };
    // It fails if somebody listens already, and then there is nothing to do.
    let _ = ctrlc::set_handler(handle);
    REQUESTED.clone()
}

/// Whether an end is wanted.
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
