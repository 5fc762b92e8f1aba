//! What a user may point at: sources, classes, jars, trees, and the paths that complete them.

use crate::workspace::{VERDICTS, Workspace};

const SHAPE: &str = "package p; public class Shape { public int side(int x) { return x; } }\n";
const SQUARE: &str = "\
package p.q;
import p.Shape;
public class Square extends Shape {
    public int inverse(int x) {
        return 1 / side(x);
    }
}
";
const CLIENT: &str = "\
class Client {
    static int ask(int x) {
        return lib.Library.inverse(x);
    }
    static int same(int x) {
        return x;
    }
}
";
const LIBRARY: &str =
    "package lib; public class Library { public static int inverse(int x) { return 7 / x; } }\n";

#[test]
fn a_class_file_and_a_jar_need_no_source() {
    let workspace = Workspace::with("src/Verdicts.java", VERDICTS);
    workspace.jdk("javac", &["-g", "-d", "out", "src/Verdicts.java"]);
    workspace.jdk("jar", &["--create", "--file", "lib.jar", "-C", "out", "Verdicts.class"]);
    for path in ["src/Verdicts.java", "out/Verdicts.class", "lib.jar", "out", "src"] {
        let (said, document) = workspace.json(&[path]);
        said.exits(1).quietly();
        assert_eq!(document.results().len(), 4, "{path}");
        let divide = document.method("divide(int,int)");
        assert_eq!(divide["line"], 4, "{path}");
        assert_eq!(divide["violations"][0]["replay"], "confirmed", "{path}");
        assert_eq!(divide["violations"][0]["pre_state"]["arguments"]["b"], 0, "{path}");
    }
}

#[test]
fn a_class_without_debug_information() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    workspace.jdk("javac", &["-g:none", "Verdicts.java"]);
    let (said, document) = workspace.json(&["Verdicts.class", "--method", "divide"]);
    said.exits(1).quietly();
    assert_eq!(document.method("divide(int,int)")["violations"][0]["replay"], "confirmed");
    workspace.check(&["Verdicts.class", "--method", "divide"]).exits(1).shows(&["Input"]);
}

#[test]
fn a_tree_in_the_layout_of_maven() {
    let workspace = Workspace::with("app/src/main/java/p/Shape.java", SHAPE);
    workspace.write("app/src/main/java/p/q/Square.java", SQUARE);
    workspace.write("app/src/test/java/p/ShapeTest.java", "import org.junit.Test; class T {}");
    workspace.write("app/target/classes/Stale.class", "stale");
    workspace.write("app/pom.xml", "<project/>");
    let (said, document) = workspace.json(&["app"]);
    said.exits(1).quietly();
    assert_eq!(document.verdict("side(int)"), "verified");
    let inverse = document.method("inverse(int)");
    assert_eq!(inverse["class"], "p.q.Square");
    assert_eq!(inverse["path"], "app/src/main/java/p/q/Square.java");
    assert_eq!(inverse["violations"][0]["property"], "division-by-zero");
}

#[test]
fn one_file_of_a_tree_finds_its_neighbours() {
    let workspace = Workspace::with("src/p/Shape.java", SHAPE);
    workspace.write("src/p/q/Square.java", SQUARE);
    let (said, document) = workspace.json(&["src/p/q/Square.java"]);
    said.exits(1).quietly();
    assert_eq!(document.names(), ["p.q.Square.Square()", "p.q.Square.inverse(int)"]);
}

#[test]
fn several_paths_of_different_kinds() {
    let workspace = Workspace::with("Verdicts.java", VERDICTS);
    workspace.write("lib/Library.java", LIBRARY);
    workspace.jdk("javac", &["-g", "-d", "out", "lib/Library.java"]);
    workspace.write("tree/p/Shape.java", SHAPE);
    let paths = ["Verdicts.java", "out/lib/Library.class", "tree", "Verdicts.java"];
    let (said, document) = workspace.json(&paths);
    said.exits(1).quietly();
    assert_eq!(document.results().len(), 8, "{:?}", document.names());
}

#[test]
fn a_jar_on_the_class_path_is_used_but_not_checked() {
    let workspace = Workspace::with("Client.java", CLIENT);
    workspace.write("src/lib/Library.java", LIBRARY);
    workspace.jdk("javac", &["-g", "-d", "out", "src/lib/Library.java"]);
    std::fs::create_dir(workspace.path("jars")).expect("a directory");
    workspace.jdk("jar", &["--create", "--file", "jars/library.jar", "-C", "out", "lib"]);
    for class_path in ["jars/library.jar", "jars/*", "out", "nothing:out"] {
        let (said, document) = workspace.json(&["Client.java", "--classpath", class_path]);
        let said = said.exits(1);
        assert_eq!(said.stderr.contains("nothing"), class_path == "nothing:out", "{}", said.stderr);
        assert_eq!(document.results().len(), 3, "{:?}", document.names());
        let violation = &document.method("ask(int)")["violations"][0];
        assert_eq!(violation["replay"], "confirmed", "{class_path}: {violation}");
    }
}

#[test]
fn a_missing_class_leaves_exactly_its_users_undecided() {
    let workspace = Workspace::with("src/Client.java", CLIENT);
    workspace.write("src/lib/Library.java", LIBRARY);
    workspace.jdk("javac", &["-g", "-d", "out", "-sourcepath", "src", "src/Client.java"]);
    let (said, document) = workspace.json(&["out/Client.class"]);
    said.exits(1).quietly();
    assert_eq!(document.names().len(), 3, "only what is given is checked");
    std::fs::remove_dir_all(workspace.path("out/lib")).expect("a directory");
    let (said, document) = workspace.json(&["out/Client.class"]);
    said.exits(3);
    assert_eq!(document.verdict("same(int)"), "verified");
    let ask = document.method("ask(int)");
    assert_eq!(ask["verdict"], "undecided");
    let cause = ask["cause"].as_str().expect("a cause");
    assert!(cause.starts_with("unsupported: "), "{cause}");
    assert!(cause.contains("lib.Library"), "{cause}");
    assert!(cause.contains("Client.java:3"), "{cause}");
}

#[test]
fn sources_from_the_source_path() {
    let workspace = Workspace::with("here/Client.java", CLIENT);
    workspace.write("there/lib/Library.java", LIBRARY);
    let said = workspace.check(&["here/Client.java"]).exits(2);
    said.warns(&["here/Client.java: does not compile", "package lib does not exist"]);
    let (said, document) = workspace.json(&["here/Client.java", "--sourcepath", "there"]);
    said.exits(1).warns(&["note: what was named leads to there/lib/Library.java: read as part"]);
    assert_eq!(document.results().len(), 3, "{:?}", document.names());
    let violation = &document.method("ask(int)")["violations"][0];
    assert_eq!(violation["property"], "division-by-zero", "its code is the program's");
    assert_eq!(violation["location"]["path"], "there/lib/Library.java");
}

const LIST: &str = "package p;
class List {
    Node head;
    int first() { return head == null ? 0 : head.value; }
    int third() { return head.next.next.value; }
}
";
const NODE: &str =
    "package p; class Node { int value; Node next; int bad() { return 1 / value; } }";

#[test]
fn a_file_finds_its_neighbours_wherever_it_lies() {
    for (list, node, options) in [
        ("src/p/List.java", "src/p/Node.java", &[][..]),
        ("flat/List.java", "flat/Node.java", &[]),
        ("List.java", "Node.java", &[]),
        ("here/List.java", "there/p/Node.java", &["--sourcepath", "there"]),
    ] {
        let workspace = Workspace::with(list, LIST);
        workspace.write(node, NODE);
        let unrelated = std::path::Path::new(node).with_file_name("Broken.java");
        workspace.write(&unrelated.display().to_string(), "package p; class Broken {");
        let arguments = [&[list, "--invariants", "declared"][..], options].concat();
        let (said, document) = workspace.json(&arguments);
        said.warns(&[&format!(
            "note: what was named leads to {node}: read as part of the program"
        )]);
        assert_eq!(document.names().len(), 3, "{:?}", document.names());
        assert_eq!(document.verdict("first()"), "verified", "{list}");
        let third = &document.method("third()")["violations"][0];
        assert_eq!(third["property"], "null-dereference", "{list}: {third}");
        assert_eq!(third["replay"], "confirmed", "{list}: {third}");
        let (again, _) = workspace.json(&arguments);
        again.warns(&["note: what was named leads to"]);
        workspace.check(&[&arguments[..], &["--quiet"]].concat()).quietly();
    }
}

#[test]
fn a_change_beside_the_file_is_seen() {
    let workspace = Workspace::with("flat/List.java", LIST);
    workspace.write("flat/Node.java", NODE);
    let verdict = |workspace: &Workspace| {
        let (_, document) = workspace.json(&["flat/List.java", "--invariants", "declared"]);
        document.verdict("third()").to_string()
    };
    assert_eq!(verdict(&workspace), "violated");
    workspace.write("flat/Node.java", NODE.replace("int value", "int worth"));
    workspace.check(&["flat/List.java"]).exits(2).warns(&["List.java: does not compile"]);
}

#[test]
fn names_with_blanks_and_letters_of_other_scripts() {
    let workspace = Workspace::new();
    let text = "class Größe { static int teile(int zähler, int нуль) { return zähler / нуль; } }";
    workspace.write("my files/日本 \"x\"/Größe.java", text);
    let path = "my files/日本 \"x\"/Größe.java";
    let said = workspace.check(&[path, "--method", "teile"]).exits(1).quietly();
    said.shows(&["Größe.teile(int,int)", path, "zähler / нуль", "нуль = 0", "confirmed"]);
}

#[test]
fn windows_line_ends() {
    let workspace = Workspace::new();
    let text = "package p;\nclass Dos {\n  static int f(int x) {\n    return 1 / x;\n  }\n}\n";
    workspace.write("p/Dos.java", text.replace('\n', "\r\n"));
    let said = workspace.check(&["p/Dos.java", "--method", "f"]).exits(1).quietly();
    let said = said.shows(&["p/Dos.java:4", " 4 |     return 1 / x;\n", "^^^", "confirmed"]);
    assert!(!said.stdout.contains('\r'), "{:?}", said.stdout);
}

/// javac does not take it; its own words say so.
#[test]
fn a_byte_order_mark_is_refused_as_javac_does() {
    let workspace = Workspace::with("Mark.java", "\u{feff}class Mark { void f() {} }");
    let said = workspace.check(&["Mark.java"]).exits(2);
    said.warns(&["Mark.java: does not compile", "illegal character: '\\ufeff'"]);
}

#[test]
fn a_package_that_its_directory_does_not_show() {
    let workspace = Workspace::with("flat/Library.java", LIBRARY);
    let (said, document) = workspace.json(&["flat"]);
    said.exits(1).quietly();
    let inverse = document.method("inverse(int)");
    assert_eq!(
        (&inverse["class"], &inverse["path"]),
        (&"lib.Library".into(), &"flat/Library.java".into())
    );
}
