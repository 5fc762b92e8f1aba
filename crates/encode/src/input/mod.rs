//! Making the input up: which objects a reference may hold, and which heaps are worth searching.
//!
//! | file | what |
//! |---|---|
//! | `candidates` | the objects that a reference of a type may hold |
//! | `world` | the classes that the checked class leads to by name |
//! | `beside` | objects that only open references lead to |
//! | `order` | numbers that are only compared |
//! | `symmetry` | skip heaps that are identical up to object naming |
//! | `made` | objects as the code makes them: a constructor, then calls |
//! | `constants` | fields that hold one value wherever they are |
//! | `instances` | what type variables stand for |
//! | `choices` | an input as choices made one after the other |

mod beside;
mod candidates;
pub mod choices;
mod constants;
mod instances;
pub mod made;
pub mod order;
pub(crate) mod symmetry;
mod world;
