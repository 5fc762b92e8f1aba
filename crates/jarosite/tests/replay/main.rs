//! Hand-written executions on the real JVM: right ones must be confirmed, wrong ones refuted and
//! impossible ones skipped.

mod build;
#[cfg(target_os = "linux")]
mod hostile;
mod judged;
mod observed;
mod survived;
