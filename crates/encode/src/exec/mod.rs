//! Executing code symbolically: bodies, instructions, calls, classes.
//!
//! | file | what |
//! |---|---|
//! | `run` | one method on its arbitrary input, from entry to every end |
//! | `body`, `step` | blocks in order, loops unrolled; single instructions |
//! | `by_object` | loops that go through a structure, object by object |
//! | `lasso` | executions that come back to a state they were in |
//! | `join` | two states become one |
//! | `trace` | the steps of a fixed run |
//! | `nodes` | steps on the computation graph |
//! | `calls` | dispatch and activation |
//! | `fields`, `arrays`, `strings`, `floating` | what instructions do to values |
//! | `overflow` | arithmetic that wraps |
//! | `init`, `late` | class initialisers |
//! | `generics` | casts that javac inserts |
//! | `unread` | what of the input no step has read |

mod arrays;
pub(crate) mod body;
pub(crate) mod by_object;
pub(crate) mod calls;
pub(crate) mod fields;
mod floating;
mod generics;
pub(crate) mod init;
mod join;
pub(crate) mod lasso;
mod late;
mod nodes;
mod overflow;
pub(crate) mod run;
mod step;
pub(crate) mod strings;
pub(crate) mod trace;
mod unread;
