//! Java class files as an [`ir::Program`]: reading, hierarchy, bytecode → register graphs, and
//! which library methods are built in.
//!
//! Knows nothing of specifications, literals or solvers, and does no I/O except through
//! [`ClassFiles`] (and [`JdkImage`], one implementation of it over the JDK's `lib/modules`).

mod classfile;
mod descriptor;
mod files;
mod image;
mod indy;
mod loader;
mod lower;
mod members;
mod models;
mod nullness;
mod replacements;
mod synthesis;
mod unit;

pub use files::{ClassBytes, ClassFiles};
pub use image::JdkImage;
pub use loader::Loader;
