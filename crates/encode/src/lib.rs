//! Encoder: under construction.
pub mod execution;
