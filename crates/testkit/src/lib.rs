//! What the tests share: fixtures and how they are run, random programs, and the JVM as oracle.
//!
//! All fixtures of a run are compiled by one `javac` (each in a package of its own, declared on
//! its first line so that line numbers stay), loaded into one program, and replayed on one JVM.

pub mod expectation;
pub mod fixtures;
pub mod formulas;
pub mod generate;
pub mod heaps;
pub mod oracle;
pub mod programs;
