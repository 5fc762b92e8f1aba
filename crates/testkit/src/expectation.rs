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
    /// Set if counterexamples cannot be replayed, with the text of the reason, or several.
    pub unreplayed: Option<String>,
    /// Line, property, text that the message contains.
    pub violations: Vec<(u32, String, Option<String>)>,
    /// Violations of specifications, whose lines are not named.
    pub violates: Vec<Violates>,
    /// Texts of warnings about the file.
    pub warnings: Vec<String>,
    /// `vary`: switches, each with the settings that must all lead to what is expected.
    pub vary: Vec<(String, Vec<String>)>,
}

/// `violates [Class.method] property ["text"]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violates {
    /// Empty where only one method is checked.
    pub method: String,
    pub property: String,
    /// What the message or the clause contains.
    pub text: Option<String>,
}

impl Violates {
    /// Whether this is about a violation of a method; `class` without package.
    pub fn fits(&self, class: &str, method: &str, property: &str, texts: &[&str]) -> bool {
        let names_method = self.method.is_empty() || names(&self.method, class, method);
        let is_said = |text: &String| texts.iter().any(|t| t.contains(text.as_str()));
        names_method && self.property == property && self.text.as_ref().is_none_or(is_said)
    }
}

const OPTIONS: [&str; 10] = [
    "scope",
    "array-length",
    "string-length",
    "unroll",
    "nullness",
    "int-bits",
    "timeout",
    "calls",
    "spec-math",
    "routes",
];

/// What `vary` can change, with the settings of each.
const SWITCHES: [(&str, &[&str]); 5] = [
    ("symmetry", &["on", "off"]),
    ("bounds", &["auto", "off"]),
    ("order", &["on", "off"]),
    ("calls", &["inline", "contract", "infer"]),
    ("split", &["auto", "1", "2", "8"]),
];

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
            "violates" => self.violates.push(parse_violates(&value)?),
            "warns" => self.warnings.push(value.trim_matches('"').to_string()),
            "cause" => self.cause = Some(value),
            "fixme" => self.fixme = Some(value),
            "unreplayed" => self.unreplayed = Some(value),
            "vary" => {
                for switch in value.split_whitespace() {
                    self.vary.push(parse_switch(switch)?);
                }
            }
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

    /// All combinations of what `vary` changes, each a list of settings; one that is empty if there
    /// is no `vary`.
    pub fn variants(&self) -> Vec<Vec<(&str, &str)>> {
        let mut all: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
        for (name, settings) in &self.vary {
            let mut longer = Vec::new();
            for so_far in &all {
                for setting in settings {
                    let mut next = so_far.clone();
                    next.push((name.as_str(), setting.as_str()));
                    longer.push(next);
                }
            }
            all = longer;
        }
        all
    }

    /// What `vary` gives one setting only: that is what the expectation is about, and no test changes
    /// it.
    pub fn fixed(&self) -> Vec<(&str, &str)> {
        let fixed = self.vary.iter().filter(|(_, settings)| settings.len() == 1);
        fixed.map(|(name, settings)| (name.as_str(), settings[0].as_str())).collect()
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

/// `symmetry=on,off`
fn parse_switch(text: &str) -> Result<(String, Vec<String>), String> {
    let known = |(name, settings): &(&str, &str)| {
        let switch = SWITCHES.iter().find(|s| s.0 == *name);
        switch.is_some_and(|(_, all)| settings.split(',').all(|s| all.contains(&s)))
    };
    let (name, settings) = text
        .split_once('=')
        .filter(known)
        .ok_or_else(|| format!("vary {text}: no such switch or setting"))?;
    Ok((name.to_string(), settings.split(',').map(str::to_string).collect()))
}

fn parse_violates(value: &str) -> Result<Violates, String> {
    let (named, quoted) = match value.split_once('"') {
        Some((named, quoted)) => (named.trim(), quoted.strip_suffix('"')),
        None => (value, None),
    };
    if value.contains('"') && quoted.is_none() {
        return Err(format!("violates {value}: the text has no end"));
    }
    let (method, property) = named.rsplit_once(' ').unwrap_or(("", named));
    if property.is_empty() || property.contains(['(', ')', '.']) {
        return Err(format!("violates {value}: no property is named"));
    }
    Ok(Violates {
        method: method.replace(' ', ""),
        property: property.to_string(),
        text: quoted.map(str::to_string),
    })
}

fn parse_marker(line: u32, text: &str) -> Result<(u32, String, Option<String>), String> {
    let (property, rest) = text.split_once(' ').unwrap_or((text, ""));
    let quoted = rest.trim().strip_prefix('"').and_then(|r| r.split('"').next());
    if property.is_empty() {
        return Err(format!("line {line}: `//~` names no property"));
    }
    Ok((line, property.to_string(), quoted.map(str::to_string)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_variants() {
        let text = "//- verdict verified\n//- vary symmetry=on,off bounds=auto,off order=off";
        let found = Expectation::parse(text).expect("it is well-formed");
        let variants = found.variants();
        assert_eq!(variants.len(), 4);
        assert_eq!(variants[1], [("symmetry", "on"), ("bounds", "off"), ("order", "off")]);
        for wrong in ["symmetry", "symmetry=maybe", "scope=on"] {
            assert!(
                Expectation::parse(&format!("//- verdict verified\n//- vary {wrong}")).is_err()
            );
        }
    }

    #[test]
    fn violations_without_a_line() {
        let text = "//- verdict violated\n//- violates ensures\n\
                    //- violates A.f(int, int) loop_invariant \"x > 0\"\nclass A {}";
        let found = Expectation::parse(text).expect("it is well-formed").violates;
        assert!(found[0].fits("A", "g()", "ensures", &["whatever"]));
        assert!(!found[0].fits("A", "g()", "requires", &[]));
        assert!(found[1].fits("A", "f(int,int)", "loop_invariant", &["", "loop_invariant x > 0;"]));
        assert!(!found[1].fits("A", "f(int,int)", "loop_invariant", &["", "x >= 0"]));
        assert!(!found[1].fits("A", "f(int)", "loop_invariant", &["x > 0"]));
        for wrong in ["violates", "violates A.f(int)", "violates A.f ensures \"x"] {
            assert!(Expectation::parse(&format!("//- verdict violated\n//- {wrong}\n")).is_err());
        }
    }
}
