//! Configurations, good and bad.

use clap::{CommandFactory, FromArgMatches};

use super::*;
use crate::cli::{Cli, Command, given};

/// What `check .` comes to beside a file with this text.
fn completed(text: &str, arguments: &[&str]) -> Result<CheckArgs, String> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(NAME);
    std::fs::write(&path, text).expect("a file");
    std::fs::create_dir_all(directory.path().join("src/p")).expect("a directory");
    let source = directory.path().join("src/p").display().to_string();
    let command = ["jarosite", "check", &source];
    let matches = Cli::command().get_matches_from(command.iter().chain(arguments));
    let Command::Check(mut args) = Cli::from_arg_matches(&matches).expect("it fits").command else {
        panic!("it is a check");
    };
    let shown = format!("{}/", directory.path().display());
    complete(&mut args, &given(&matches)).map_err(|error| error.replace(&shown, ""))?;
    Ok(*args)
}

#[track_caller]
fn refused(text: &str, error: &str) {
    assert_eq!(completed(text, &[]).map(|_| ()), Err(format!("{NAME}:{error}")));
}

#[test]
fn a_file_sets_what_the_command_line_leaves_open() {
    let text = "\
        unroll = 7\ntimeout = 2.5\nnullness = \"nullable\"\nexclude = [\"gen.*\"]\nsymmetry = false\n\
        [scope]\ndefault = 4\nNode = 6\n\
        [properties]\narray-store = false\nassert = true\n\
        [[suppress]]\nfingerprint = \"0123\"\nreason = \"known\"\n";
    let args = completed(text, &["--unroll", "9", "--scope", "List=1"]).expect("a good file");
    assert_eq!(args.unroll, "9");
    assert_eq!(args.subject.timeout, "2.5");
    assert_eq!(args.subject.exclude, ["gen.*"]);
    assert_eq!(args.symmetry, Switch::Off);
    assert_eq!(args.subject.scope, ["4", "Node=6", "List=1"]);
    assert_eq!(args.settings.unchecked, BTreeSet::from([Property::ArrayStore]));
    assert_eq!(args.settings.suppressed.len(), 1);
    let args = completed("scope = 5\n", &[]).expect("a good file");
    assert_eq!(args.subject.scope, ["5"]);
    assert_eq!(args.subject.array_length, None);
}

#[test]
fn paths_are_relative_to_the_file() {
    let args = completed("classpath = \"lib/a.jar\"\nbaseline = \"known.json\"\n", &[]);
    let args = args.expect("a good file");
    assert!(Path::new(&args.subject.classpath[0]).is_absolute());
    assert!(args.subject.classpath[0].ends_with("lib/a.jar"));
    assert!(args.baseline.is_some_and(|path| path.ends_with("known.json")));
}

#[test]
fn a_mistake_is_told_with_its_place() {
    refused("\nunrol = 3\n", "2:1: unknown setting `unrol` (did you mean `unroll`?)");
    refused("colour = 3\n", "1:1: unknown setting `colour`");
    refused("int-bits = 64\n", "1:12: `int-bits` takes a number from 2 to 32");
    refused("timeout = -1\n", "1:11: `timeout` takes a positive number of seconds, or \"none\"");
    refused("unroll = \"much\"\n", "1:10: `unroll` takes a number or \"auto\"");
    refused("exclude = 3\n", "1:11: `exclude` takes a list of texts, not this integer");
    refused("exclude = [3]\n", "1:12: this list takes texts");
    refused(
        "nullness = \"nullabel\"\n",
        "1:12: `nullness` is one of auto, nullable, nonnull, jml, not `nullabel` \
         (did you mean `nullable`?)",
    );
    refused(
        "[properties]\nnull-derefrence = false\n",
        "2:1: there is no property `null-derefrence` (did you mean `null-dereference`?)",
    );
    refused(
        "[[suppress]]\nfingerprint = \"0123\"\n",
        "1:1: a suppression needs a fingerprint and a reason",
    );
    refused(
        "[[suppress]]\nfinger = \"0123\"\n",
        "2:1: a suppression has no `finger` (did you mean `fingerprint`?)",
    );
    assert!(completed("scope = \n", &[]).is_err_and(|error| error.starts_with("jarosite.toml:1:")));
}

#[test]
fn every_setting_is_known_where_it_is_used() {
    for key in KEYS {
        let error =
            completed(&format!("{key} = 1979-05-27\n"), &[]).expect_err("no date is a value");
        assert!(!error.contains("unknown"), "{error}");
        assert!(error.contains(key) || key == "scope", "{error}");
    }
}
