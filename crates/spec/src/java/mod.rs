//! The Java around the specifications: which declarations there are, and which comment stands
//! where among them.

pub(crate) mod bodies;
mod declare;
mod names;
pub(crate) mod outline;
