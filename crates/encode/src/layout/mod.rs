//! Canonical heaps and tight bounds (Galeotti et al.).
//!
//! | file | what |
//! |---|---|
//! | `canonical` | the input laid out, each heap exactly once (section 3.2) |
//! | `bounds` | what each leaf can be, given the invariants (section 4) |
//! | `forest` | that no object of a structure is held twice |
//! | `reach` | what is reached from a reference, where the layout knows it |
//! | `unchanged` | what a run leaves as it was |
//! | `fingerprint`, `portable` | what bounds depend on; bounds that outlive the process |

pub mod bounds;
pub(crate) mod canonical;
pub(crate) mod fingerprint;
pub mod forest;
pub mod portable;
mod reach;
mod unchanged;
