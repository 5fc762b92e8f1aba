//! Documents speak of files that exist: their links do, and the paths that they name in backquotes.

/// The places of the project: files and folders, as paths from its top.
pub struct Places {
    pub paths: Vec<String>,
}

impl Places {
    /// Whether a path from the top exists.
    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty() || self.paths.binary_search_by(|p| p.as_str().cmp(path)).is_ok()
    }

    /// Whether a path exists that ends like this, in one of these crates if any is given.
    fn has_end(&self, end: &str, crates: &[String]) -> bool {
        let end = format!("/{}", end.trim_end_matches('/'));
        let is_inside = |p: &&String| {
            crates.is_empty() || crates.iter().any(|c| p.starts_with(&format!("crates/{c}/")))
        };
        self.paths.iter().filter(is_inside).any(|p| p.ends_with(&end))
    }
}

/// Complains about links and paths to what does not exist. `directory` is where the document lies.
pub fn links(text: &str, directory: &str, places: &Places, complain: &mut dyn FnMut(usize, &str)) {
    let (mut in_code, mut crates) = (false, Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        if line.starts_with('#') {
            let is_crate = |name: &&str| places.has(&format!("crates/{name}"));
            crates = quoted(line).filter(is_crate).map(String::from).collect();
        }
        let lost = linked(line).filter(|link| !is_linked(link, directory, places));
        let lost = lost.chain(quoted(line).filter(|path| !is_named(path, &crates, places)));
        for lost in lost {
            complain(number, &format!("`{lost}` does not exist"));
        }
    }
}

/// `[text](docs/SOUNDNESS.md#scope)` → `docs/SOUNDNESS.md`.
fn linked(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?;
        target.split('#').next()
    });
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A link counts from its document.
fn is_linked(link: &str, directory: &str, places: &Places) -> bool {
    let mut path: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            ".." => drop(path.pop()),
            "." | "" => {}
            part => path.push(part),
        }
    }
    places.has(&path.join("/")) || places.has(link)
}

/// What is in backquotes exists if it looks like a path of ours: one from the top does, and so does the end of one
/// to Rust code (`state/join.rs`), or to a folder of a crate that the heading names (`state/`).
/// Patterns and abbreviations are no paths.
fn is_named(text: &str, crates: &[String], places: &Places) -> bool {
    if text.contains([' ', '*', '{', '<', '…', '(', ':', '=', '$', '"']) {
        return true;
    }
    let from_top = ["crates/", "docs/", "examples/", "fixtures/", "benchmarks/"];
    if from_top.iter().any(|start| text.starts_with(start)) {
        return places.has(text);
    }
    let is_code = text.ends_with(".rs") && !text.starts_with(['.', '/']);
    let is_folder = text.ends_with('/') && !crates.is_empty() && !text.starts_with(['.', '/']);
    !(is_code || is_folder) || places.has(text) || places.has_end(text, crates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let paths = [
            "crates",
            "crates/ir",
            "crates/ir/src",
            "crates/ir/src/order.rs",
            "crates/logic",
            "docs/A.md",
        ];
        let places = Places { paths: paths.map(String::from).to_vec() };
        let mut all = Vec::new();
        links(text, "docs", &places, &mut |line, what| all.push(format!("{line}: {what}")));
        all
    }

    #[test]
    fn links_lead_somewhere() {
        assert!(
            said("[a](A.md#b) [b](../docs/A.md) [c](https://example.org) [d](#here)").is_empty()
        );
        assert_eq!(said("[a](B.md)"), ["1: `B.md` does not exist"]);
        assert!(said("```\n[a](B.md) `crates/x`\n```").is_empty());
    }

    #[test]
    fn paths_in_backquotes_exist() {
        assert!(
            said("`crates/ir` `crates/*/x` `crates/ir/src/order.rs` `order.rs` `src/order.rs`")
                .is_empty()
        );
        let lost = ["1: `crates/jvm` does not exist", "1: `chaos.rs` does not exist"];
        assert_eq!(said("`crates/jvm` `chaos.rs`"), lost);
    }

    #[test]
    fn a_heading_says_whose_files_are_named() {
        assert!(said("### `ir`\n`order.rs` `src/`").is_empty());
        assert_eq!(said("### `logic`\n`order.rs`"), ["2: `order.rs` does not exist"]);
        assert_eq!(said("### `ir`\n`exec/`"), ["2: `exec/` does not exist"]);
        assert!(said("## The pipeline\n`exec/`").is_empty());
    }
}
