//! A struct with very many fields is several that have not been found yet. Where one has to be, as what mirrors
//! a command line or a file format, its doc comment gives the reason.

/// More fields than these need a reason.
const MOST_FIELDS: usize = 15;

/// Complains about each struct of a file with too many fields. The comment before it gives a reason if it speaks of
/// its fields.
pub fn sizes(text: &str, complain: &mut dyn FnMut(usize, &str)) {
    let (mut doc, mut open) = (String::new(), None::<Open>);
    for (number, line) in (1..).zip(text.lines()) {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if let Some(current) = &mut open {
            if indent == current.indent && bare.starts_with('}') {
                if current.fields > MOST_FIELDS && !current.has_reason {
                    let what = format!(
                        "`{}` has {} fields and does not say why",
                        current.name, current.fields
                    );
                    complain(current.line, &what);
                }
                open = None;
            } else if indent == current.indent + 4 && is_field(bare) {
                current.fields += 1;
            }
            continue;
        }
        match (bare.strip_prefix("//"), struct_name(bare)) {
            (Some(said), _) => doc.push_str(said),
            (None, Some(name)) => {
                let has_reason = doc.contains("fields");
                open =
                    Some(Open { name: name.into(), line: number, indent, fields: 0, has_reason });
            }
            (None, None) if bare.starts_with("#[") || bare.is_empty() => {}
            (None, None) => doc.clear(),
        }
        if open.is_some() {
            doc.clear();
        }
    }
}

/// A struct whose end has not come yet.
struct Open {
    name: String,
    line: usize,
    indent: usize,
    fields: usize,
    has_reason: bool,
}

/// `pub(crate) struct Name<'a> {` → `Name`.
fn struct_name(line: &str) -> Option<&str> {
    let line = without_visibility(line).strip_prefix("struct ")?;
    line.ends_with('{').then(|| line.split(|c: char| !is_name(c)).next().unwrap_or_default())
}

fn is_field(line: &str) -> bool {
    let line = without_visibility(line);
    let name = line.trim_start_matches(is_name);
    name.len() < line.len() && name.starts_with(": ")
}

fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else {
        return line;
    };
    match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(") ").map_or(line, |(_, rest)| rest),
        None => rest.strip_prefix(' ').unwrap_or(line),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(doc: &str, fields: usize) -> Vec<String> {
        let fields: String =
            (0..fields).map(|i| format!("    /// What it is.\n    pub f{i}: u8,\n")).collect();
        let text = format!("{doc}#[derive(Clone)]\npub(crate) struct Big<'a> {{\n{fields}}}\n");
        let mut all = Vec::new();
        sizes(&text, &mut |line, what| all.push(format!("{line}: {what}")));
        all
    }

    #[test]
    fn many_fields_need_a_reason() {
        assert!(said("/// A thing.\n", MOST_FIELDS).is_empty());
        let many = said("/// A thing.\n", MOST_FIELDS + 1);
        assert_eq!(many, ["3: `Big` has 16 fields and does not say why"]);
        assert!(
            said("/// Its fields are the options, one for each.\n", MOST_FIELDS + 1).is_empty()
        );
        assert_eq!(said("/// It has fields.\nfn other() {}\n", MOST_FIELDS + 1).len(), 1);
    }
}
