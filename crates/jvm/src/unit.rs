//! One method body with what it stands in.

use ir::{Method, Program};

use crate::classfile::ClassFile;

/// The method being lowered and where it stands.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    pub program: &'a Program,
    pub file: &'a ClassFile,
    pub method: &'a Method,
    /// Whether the class is under verification.
    pub given: bool,
    /// How many methods of the same name stand before this one in the class.
    pub overload: usize,
}
