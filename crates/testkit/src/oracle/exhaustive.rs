//! Tiny scopes, every input.
