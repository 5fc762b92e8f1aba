//! The binary as a user meets it: real files in, exit code, standard output and standard error out.

mod bad_classes;
mod bad_inputs;
mod bounds;
mod bounds_store;
mod counterexamples;
mod document;
mod human;
mod options;
mod paths;
mod specifications;
mod workspace;
