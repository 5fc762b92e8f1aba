//! The store on disk by itself.

use encode::portable::{PortableBounds, PortableRow, PortableValues};

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::database::{self, beside, open_or_replace};

fn open(path: &Path) -> Result<Database, Trouble> {
    Ok(Database::on(database::open(path, &KIND)?))
}

fn reopened(path: &Path) -> (Database, Option<String>) {
    let (connection, said) = open_or_replace(path, &KIND).expect("a database");
    (Database::on(connection), said)
}

fn key(number: u32) -> String {
    format!("{number:064x}")
}

fn stored(left: usize, complete: bool) -> StoredBounds {
    let values = (0..left).map(|n| format!("p.N#{n}")).collect();
    let row = PortableRow {
        owner: "this".into(),
        field: String::new(),
        values: PortableValues::References(values),
    };
    StoredBounds {
        class: "p.N".into(),
        roots: "this".into(),
        scope: "3".into(),
        bounds: PortableBounds { rows: vec![row], unshared: Vec::new() },
        complete,
        before: 100,
        after: left as u64,
        milliseconds: 1,
    }
}

fn directory() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("bounds.db");
    (directory, path)
}

#[test]
fn bounds_outlive_the_process() {
    let (_directory, path) = directory();
    let mut database = open(&path).expect("a database");
    assert!(database.get(&key(1)).expect("readable").is_none());
    database.put(&key(1), &stored(2, true)).expect("writable");
    drop(database);
    let database = open(&path).expect("a database");
    assert_eq!(database.get(&key(1)).expect("readable"), Some(stored(2, true)));
    assert_eq!(database.list().expect("readable").len(), 1);
    assert_eq!(database.clear().expect("writable"), 1);
    assert!(database.get(&key(1)).expect("readable").is_none());
}

#[test]
fn better_bounds_stay() {
    let (_directory, path) = directory();
    let mut database = open(&path).expect("a database");
    let mut kept = |put: StoredBounds| {
        database.put(&key(1), &put).expect("writable");
        database.get(&key(1)).expect("readable").expect("a bound")
    };
    assert_eq!(kept(stored(9, false)), stored(9, false));
    assert_eq!(kept(stored(7, false)), stored(7, false));
    assert_eq!(kept(stored(8, false)), stored(7, false));
    assert_eq!(kept(stored(5, true)), stored(5, true));
    assert_eq!(kept(stored(4, false)), stored(5, true));
}

#[test]
fn what_was_not_used_for_long_makes_room() {
    let (_directory, path) = directory();
    let mut database = open(&path).expect("a database");
    let size = record::line(&key(0), &stored(2, true)).len() as i64;
    database.most_bytes = 20 * size;
    for number in 0..50 {
        database.put(&key(number), &stored(2, true)).expect("writable");
        let used = "UPDATE bounds SET used = ?2 WHERE key = ?1";
        let changed = database.connection.execute(used, params![key(number), number]);
        assert_eq!(changed.expect("writable"), 1);
    }
    let kept = database.lines().expect("readable").len();
    assert!((10..=20).contains(&kept), "{kept}");
    assert!(database.get(&key(0)).expect("readable").is_none());
    assert!(database.get(&key(49)).expect("readable").is_some());
    database.put(&key(60), &stored(90, true)).expect("writable");
    database.most_bytes = 1;
    database.put(&key(61), &stored(2, true)).expect("too large is not an error");
    assert!(database.get(&key(61)).expect("readable").is_none());
}

#[test]
fn a_row_that_was_changed_is_no_bound() {
    let (_directory, path) = directory();
    let mut database = open(&path).expect("a database");
    database.put(&key(1), &stored(2, true)).expect("writable");
    let change = "UPDATE bounds SET record = replace(record, 'p.N#1', 'p.N#7')";
    database.connection.execute(change, []).expect("writable");
    assert!(database.get(&key(1)).expect("readable").is_none());
    // A row under another's key neither.
    database.put(&key(2), &stored(2, true)).expect("writable");
    let swap = "UPDATE bounds SET key = ?2 WHERE key = ?1";
    database.connection.execute(swap, params![key(2), key(3)]).expect("writable");
    assert!(database.get(&key(3)).expect("readable").is_none());
}

#[test]
fn what_is_of_no_use_is_moved_aside() {
    for content in ["this is text, and long enough to be taken for a header of a file", "short"] {
        let (_directory, path) = directory();
        fs::write(&path, content).expect("writable");
        let (mut database, said) = reopened(&path);
        let said = said.expect("a sentence");
        assert!(said.contains("not a database") && said.contains("bounds.db.broken"), "{said}");
        assert_eq!(fs::read_to_string(beside(&path, ".broken")).expect("kept"), content);
        database.put(&key(1), &stored(2, true)).expect("writable");
        drop(database);
        let (_, said) = reopened(&path);
        assert_eq!(said, None);
    }
}

#[test]
fn other_databases_are_moved_aside() {
    let make = |sql: &str| {
        let (directory, path) = directory();
        Connection::open(&path).and_then(|c| c.execute_batch(sql)).expect("another database");
        let (_, said) = reopened(&path);
        drop(directory);
        said.expect("a sentence")
    };
    assert!(make("CREATE TABLE notes (text TEXT)").contains("another program"));
    assert!(make("PRAGMA application_id = 7").contains("another program"));
    let newer = format!("PRAGMA application_id = {}; PRAGMA user_version = 9", KIND.application);
    assert!(make(&newer).contains("its schema is 9"));
}

#[test]
fn damage_in_the_middle_is_noticed() {
    let (_directory, path) = directory();
    let mut database = open(&path).expect("a database");
    for number in 0..200 {
        database.put(&key(number), &stored(30, true)).expect("writable");
    }
    drop(database);
    let mut bytes = fs::read(&path).expect("readable");
    assert!(bytes.len() > 40_000, "{}", bytes.len());
    for byte in bytes.iter_mut().skip(4096) {
        *byte ^= 0x5a;
    }
    fs::write(&path, bytes).expect("writable");
    let database = open(&path).expect("the first page is whole");
    let found = (0..200).map(|number| database.get(&key(number)));
    let sound =
        |r: Result<Option<StoredBounds>, Trouble>| matches!(r, Ok(None) | Err(Trouble::Broken(_)));
    assert!(found.into_iter().all(sound));
}
