//! The world outside: the command line, the JDK, files, javac and the JVM that judges
//! counterexamples.
//!
//! The only crate that does I/O. What it reads is handed to the others as bytes and names.

mod annotations;
mod beside;
pub mod bounds;
pub mod build_tools;
pub mod cache;
pub mod check;
pub mod class_header;
pub mod class_names;
pub mod class_path;
pub mod cli;
pub mod compiled;
pub mod config;
pub mod contents;
pub mod database;
pub mod diagnostic;
pub mod emit_tests;
pub mod explain;
pub mod files;
pub mod idle;
pub mod infer;
pub mod inputs;
pub mod interrupt;
pub mod invariants;
pub mod javac;
pub mod jdk;
pub mod judge;
pub mod marking;
pub mod memory;
pub mod progress;
pub mod project;
pub mod replay;
pub mod review;
pub mod sandbox;
mod scratch;
pub mod screen;
pub mod sources;
pub mod specifications;
#[cfg(test)]
mod trees;
pub mod watch;
