//! Numbers for local and anonymous classes, counted as compilers do: for each enclosing class and
//! simple name, in the order of the text.

use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct LocalNames {
    last: BTreeMap<(String, String), usize>,
}

impl LocalNames {
    /// `Outer$1Local`, or `Outer$1` for a class without a name.
    pub fn name(&mut self, outer: &str, simple: &str) -> String {
        let last = self.last.entry((outer.into(), simple.into())).or_insert(0);
        *last += 1;
        format!("{outer}${last}{simple}")
    }
}
