//! What the code says before anything is run: questions about classes and bodies.
//!
//! | file | what |
//! |---|---|
//! | `effects` | what a method may write, make and throw |
//! | `flow` | which numbers of the input are only moved and compared |
//! | `lengths` | how long arrays and strings must be before constants matter |
//! | `callees` | which given methods a method may lead to |
//! | `wellknown` | the classes of the JDK that the engine knows by name |

pub mod callees;
pub mod effects;
pub mod flow;
pub mod lengths;
pub(crate) mod wellknown;

use std::sync::LazyLock;

use ir::{ClassId, Program};
use spec::core::Contracts;

/// What is checked: a program, which of its classes are under verification, and what is promised
/// about them.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub program: &'a Program,
    pub given: &'a [ClassId],
    pub contracts: &'a Contracts,
}

impl<'a> Subject<'a> {
    /// A program about which nothing is promised.
    pub fn unspecified(program: &'a Program, given: &'a [ClassId]) -> Subject<'a> {
        static NOTHING: LazyLock<Contracts> = LazyLock::new(Contracts::default);
        Subject { program, given, contracts: &NOTHING }
    }
}
