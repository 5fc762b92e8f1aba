//! Bounds for people: each field as a matrix of what it can hold.

use std::collections::BTreeMap;
use std::fmt::Write;

use encode::portable::{PortableRow, PortableValues};
use verify::store::{Entry, StoredBounds};

/// The bounds of one kind of input.
///
/// ```text
/// Node.next   null N0 N1 N2
///        N0      x  .  x  .
/// ```
pub fn draw(entry: &Entry) -> String {
    let stored = &entry.stored;
    let state = if stored.complete { "complete" } else { "not complete yet" };
    let mut text = format!(
        "{} from {}, scope {}: {} -> {} entries, {state}\n",
        stored.class, stored.roots, stored.scope, stored.before, stored.after
    );
    let mut bounded = BTreeMap::new();
    for row in &stored.bounds.rows {
        bounded.insert((row.owner.as_str(), row.field.as_str()), &row.values);
    }
    let (mut shown, mut fields): (Vec<&str>, _) = (Vec::new(), Vec::new());
    for row in &entry.candidates {
        let title = title(row);
        if !shown.contains(&title) {
            shown.push(title);
            let rows = entry.candidates.iter().filter(|r| self::title(r) == title);
            fields.push((title, rows.collect::<Vec<_>>()));
        }
    }
    for (title, rows) in fields {
        text.push('\n');
        text.push_str(&matrix(title, &rows, &bounded));
    }
    text.push_str(&numbers(stored));
    for set in &stored.bounds.unshared {
        let names: Vec<String> = set.iter().map(|f| short_field(f)).collect();
        let _ = writeln!(text, "\nno object is held twice by {}", names.join(", "));
    }
    text
}

/// What stands above a matrix: the field; the array for its elements; `roots` for these.
fn title(row: &PortableRow) -> &str {
    match row.field.as_str() {
        _ if row.owner == "static" => "roots",
        "" => "roots",
        field if field.bytes().all(|b| b.is_ascii_digit()) => {
            row.owner.rsplit_once('#').map_or("", |(class, _)| class)
        }
        field => field,
    }
}

fn matrix(
    title: &str,
    rows: &[&PortableRow],
    bounded: &BTreeMap<(&str, &str), &PortableValues>,
) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for row in rows {
        if let PortableValues::References(values) = &row.values {
            for value in values {
                if !columns.contains(&value.as_str()) {
                    columns.push(value);
                }
            }
        }
    }
    let names: Vec<String> = rows.iter().map(|row| row_name(row, title)).collect();
    let heads: Vec<String> = columns.iter().map(|c| short(c)).collect();
    let title = if title == "roots" { title.to_string() } else { short_field(title) };
    let left = names.iter().chain([&title]).map(|n| n.chars().count()).max().unwrap_or(0);
    let mut text = format!("{title:<left$} ");
    for head in &heads {
        let _ = write!(text, " {head}");
    }
    text.push('\n');
    for (row, name) in rows.iter().zip(&names) {
        let _ = write!(text, "{name:>left$} ");
        let PortableValues::References(candidates) = &row.values else {
            continue;
        };
        let admitted = match bounded.get(&(row.owner.as_str(), row.field.as_str())) {
            Some(PortableValues::References(values)) => values,
            _ => candidates,
        };
        for (column, head) in columns.iter().zip(&heads) {
            let mark = match admitted.iter().any(|v| v == column) {
                false => ".",
                true if admitted.len() == 1 => "1",
                true => "x",
            };
            let _ = write!(text, " {mark:>width$}", width = head.chars().count());
        }
        text.push('\n');
    }
    text
}

/// The numbers of each field, objects with the same ones together.
fn numbers(stored: &StoredBounds) -> String {
    let mut text = String::new();
    for row in &stored.bounds.rows {
        let PortableValues::Numbers(values) = &row.values else {
            continue;
        };
        let values: Vec<i64> = values.iter().map(|v| signed(*v)).collect();
        let range = match (values.iter().min(), values.iter().max()) {
            (Some(least), Some(most)) if least == most => least.to_string(),
            (Some(least), Some(most)) => {
                let gapless = most.abs_diff(*least) + 1 == values.len() as u64;
                let ranged = format!("{least}..{most}");
                let all: Vec<String> = values.iter().map(i64::to_string).collect();
                if gapless { ranged } else { format!("{{{}}}", all.join(", ")) }
            }
            _ => "never reached".into(),
        };
        if text.is_empty() {
            text.push('\n');
        }
        let field = row.field.rsplit('.').next().unwrap_or(&row.field);
        let _ = writeln!(text, "{}.{field}: {range}", short(&row.owner));
    }
    text
}

/// Bits of an int or a long as a number.
fn signed(bits: u64) -> i64 {
    match u32::try_from(bits) {
        Ok(word) => i64::from(word.cast_signed()),
        Err(_) => bits.cast_signed(),
    }
}

fn row_name(row: &PortableRow, title: &str) -> String {
    match title {
        "roots" if row.owner == "static" => short_field(&row.field),
        "roots" => row.owner.clone(),
        _ if row.field.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{}[{}]", short(&row.owner), row.field)
        }
        _ => short(&row.owner),
    }
}

/// `p.Node#3` → `N3`, with as much of the name as has capitals: `LinkedList#0` → `LL0`.
fn short(name: &str) -> String {
    let Some((class, number)) = name.rsplit_once('#') else {
        return name.to_string();
    };
    let class = ir::program::simple(class.trim_start_matches("initialiser "));
    let capitals: String = class.chars().filter(|c| c.is_uppercase()).collect();
    let initials = if capitals.is_empty() { class.trim_end_matches("[]") } else { &capitals };
    let arrays = "[]".repeat(class.matches("[]").count());
    format!("{initials}{arrays}{number}")
}

/// `p.Node.next` → `Node.next`.
fn short_field(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((class, field)) if !name.ends_with("[]") => {
            format!("{}.{field}", ir::program::simple(class))
        }
        _ => ir::program::simple(name).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use verify::tighten::BoundsUse;

    use super::*;

    fn row(owner: &str, field: &str, values: &[&str]) -> PortableRow {
        let values = values.iter().map(ToString::to_string).collect();
        let values = PortableValues::References(values);
        PortableRow { owner: owner.into(), field: field.into(), values }
    }

    #[test]
    fn names_are_short() {
        assert_eq!(short("p.Node#3"), "N3");
        assert_eq!(short("p.LinkedList$Entry#0"), "E0");
        assert_eq!(short("p.node#1"), "node1");
        assert_eq!(short("p.Node[]#1"), "N[]1");
        assert_eq!(short("null"), "null");
        assert_eq!(short_field("p.q.Node.next"), "Node.next");
    }

    #[test]
    fn a_field_is_a_matrix() {
        let all = ["null", "p.N#0", "p.N#1"];
        let number = |owner: &str, values: &[u64]| PortableRow {
            owner: owner.into(),
            field: "p.N.v".into(),
            values: PortableValues::Numbers(values.to_vec()),
        };
        let entry = Entry {
            how: BoundsUse::Hit,
            key: String::new(),
            candidates: vec![
                row("this", "", &["p.L#0"]),
                row("p.N#0", "p.N.next", &all),
                row("p.N#1", "p.N.next", &all),
            ],
            stored: StoredBounds {
                class: "p.L".into(),
                roots: "this".into(),
                scope: "2".into(),
                bounds: encode::portable::PortableBounds {
                    rows: vec![
                        row("p.N#0", "p.N.next", &["null", "p.N#1"]),
                        number("p.N#0", &[0, 1, 0xffff_ffff]),
                        row("p.N#1", "p.N.next", &["null"]),
                        number("p.N#1", &[3, 5]),
                    ],
                    unshared: vec![vec!["p.N.next".into()]],
                },
                complete: true,
                before: 6,
                after: 3,
                milliseconds: 0,
            },
        };
        let expected = "\
p.L from this, scope 2: 6 -> 3 entries, complete

roots  L0
 this   1

N.next  null N0 N1
    N0     x  .  x
    N1     1  .  .

N0.v: -1..1
N1.v: {3, 5}

no object is held twice by N.next
";
        assert_eq!(draw(&entry), expected);
    }
}
