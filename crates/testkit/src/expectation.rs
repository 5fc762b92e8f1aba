//! What a fixture file says: `//-` directives on top, `//~` beside the lines that go wrong.

use std::collections::BTreeMap;

/// A parsed fixture.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// `Class.method` or `Class.method(int)`; all methods if empty.
    pub check: Vec<String>,
    /// `name value` of the options: `scope`, `array-length`, `unroll` …
    pub options: BTreeMap<String, String>,
    /// The verdict of a method, or of all (empty name).
    pub verdicts: Vec<(String, String)>,
    /// Text that the cause of an undecided or cut method contains.
    pub cause: Option<String>,
    /// Why the expectation is known to be missed; the fixture fails once it is met.
    pub fixme: Option<String>,
    /// Set if counterexamples cannot be replayed, with the text of the reason.
    pub unreplayed: Option<String>,
    /// Line, property, text that the message contains.
    pub violations: Vec<(u32, String, Option<String>)>,
}

const OPTIONS: [&str; 7] =
    ["scope", "array-length", "string-length", "unroll", "nullness", "int-bits", "timeout"];

impl Expectation {
    /// Parses a fixture; an error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Expectation, String> {
        let mut found = Expectation::default();
        for (index, line) in text.lines().enumerate() {
            if let Some(directive) = line.trim_start().strip_prefix("//- ") {
                found.directive(directive.trim())?;
            }
            for marker in line.split("//~").skip(1) {
                found.violations.push(parse_marker(index as u32 + 1, marker.trim())?);
            }
        }
        if found.verdicts.is_empty() {
            return Err("no verdict is expected".into());
        }
        Ok(found)
    }

    fn directive(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = text.split_once(' ').unwrap_or((text, ""));
        let value = value.trim().to_string();
        match name {
            "check" => self.check.push(value.replace(' ', "")),
            "verdict" => match value.rsplit_once(' ') {
                Some((method, verdict)) => {
                    self.verdicts.push((method.replace(' ', ""), verdict.to_string()));
                }
                None => self.verdicts.push((String::new(), value)),
            },
            "cause" => self.cause = Some(value),
            "fixme" => self.fixme = Some(value),
            "unreplayed" => self.unreplayed = Some(value),
            option if OPTIONS.contains(&option) => {
                self.options.insert(option.to_string(), value);
            }
            other => return Err(format!("unknown directive `{other}`")),
        }
        Ok(())
    }

    /// The verdict expected of a method, if the fixture says one.
    pub fn verdict_of(&self, class: &str, method: &str) -> Option<&str> {
        let named = self.verdicts.iter().find(|(m, _)| !m.is_empty() && names(m, class, method));
        let all = self.verdicts.iter().find(|(m, _)| m.is_empty());
        named.or(all).map(|(_, verdict)| verdict.as_str())
    }

    /// Whether a method is to be checked.
    pub fn admits(&self, class: &str, method: &str) -> bool {
        self.check.is_empty() || self.check.iter().any(|c| names(c, class, method))
    }
}

/// Whether `Class.method` or `Class.method(int)` names the method; `class` without package.
fn names(written: &str, class: &str, method: &str) -> bool {
    let bare = method.split('(').next().unwrap_or(method);
    let simple = class.rsplit('$').next().unwrap_or(class);
    [class, simple]
        .iter()
        .any(|c| written == format!("{c}.{method}") || written == format!("{c}.{bare}"))
}

fn parse_marker(line: u32, text: &str) -> Result<(u32, String, Option<String>), String> {
    let (property, rest) = text.split_once(' ').unwrap_or((text, ""));
    let quoted = rest.trim().strip_prefix('"').and_then(|r| r.split('"').next());
    if property.is_empty() {
        return Err(format!("line {line}: `//~` names no property"));
    }
    Ok((line, property.to_string(), quoted.map(str::to_string)))
}
