//! Tight bounds as one line of JSON: what the store keeps, and what `export` writes. What is read
//! back has to be what was written: a checksum tells.

use encode::portable::{PortableBounds, PortableRow, PortableValues};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use verify::store::{StoredBounds, is_well_formed};

use crate::contents::hex;

const SCHEMA: &str = "jarosite-bounds/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    schema: String,
    key: String,
    class: String,
    roots: String,
    scope: String,
    complete: bool,
    before: u64,
    after: u64,
    milliseconds: u64,
    rows: Vec<Row>,
    unshared: Vec<Vec<String>>,
    /// Of everything else.
    check: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    owner: String,
    field: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    references: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    numbers: Option<Vec<u64>>,
}

/// Bounds under their key as one line, without its end.
pub fn line(key: &str, stored: &StoredBounds) -> String {
    let row = |row: &PortableRow| {
        let (references, numbers) = match &row.values {
            PortableValues::References(values) => (Some(values.clone()), None),
            PortableValues::Numbers(values) => (None, Some(values.clone())),
        };
        Row { owner: row.owner.clone(), field: row.field.clone(), references, numbers }
    };
    let mut record = Record {
        schema: SCHEMA.into(),
        key: key.into(),
        class: stored.class.clone(),
        roots: stored.roots.clone(),
        scope: stored.scope.clone(),
        complete: stored.complete,
        before: stored.before,
        after: stored.after,
        milliseconds: stored.milliseconds,
        rows: stored.bounds.rows.iter().map(row).collect(),
        unshared: stored.bounds.unshared.clone(),
        check: String::new(),
    };
    record.check = checksum(&record);
    text(&record)
}

/// The bounds in a line and their key; an error is a sentence without its end.
pub fn parse(line: &str) -> Result<(String, StoredBounds), String> {
    let parsed = serde_json::from_str(line).map_err(|error| format!("not a bound: {error}"));
    let mut record: Record = parsed?;
    if record.schema != SCHEMA {
        return Err(format!("not of the form {SCHEMA} but {}", record.schema));
    }
    let claimed = std::mem::take(&mut record.check);
    if checksum(&record) != claimed {
        return Err("changed since it was written: its checksum is another".into());
    }
    let is_key = record.key.len() == 64 && record.key.bytes().all(|b| b.is_ascii_hexdigit());
    let mut rows = Vec::new();
    for row in record.rows {
        let values = match (row.references, row.numbers) {
            (Some(references), None) => PortableValues::References(references),
            (None, Some(numbers)) => PortableValues::Numbers(numbers),
            _ => return Err("a row needs references or numbers".into()),
        };
        rows.push(PortableRow { owner: row.owner, field: row.field, values });
    }
    let bounds = PortableBounds { rows, unshared: record.unshared };
    let fits = bounds.entries() as u64 == record.after && record.after <= record.before;
    if !is_key || !fits || !is_well_formed(&bounds.rows) {
        return Err("it contradicts itself".into());
    }
    let stored = StoredBounds {
        class: record.class,
        roots: record.roots,
        scope: record.scope,
        bounds,
        complete: record.complete,
        before: record.before,
        after: record.after,
        milliseconds: record.milliseconds,
    };
    Ok((record.key, stored))
}

fn text(record: &Record) -> String {
    serde_json::to_string(record).expect("texts and numbers can be written")
}

fn checksum(record: &Record) -> String {
    debug_assert!(record.check.is_empty());
    hex(&Sha256::digest(text(record))[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored() -> StoredBounds {
        let row = |owner: &str, field: &str, values| PortableRow {
            owner: owner.into(),
            field: field.into(),
            values,
        };
        let references = PortableValues::References(vec!["null".into(), "p.N#1".into()]);
        let numbers = PortableValues::Numbers(vec![0, u64::MAX]);
        StoredBounds {
            class: "p.N".into(),
            roots: "this".into(),
            scope: "3,N=2".into(),
            bounds: PortableBounds {
                rows: vec![row("p.N#0", "p.N.next", references), row("p.N#0", "p.N.v", numbers)],
                unshared: vec![vec!["p.N.next".into()]],
            },
            complete: true,
            before: 5,
            after: 2,
            milliseconds: 7,
        }
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let key = "0123456789abcdef".repeat(4);
        let line = line(&key, &stored());
        assert!(!line.contains('\n'));
        assert_eq!(parse(&line), Ok((key, stored())));
    }

    #[test]
    fn what_was_changed_is_refused() {
        let key = "0123456789abcdef".repeat(4);
        let good = line(&key, &stored());
        for (from, to) in [
            ("p.N#1", "p.N#0"),
            ("\"complete\":true", "\"complete\":false"),
            ("\"null\",", ""),
            ("jarosite-bounds/1", "jarosite-bounds/2"),
            ("\"class\"", "\"klass\""),
        ] {
            assert!(good.contains(from), "{from}");
            assert!(parse(&good.replacen(from, to, 1)).is_err(), "{from}");
        }
        for end in 0..good.len() {
            assert!(parse(&good[..end]).is_err(), "cut after {end}");
        }
        assert!(parse(&line("no key", &stored())).is_err());
        let wrong = StoredBounds { after: 1, ..stored() };
        assert!(parse(&line(&key, &wrong)).is_err());
    }
}
