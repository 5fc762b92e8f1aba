//! Standard output and standard error, and the bar that may stand below what is written there.

use std::io::{ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

/// The exit code of a run whose report cannot be written.
const LOST: i32 = 2;

/// The bar that is on the terminal now, if any. There is one terminal.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Puts a bar below everything that is written from now on, or takes it away.
pub fn set_bar(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// A line on standard error, whether or not somebody still reads it.
pub fn complain(line: &str) {
    above_the_bar(|| {
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    });
}

/// Prints at once. A reader that has gone away is no reason to fail; a report that is lost is one, and what
/// comes after it would be lost as well.
pub fn show(text: &str) {
    above_the_bar(|| {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            let _ = writeln!(std::io::stderr(), "error: cannot write to standard output: {error}");
            std::process::exit(LOST);
        }
    });
}

fn above_the_bar(write: impl FnOnce()) {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
