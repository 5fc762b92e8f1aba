//! What a project says once: its settings, what it accepts, where its libraries are; and a run that
//! goes on.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::workspace::{Document, Said, Workspace};

const ACCOUNT: &str = "\
package bank;
class Account {
    static int share(int sum, int people) {
        return sum / people;
    }
    static int first(int[] sums) {
        return sums[0];
    }
}
";

/// `share` accepted by a comment with this text.
fn with_comment(comment: &str) -> String {
    ACCOUNT.replace("        return sum /", &format!("        // {comment}\n        return sum /"))
}

#[test]
fn a_comment_accepts_a_violation_with_a_reason() {
    let reason = "jarosite:ignore division-by-zero there are always people";
    let workspace = Workspace::with("src/bank/Account.java", &with_comment(reason));
    let said = workspace.check(&["src", "--method", "share"]).exits(0).quietly();
    said.shows(&[
        "accepted   bank.Account.share(int,int): division-by-zero at Account.java:5",
        "(comment: there are always people)",
        "1 violated, 0 undecided (1 of the violated accepted)",
    ]);
    let (said, document) = workspace.json(&["src"]);
    said.exits(1);
    let accepted = &document.method("share(int,int)")["violations"][0]["accepted"];
    assert_eq!(accepted["by"], "comment");
    assert_eq!(accepted["reason"], "there are always people");
    assert_eq!(document.0["summary"]["accepted"], 1);
    // Without a reason, or about something else, it accepts nothing.
    for (comment, complaint) in [
        ("jarosite:ignore division-by-zero", "needs a reason"),
        ("jarosite:ignore division-by-null why", "(did you mean `division-by-zero`?)"),
        ("jarosite:ignore array-index why", ""),
    ] {
        workspace.write("src/bank/Account.java", with_comment(comment));
        workspace.check(&["src", "--method", "share"]).exits(1).warns(&[complaint]);
    }
}

#[test]
fn only_what_is_new_fails_after_a_baseline() {
    let workspace = Workspace::with("src/bank/Account.java", ACCOUNT);
    let write = ["src", "--write-baseline", "known.json", "--method", "share"];
    workspace.check(&write).exits(0).shows(&["error[division-by-zero]"]);
    let said = workspace.check(&["src", "--baseline", "known.json"]).exits(1).quietly();
    said.shows(&["accepted   bank.Account.share(int,int)", "error[array-index]"]);
    // Lines move, and it is still the same; fixed, it is gone.
    let moved = ACCOUNT.replace("class Account", "\n\n/** Sums. */\nclass Account");
    workspace.write("src/bank/Account.java", &moved);
    let same = ["src", "--baseline", "known.json", "--method", "share"];
    workspace.check(&same).exits(0).shows(&["accepted"]);
    let fixed = moved.replace("sum / people", "people == 0 ? 0 : sum / people");
    workspace.write("src/bank/Account.java", fixed);
    let said = workspace.check(&["src", "--baseline", "known.json"]).exits(1);
    said.warns(&["note: violations of the baseline that are gone: 1"]);
    workspace
        .check(&["src", "--baseline", "none.json"])
        .refuses(&["none.json", "--write-baseline"]);
    workspace.write("odd.json", "{\"schema\": \"x\", \"violations\": []}");
    workspace
        .check(&["src", "--baseline", "odd.json"])
        .refuses(&["odd.json", "jarosite-baseline/1"]);
}

#[test]
fn a_configuration_is_found_upward() {
    let workspace = Workspace::with("src/bank/Account.java", ACCOUNT);
    workspace.write("jarosite.toml", "array-length = 0\n[properties]\ndivision-by-zero = false\n");
    let (said, document) = workspace.json(&["src/bank"]);
    let unchecked = "not checked, as the configuration says: division-by-zero";
    said.exits(1).warns(&[unchecked]);
    assert_eq!(document.verdict("share(int,int)"), "verified");
    assert_eq!(document.0["diagnostics"][0], unchecked);
    assert_eq!(document.0["limits"]["array_length"], 0);
    let (_, document) = workspace.json(&["src/bank", "--array-length", "2", "--method", "first"]);
    assert_eq!(document.0["limits"]["array_length"], 2);
    // By fingerprint.
    let print = document.method("first(int[])")["violations"][0]["fingerprint"].clone();
    let text = format!("[[suppress]]\nfingerprint = {print}\nreason = \"callers test it\"\n");
    workspace.write("other.toml", text);
    let arguments = ["src", "--method", "first", "--config", "other.toml"];
    workspace.check(&arguments).exits(0).shows(&["(configuration: callers test it)"]);
    workspace.write("jarosite.toml", "exclude = [\"bank.*\"]\n");
    workspace.check(&["src"]).refuses(&["no method fits"]);
    workspace.write("jarosite.toml", "exlude = [\"bank.*\"]\n");
    let sentence = "jarosite.toml:1:1: unknown setting `exlude` (did you mean `exclude`?)";
    workspace.check(&["src"]).refuses(&[sentence]);
    workspace.bounds(&["compute", "src"]).exits(2).warns(&[sentence]);
}

#[test]
fn modules_and_local_repositories_need_no_options() {
    let workspace = Workspace::with(
        "lib/util/Numbers.java",
        "package util; public class Numbers { public static int zero() { return 0; } }\n",
    );
    let jar = "home/.m2/repository/org/util/util/1.0/util-1.0.jar";
    std::fs::create_dir_all(workspace.path(jar).parent().expect("a parent")).expect("directories");
    workspace.jdk("javac", &["-d", "classes", "lib/util/Numbers.java"]);
    workspace.jdk("jar", &["--create", "--file", jar, "-C", "classes", "util"]);
    workspace.write("shop/pom.xml", "<project><artifactId>shop</artifactId></project>");
    workspace.write("shop/core/pom.xml", "<project><artifactId>core</artifactId></project>");
    let core = "package core; public class Core {\n\
                public int n; public static int one() { return 1; } }\n";
    workspace.write("shop/core/src/main/java/core/Core.java", core);
    workspace.write(
        "shop/app/pom.xml",
        "<project><artifactId>app</artifactId><dependencies><dependency>\
         <groupId>org.util</groupId><artifactId>util</artifactId><version>1.0</version>\
         </dependency></dependencies></project>",
    );
    let app = "package app; class App {\n\
               static int fine() { return 1 / core.Core.one(); }\n\
               static int bad() { return 1 / util.Numbers.zero(); }\n\
               static int given(core.Core core) { return 1 / core.n; } }\n";
    workspace.write("shop/app/src/main/java/app/App.java", app);
    for path in ["shop/app", "shop/app/src/main/java/app/App.java"] {
        let said = workspace.check_with(&[path, "--format", "json"], |command| {
            command.env("HOME", workspace.path("home"));
        });
        let document = Document::parse(&said.exits(1).stdout);
        assert_eq!(document.verdict("fine()"), "verified");
        assert_eq!(document.verdict("bad()"), "violated");
        // Classes of neighbouring modules are no library: they can be part of the input.
        assert_eq!(document.verdict("given(Core)"), "violated");
        assert!(document.results().iter().all(|r| r["class"] == "app.App"));
        // Nor do they become one when they are built.
        let classes = "shop/core/target/classes";
        workspace.jdk("javac", &["-d", classes, "shop/core/src/main/java/core/Core.java"]);
    }
    let said = workspace.check_with(&["shop/app"], |command| {
        command.env("HOME", workspace.path("nowhere"));
    });
    said.warns(&["pom.xml: org.util:util:1.0 is not in the local repository"]);
}

#[test]
fn watching_prints_what_is_different() {
    let workspace = Workspace::with("src/bank/Account.java", ACCOUNT);
    let mut command = workspace.command();
    command
        .args(["watch", "src", "--jobs", "1", "--invariants", "declared"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut until_waiting = || {
        let mut round = Vec::new();
        loop {
            let line = lines.next().expect("more output").expect("text");
            let is_end = line.ends_with("; waiting for changes");
            round.push(line);
            if is_end {
                return round.join("\n");
            }
        }
    };
    let first = until_waiting();
    assert!(first.contains("error[division-by-zero]") && first.contains("error[array-index]"));
    assert!(first.ends_with("1 verified, 2 violated, 0 undecided; waiting for changes"), "{first}");
    let fixed = ACCOUNT.replace("sum / people", "people == 0 ? 0 : sum / people");
    workspace.write("src/bank/Account.java", fixed);
    let second = until_waiting();
    let expected = "ok         bank.Account.share(int,int)\n\
                    2 verified, 1 violated, 0 undecided; waiting for changes";
    assert_eq!(second, expected);
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    Said::of(child.wait_with_output().expect("it ends")).exits(1);
}
