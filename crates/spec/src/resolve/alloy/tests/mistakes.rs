//! Formulas that mean nothing.
