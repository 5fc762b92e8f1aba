//! The binary as a user meets it: real files in, exit code, standard output and standard error out.

mod bad_classes;
mod bad_inputs;
mod bounds;
mod bounds_store;
mod cache;
mod ci;
mod counterexamples;
mod document;
mod given;
mod human;
mod infer;
mod limits;
mod mutants;
mod nullness;
mod options;
mod paths;
mod project;
mod safety;
mod specifications;
mod terminal;
mod workspace;
