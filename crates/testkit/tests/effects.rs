//! Frame conditions of called methods: what they may change over everything that they call.

use encode::effects::{Analysis, Effects};
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::project::Project;
use verify::select::{self, Filter};

const SOURCE: &str = "class Node { Node next; int value; static int made;
    int get() { return value; }
    void set(int v) { value = v; }
    void setNext(int v) { if (next != null) { next.value = v; } }
    void both(Node other, int v) { set(v); other.set(v); }
    void through(int v) { next.set(v); }
    void checked(int v) { if (v < 0) { throw new IllegalArgumentException(); } value = v; }
    int tested(Node n) { return n == null ? 0 : n.value; }
    int untested(Node n) { return n.value; }
    int sum(Node n) { int s = 0; while (n != null) { s += n.value; n = n.next; } return s; }
    Node make() { made = made + 1; return new Node(); }
    void fill(int[] a) { a[0] = value; }
    void recur(int n) { if (n > 0) { value = n; recur(n - 1); } }
    void guarded(int n) { try { checked(n); } catch (IllegalArgumentException e) { } }
    void over(Node n, int v) { n = next; if (n != null) { n.value = v; } }
    Node linked() { Node n = new Node(); n.value = 1; n.set(2); return n; }
    int[] cells; void put(int v) { cells[0] = v; }
    int virtual() { return weigh(); }
    int weigh() { return 1; } }
class Loops { int limit; int noise; int[] cells;
    int up(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i; } return s; }
    int down(int n) { int s = 0; for (int i = n; i > 0; i--) { s += i; } return s; }
    int mirrored(int n) { int s = 0; for (int i = 0; n > i; i = i + 1) { s += i; } return s; }
    int around(int n) { int s = 0; for (int i = 0; i != n; i--) { s += i; } return s; }
    int byTwo() { int s = 0; for (int i = 0; i <= 10; i += 2) { s += i; } return s; }
    int afterwards(int n) { int i = n; do { i -= 2; } while (i > 0); return i; }
    int toField() { int s = 0; for (int i = 0; i < limit; i++) { s += i; } return s; }
    int nested(int n) { int s = 0; for (int i = 0; i < n; i++) { for (int j = i; j < n; j++) { s++; } }
        return s; }
    int skips(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 3) { continue; } s++; } return s; }
    int each() { int[] a = cells; int s = 0; if (a != null) { for (int x : a) { s += x; } } return s; }
    int through() { int[] a = cells; int s = 0; if (a != null) {
        for (int i = 0; i < a.length; i++) { if (a[i] > 3) { return i; } s += a[i]; } } return s; }
    int toTheGreatest(int n) { int s = 0; for (int i = 0; i <= n; i++) { s += i; } return s; }
    int leap(int n) { int s = 0; for (int i = 0; i < n; i += 2) { s += i; } return s; }
    int away(int n) { int s = 0; for (int i = 0; i < n; i--) { s += i; } return s; }
    int moving(int n) { int s = 0; for (int i = 0; i < n; i++) { n++; } return s; }
    int movingField() { int s = 0; for (int i = 0; i < limit; i++) { limit++; } return s; }
    int sometimes(int n) { int i = 0; while (i < n) { if (noise > 3) { i++; } } return i; }
    int twice(int n) { int s = 0; for (int i = 0; i < n; i++) { i++; } return s; }
    int inner(int n) { int s = 0; for (int i = 0; i < n; i++) { while (s < n) { s = s * 2; } } return s; }
    int caught(int n) { int i = 0; while (i < n) { try { noise = 1 / n; i++; }
        catch (ArithmeticException e) { noise = 0; } } return i; }
    int ahead() { int[] a = cells; int s = 0; if (a != null) {
        for (int i = 0; i < a.length; i++) { s += a[i + 1]; } } return s; }
    int late() { int[] a = cells; int s = 0; int i = 0; if (a != null) {
        while (i < a.length) { i++; s += a[i]; } } return s; }
    int below() { int[] a = cells; int s = 0; if (a != null) {
        for (int i = -1; i < a.length; i++) { s += a[i]; } } return s; }
    int other() { int[] a = cells; int s = 0; if (a != null) {
        for (int i = 0; i < a.length; i++) { s += a[i]; a = cells; if (a == null) { return s; } } }
        return s; } }
class Heavy extends Node { int weighed; int weigh() { weighed = 1; return 2; } }
interface Rule { int apply(int x); }
class Rules { static int run(Rule r, int x) { return r.apply(x); } }";

struct World {
    project: Project,
    analysis: Analysis,
}

impl World {
    fn effects(&mut self, class: &str, method: &str) -> Effects {
        let (program, given) = (&self.project.program, &self.project.given);
        let filter = Filter {
            classes: vec![class.into()],
            methods: vec![method.into()],
            ..Filter::default()
        };
        let found = select::methods(program, given, &filter);
        let [method] = found[..] else { panic!("no one method {class}.{method}") };
        (*self.analysis.of(self.project.subject(), method)).clone()
    }

    /// The fields that a method may write, each with the arguments that may own it and `*` for
    /// other objects.
    fn fields(&mut self, method: &str) -> String {
        let effects = self.effects("Node", method);
        let name = |f: &ir::FieldId| self.project.program.field(*f).name.to_string();
        let fields = effects.changes.fields.iter().map(|(field, owners)| {
            let mut of: Vec<String> = owners.arguments.iter().map(u32::to_string).collect();
            of.extend(owners.any.then(|| "*".to_string()));
            format!("{} of {}", name(field), of.join(" "))
        });
        let statics = effects.changes.statics.iter().map(name);
        fields.chain(statics).collect::<Vec<_>>().join(", ")
    }
}

#[test]
fn effects_of_methods() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("Node.java"), SOURCE).expect("a file");
    let jdk = Jdk::find().expect("a JDK is installed");
    let inputs = Inputs::collect(&[directory.path().to_path_buf()], &[], &[]);
    let project = Project::open(&jdk, &inputs).expect("it compiles");
    let mut world = World { project, analysis: Analysis::default() };
    for (method, fields) in [
        ("get", ""),
        ("set", "value of 0"),
        ("setNext", "value of *"),
        ("both", "value of 0 1"),
        ("through", "value of *"),
        ("checked", "value of 0"),
        ("make", "made"),
        ("recur", "value of 0"),
        ("over", "value of *"),
        ("virtual", "weighed of 0"),
        ("linked", ""),
        ("guarded", "value of 0"),
    ] {
        assert_eq!(world.fields(method), fields, "{method}");
    }
    let node = |world: &mut World, method: &str| world.effects("Node", method);
    for safe in ["get", "set", "tested", "over", "virtual"] {
        assert!(!node(&mut world, safe).failures.any(), "{safe}");
    }
    for risky in ["both", "setNext", "through", "checked", "untested", "sum", "fill", "recur"] {
        assert!(node(&mut world, risky).failures.any(), "{risky}");
    }
    for safe in
        ["up", "down", "mirrored", "around", "byTwo", "afterwards", "toField", "nested", "skips"]
    {
        assert!(!world.effects("Loops", safe).failures.any(), "{safe}");
    }
    for safe in ["each", "through"] {
        assert!(!world.effects("Loops", safe).failures.any(), "{safe}");
    }
    for endless in ["toTheGreatest", "leap", "away", "moving", "movingField", "sometimes", "twice"]
    {
        assert!(world.effects("Loops", endless).failures.goes_on, "{endless}");
    }
    for endless in ["inner", "caught"] {
        assert!(world.effects("Loops", endless).failures.goes_on, "{endless}");
    }
    for risky in ["ahead", "late", "below", "other"] {
        assert!(world.effects("Loops", risky).failures.throws, "{risky}");
    }
    for method in ["get", "checked", "sum", "recur", "set"] {
        assert!(node(&mut world, method).changes.makes.is_empty(), "{method}");
    }
    let made = node(&mut world, "make").changes.makes;
    let made: Vec<&str> = made.iter().map(|c| world.project.program.class_name(*c)).collect();
    assert_eq!(made, ["Node"]);
    assert_eq!(node(&mut world, "fill").changes.arrays.arguments.len(), 1);
    assert_eq!(node(&mut world, "put").changes.arrays.classes.len(), 1);
    assert!(!node(&mut world, "checked").at_worst.makes.is_empty(), "the exception");
    assert!(!node(&mut world, "guarded").changes.makes.is_empty(), "the exception is caught");
    assert!(node(&mut world, "recur").is_recursive);
    assert!(world.effects("Rules", "run").changes.unknown, "a lambda may be behind it");
}
