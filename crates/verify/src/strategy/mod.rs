//! What is tried on a method that the solver does not get through, one file for each technique. None knows
//! another one: the ladder says which is tried when.

mod evaluate;
pub(crate) mod infer;
pub(crate) mod inputs;
pub(crate) mod parts;
pub(crate) mod pieces;
pub(crate) mod shapes;
