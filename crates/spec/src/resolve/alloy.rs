//! Resolves Alloy-style formulas.
