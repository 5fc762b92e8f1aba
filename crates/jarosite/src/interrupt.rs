//! Ctrl-C: the first ends the run with what is known so far, the second ends the process.

use std::sync::LazyLock;

use verify::Cancel;

use crate::screen::complain;

/// What a shell says of a process that an interruption ended.
const ENDED: i32 = 130;

static REQUESTED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// From now on an interruption (or a request to terminate) sets what is returned.
pub fn listen() -> Cancel {
    let handle = || {
        if is_requested() {
            std::process::exit(ENDED);
        }
        REQUESTED.set();
        complain("interrupted: ending with what is known so far");
    };
    // It fails if somebody listens already, and then there is nothing to do.
    let _ = ctrlc::set_handler(handle);
    REQUESTED.clone()
}

/// Whether an end is wanted.
pub fn is_requested() -> bool {
    REQUESTED.is_set()
}
