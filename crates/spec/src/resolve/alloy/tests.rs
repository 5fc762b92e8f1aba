//! Alloy-style formulas resolved against hand-made classes: what each means, and what is said
//! about those that mean nothing.

mod mistakes;
mod print;
mod right;
mod world;
