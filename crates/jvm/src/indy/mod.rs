//! `invokedynamic`: what javac's bootstrap methods would make at run time, made beforehand.
//!
//! Lambdas and method references become synthetic classes, record methods become synthetic
//! static methods, string concatenation becomes one operation. Anything else is a trap that
//! names the bootstrap method.

mod adapt;
mod classes;
mod concat;
mod lambda;
mod record;

use ir::{ClassId, FieldRefId, MethodRefId, Type};

use crate::classfile::Bootstrap;
use crate::classfile::pool::CallSite;
use crate::classfile::reader::Malformed;
use crate::synthesis::Synthesis;
use crate::unit::Unit;

/// A call site to link.
pub struct Site<'a> {
    pub unit: Unit<'a>,
    pub bootstrap: &'a Bootstrap,
    pub call: &'a CallSite,
    /// Types of the values on the stack, and of the result.
    pub params: &'a [Type],
    pub result: Option<Type>,
    pub pc: u32,
    pub line: u32,
}

/// What a call site does.
pub enum Linked {
    /// Makes an object of a synthetic class and stores the values in these fields.
    Object { class: ClassId, captures: Vec<FieldRefId> },
    /// Calls a synthetic static method.
    Call(MethodRefId),
    /// Concatenates.
    Concat(Vec<Part>),
    /// Not modelled, by this name.
    Unsupported(String),
}

/// A part of a concatenation.
pub enum Part {
    Text(Vec<u16>),
    Argument(usize),
}

/// Links a call site.
pub fn link(site: &Site<'_>) -> Result<Linked, Malformed> {
    let method = &site.bootstrap.method.member;
    match (method.class.as_str(), method.name.as_str()) {
        ("java/lang/invoke/LambdaMetafactory", "metafactory" | "altMetafactory") => {
            lambda::link(site)
        }
        ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => {
            concat::with_constants(site)
        }
        ("java/lang/invoke/StringConcatFactory", "makeConcat") => Ok(concat::plain(site)),
        ("java/lang/runtime/ObjectMethods", "bootstrap") => record::link(site),
        (class, name) => {
            let class = class.replace('/', ".");
            Ok(Linked::Unsupported(format!("invokedynamic {class}.{name}")))
        }
    }
}

impl<'a> Site<'a> {
    /// A body whose instructions all stand where the call site does.
    fn synthesis(&self) -> Synthesis<'a> {
        Synthesis::new(self.unit.program, self.line, self.pc)
    }

    /// A class name that no other call site makes: `Outer$$Lambda$method12`.
    fn synthetic_name(&self, what: &str) -> String {
        let unit = &self.unit;
        let outer = unit.program.class_name(unit.method.class);
        let method = match &*unit.method.name {
            "<init>" => "new",
            "<clinit>" => "static",
            other => other,
        };
        let overload = match unit.overload {
            0 => String::new(),
            n => format!("_{n}_"),
        };
        format!("{outer}$${what}${method}{overload}{}", self.pc)
    }
}
