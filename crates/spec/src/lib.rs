//! Specifications in comments: JML and Alloy-style clauses found in Java sources and parsed.
