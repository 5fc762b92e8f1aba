//! Verdicts of earlier runs: found again if nothing changed, and never if something did.

use std::fmt::Write;
use std::time::Duration;

use crate::workspace::{Document, Workspace};

/// Every method with its verdict.
fn verdicts(document: &Document) -> Vec<(String, String)> {
    let names = document.names();
    let verdict = |r: &serde_json::Value| r["verdict"].as_str().expect("a verdict").to_string();
    names.into_iter().zip(document.results().iter().map(verdict)).collect()
}

/// A method whose verdict depends on something in another file.
struct Case {
    files: &'static [(&'static str, &'static str)],
    edit: (&'static str, &'static str, &'static str),
    before: &'static str,
    after: &'static str,
    calls: &'static str,
}

const CASES: [Case; 7] = [
    // The body of a callee of a callee.
    Case {
        files: &[
            ("A.java", "class A { static int f(int x) { return 10 / B.g(x); } }\n"),
            ("B.java", "class B { static int g(int x) { return C.h(x); } }\n"),
            ("C.java", "class C { static int h(int x) { return 1; } }\n"),
        ],
        edit: ("C.java", "return 1;", "return x;"),
        before: "verified",
        after: "violated",
        calls: "inline",
    },
    // A superclass.
    Case {
        files: &[
            ("A.java", "class A extends B { int f(int x) { return 10 / g(x); } }\n"),
            ("B.java", "class B { int g(int x) { return 1; } }\n"),
        ],
        edit: ("B.java", "return 1;", "return x;"),
        before: "verified",
        after: "violated",
        calls: "inline",
    },
    // A subclass that nobody names.
    Case {
        files: &[
            ("A.java", "class A { static int f(B b) { return 10 / b.g(); } }\n"),
            ("B.java", "class B { int g() { return 1; } }\n"),
            ("C.java", "class C extends B { int g() { return 1; } }\n"),
        ],
        edit: ("C.java", "return 1;", "return 0;"),
        before: "verified",
        after: "violated",
        calls: "inline",
    },
    // A given class behind an interface of the library.
    Case {
        files: &[
            (
                "A.java",
                "class A { static int f(CharSequence c) { return 10 / (c.length() + 1); } }\n",
            ),
            (
                "C.java",
                "class C implements CharSequence { public int length() { return 3; } \
                 public char charAt(int i) { return 'c'; } \
                 public CharSequence subSequence(int a, int b) { return this; } }\n",
            ),
        ],
        edit: ("C.java", "return 3;", "return -1;"),
        before: "verified",
        after: "violated",
        calls: "inline",
    },
    // The type of a field.
    Case {
        files: &[
            ("A.java", "class A { static int f(B b) { int x = b.x; return 1 / (x - 1000); } }\n"),
            ("B.java", "class B { int x; }\n"),
        ],
        edit: ("B.java", "int x", "byte x"),
        before: "violated",
        after: "verified",
        calls: "inline",
    },
    // The contract of a callee.
    Case {
        files: &[
            ("A.java", "class A { static int f(int x) { return B.g(x); } }\n"),
            (
                "B.java",
                "class B {\n    //@ requires true;\n    static int g(int x) { return x; } }\n",
            ),
        ],
        edit: ("B.java", "requires true", "requires x > 0"),
        before: "verified",
        after: "violated",
        calls: "contract",
    },
    // A pure method that only a specification names.
    Case {
        files: &[
            (
                "A.java",
                "class A {\n    //@ ensures C.same(\\result, x);\n    static int f(int x) { return x; } }\n",
            ),
            (
                "C.java",
                "class C { /*@ pure @*/ static boolean same(int a, int b) { return a == b; } }\n",
            ),
        ],
        edit: ("C.java", "a == b", "a != b"),
        before: "verified",
        after: "violated",
        calls: "inline",
    },
];

#[test]
fn whatever_a_verdict_depends_on_is_noticed() {
    let workspace = Workspace::new();
    for (number, case) in CASES.iter().enumerate() {
        let directory = format!("case{number}");
        for (name, text) in case.files {
            workspace.write(&format!("{directory}/{name}"), text);
        }
        let check = || {
            let arguments = ["--class", "A", "--method", "f", "--replay", "off"];
            let calls = [directory.as_str(), "--calls", case.calls];
            let (_, document, _) = workspace.again(&[&calls[..], &arguments].concat());
            document.results()[0]["verdict"].as_str().expect("a verdict").to_string()
        };
        assert_eq!(check(), case.before, "case {number}");
        assert_eq!(check(), case.before, "case {number}, known");
        let (name, from, to) = case.edit;
        let (_, text) = case.files.iter().find(|f| f.0 == name).expect("the file");
        assert!(text.contains(from));
        workspace.write(&format!("{directory}/{name}"), text.replace(from, to));
        assert_eq!(check(), case.after, "case {number}, edited");
    }
}

#[test]
fn a_second_run_is_quick_and_says_the_same() {
    let workspace = Workspace::new();
    for class in 0..25 {
        let mut text = format!("class C{class} {{\n");
        for method in 0..20 {
            let _ = writeln!(text, "    static int m{method}(int a, int b) {{");
            let _ =
                writeln!(text, "        return b == {method} ? 0 : a / (b - {method});\n    }}");
        }
        text.push_str("}\n");
        workspace.write(&format!("src/C{class}.java"), text);
    }
    workspace.write("src/C0.java", "class C0 { static int bad(int a) { return 1 / a; } }\n");
    let (said, first, _) = workspace.again(&["src"]);
    said.exits(1).quietly();
    let (said, second, took) = workspace.again(&["src"]);
    said.exits(1).quietly();
    assert!(first.results().len() > 480);
    assert_eq!(verdicts(&first), verdicts(&second));
    assert_eq!(first.method("bad(int)")["violations"], second.method("bad(int)")["violations"]);
    assert!(first.results().iter().all(|r| r["cached"] == false));
    assert!(second.results().iter().all(|r| r["cached"] == true), "all are known");
    assert!(took < Duration::from_secs(4), "{took:?}, on a busy machine");
    // One class changes: only what depends on it is checked again.
    workspace.write("src/C1.java", "class C1 { static int other(int a) { return a; } }\n");
    let (_, third, _) = workspace.again(&["src"]);
    assert_eq!(third.verdict("other(int)"), "verified");
    // And other options are another question.
    let (_, other, _) = workspace.again(&["src", "--class", "C0", "--array-length", "1"]);
    assert_eq!(other.verdict("bad(int)"), "violated");
}

#[test]
fn libraries_are_known_by_what_they_hold() {
    let workspace = Workspace::new();
    let jar = |value: u32, name: &str| {
        let text = format!("public class Lib {{ public static int n() {{ return {value}; }} }}\n");
        workspace.write("lib/Lib.java", text);
        workspace.jdk("javac", &["-d", "lib", "lib/Lib.java"]);
        workspace.jdk("jar", &["--create", "--file", name, "-C", "lib", "Lib.class"]);
    };
    workspace.write("src/A.java", "class A { static int f() { return 1 / Lib.n(); } }\n");
    let check = |jar: &str| {
        let (_, document, _) = workspace.again(&["src", "--classpath", jar, "--method", "f"]);
        let result = &document.results()[0];
        (result["verdict"].clone(), result["cached"].clone())
    };
    jar(1, "one.jar");
    assert_eq!(check("one.jar"), ("verified".into(), false.into()));
    // Elsewhere and at another time it is the same library.
    std::fs::copy(workspace.path("one.jar"), workspace.path("two.jar")).expect("a copy");
    assert_eq!(check("two.jar"), ("verified".into(), true.into()));
    jar(0, "two.jar");
    assert_eq!(check("two.jar"), ("violated".into(), false.into()));
    // A run that needs no JVM does not leave half of one behind.
    let left = std::fs::read_dir(workspace.path(".cache")).expect("a directory").flatten();
    let names: Vec<String> = left.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|name| name.starts_with("replay-new-")), "{names:?}");
}
