//! The world outside: the command line, the JDK, files, javac and the JVM that judges
//! counterexamples.
//!
//! The only crate that does I/O. What it reads is handed to the others as bytes and names.

pub mod bounds;
pub mod check;
pub mod class_header;
pub mod class_path;
pub mod cli;
pub mod diagnostic;
pub mod emit_tests;
pub mod inputs;
pub mod javac;
pub mod jdk;
pub mod judge;
pub mod marking;
pub mod project;
pub mod replay;
pub mod sources;
pub mod specifications;
