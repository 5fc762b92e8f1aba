//! Annotations beside the code of a pull request: the commands that a step of GitHub Actions prints.

use std::fmt::Write;

use verify::{Cause, Verdict};

use crate::{Run, path_of, reservations, start_of};

/// A line for each violation that is not accepted, and for whatever is left open.
pub fn annotations(run: &Run<'_>) -> String {
    let mut text = String::new();
    for diagnostic in run.diagnostics {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "::warning title=jarosite::{}", data(diagnostic));
    }
    for result in run.results {
        let fresh = result.violations().iter().filter(|v| v.review.accepted.is_none());
        for violation in fresh {
            let at = (path_of(&violation.at, run.sources), violation.at.line);
            line(&mut text, "error", at, violation.property.name(), &violation.message);
        }
        for violation in &result.possible {
            let at = (path_of(&violation.at, run.sources), violation.at.line);
            line(&mut text, "warning", at, violation.property.name(), &violation.message);
        }
        for sentence in reservations(result) {
            let at = (path_of(&start_of(result), run.sources), result.line);
            let title = match result.verdict {
                Verdict::Undecided(Cause::Unusable { .. }) => "unusable",
                Verdict::Undecided(_) => "undecided",
                Verdict::Verified { .. } | Verdict::Violated(_) => "incomplete",
            };
            line(&mut text, "warning", at, title, &sentence);
        }
    }
    text
}

fn line(text: &mut String, level: &str, at: (String, u32), title: &str, message: &str) {
    // Paths are those of the repository, where nothing begins with a dot and a slash.
    let (path, line) = (property(at.0.trim_start_matches("./")), at.1.max(1));
    let title = property(&format!("jarosite: {title}"));
    let _ = writeln!(text, "::{level} file={path},line={line},title={title}::{}", data(message));
}

/// What follows `::` ends with the line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        let mut text = String::new();
        let at = ("C:\\a,b%.java".to_string(), 0);
        line(&mut text, "error", at, "x", "100%: a\r\n::b");
        let expected = "::error file=C%3A\\a%2Cb%25.java,line=1,title=jarosite%3A x\
                        ::100%25: a%0D%0A::b\n";
        assert_eq!(text, expected);
    }
}
