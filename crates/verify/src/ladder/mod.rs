//! What is tried on a method, and in which order.

pub(crate) mod alarm;
pub(crate) mod longer;
