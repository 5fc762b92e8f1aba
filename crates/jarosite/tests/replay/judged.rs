//! Confirmed and refuted, feature by feature.

use encode::execution::Datum::{self, Boolean, Byte, Char, Double, Float, Int, Long, Null, Short};
use encode::execution::{Content, Outcome};
use jarosite::replay::{Replay, Replayer};

use super::build::{Also, call, field, ints, nested, node, object, replayer, string};

const fn at(number: usize) -> Datum {
    Datum::Object(number)
}

/// One JVM judges a list of executions; the confirmed ones are named on failure.
fn all_confirmed(executions: Vec<encode::execution::Execution>) {
    let mut replayer = replayer();
    for execution in executions {
        let verdict = replayer.replay(&execution);
        assert_eq!(verdict, Replay::Confirmed, "{}", execution.method);
    }
}

#[test]
fn plain_values() {
    let minus = |f: f32, d: f64| (Float(f.to_bits()), Double(d.to_bits()));
    let (f, d) = minus(-1.5, -2.5);
    all_confirmed(vec![
        call("add", "(II)I", &[Int(i32::MAX), Int(1)]).gives(Int(i32::MIN)),
        call(
            "mix",
            "(ZBCSJFD)J",
            &[Boolean(true), Byte(-2), Char(65535), Short(-3), Long(4), f, d],
        )
        .gives(Long(1 - 2 + 65535 - 3 + 4 - 1 - 2)),
    ]);
    let wrong = call("add", "(II)I", &[Int(1), Int(2)]).gives(Int(4));
    assert_eq!(wrong.refuted(), "result: predicted 4, was 3");
}

#[test]
fn private_methods_and_fields() {
    let subject = |count| {
        let fields = vec![field("p.Subject", "count", Int(count))];
        object("Subject#0", "p.Subject", Content::Fields(fields))
    };
    let run = |after| {
        call("increment", "()V", &[])
            .on("p.Subject", at(0))
            .heap(vec![subject(4)], vec![subject(after)])
    };
    all_confirmed(vec![run(5)]);
    assert_eq!(run(4).refuted(), "Subject#0.count: predicted 4, was 5");
}

#[test]
fn exceptions_with_their_line() {
    let heap = || vec![node("Node#0", Null, 1)];
    let run = |class: &str, line| {
        call("nextValue", "(Lp/Subject$Node;)I", &[at(0)])
            .heap(heap(), heap())
            .throws(1, class, line)
    };
    let null = "java.lang.NullPointerException";
    all_confirmed(vec![run(null, 87)]);
    let differences = run(null, 86).refuted();
    assert!(differences.contains("Subject.java:86") && differences.contains("Subject.java:87"));
    let differences = run("java.lang.ArithmeticException", 87).refuted();
    assert!(differences.ends_with("but threw java.lang.NullPointerException at Subject.java:87"));
    let returned = run(null, 87).gives(Int(0)).refuted();
    assert!(returned.starts_with("predicted to return, but threw"), "{returned}");
    let other = call("add", "(II)I", &[Int(1), Int(2)]).throws(0, null, 1);
    assert_eq!(other.refuted(), format!("predicted {null}, but it returned 3"));
}

#[test]
fn cycles_and_identity() {
    let before = || vec![node("Node#0", at(1), 1), node("Node#1", at(0), 2)];
    let run = |result, next| {
        let after = vec![node("Node#0", next, 1), node("Node#1", at(0), 2)];
        call("rotate", "(Lp/Subject$Node;)Lp/Subject$Node;", &[at(0)])
            .heap(before(), after)
            .gives(result)
    };
    all_confirmed(vec![run(at(1), at(0))]);
    assert_eq!(run(at(1), at(1)).refuted(), "Node#0.next: predicted Node#1, was Node#0");
    assert_eq!(run(at(0), at(0)).refuted(), "result: predicted Node#0, was Node#1");
    assert_eq!(run(Null, at(0)).refuted(), "result: predicted null, was Node#1");
}

#[test]
fn new_objects() {
    let before = || vec![node("Node#0", Null, 1)];
    let run = |fresh| {
        call("prepend", "(Lp/Subject$Node;)Lp/Subject$Node;", &[at(0)])
            .heap(before(), vec![node("Node#0", Null, 1), fresh])
            .gives(at(1))
    };
    all_confirmed(vec![run(node("Node#1", at(0), 5))]);
    let wrong = run(node("Node#1", at(0), 6)).refuted();
    assert_eq!(wrong, "Node#1.value: predicted 6, was 5");
    let cycle = run(node("Node#1", at(1), 5)).refuted();
    assert_eq!(cycle, "Node#1.next: predicted Node#1, was Node#0");
    let class = run(object("Pair#0", &nested("Pair"), Content::Fields(vec![]))).refuted();
    assert!(class.starts_with("class of Pair#0: predicted p.Subject$Pair, was p.Subject$Node"));
    let mut old = run(node("Node#1", at(0), 5));
    old.outcome = Outcome::Returned(Some(at(0)));
    assert!(old.refuted().starts_with("result: predicted Node#0, was another p.Subject$Node"));
}

#[test]
fn constructors() {
    let run = |value| {
        let mut run = call("<init>", "(I)V", &[Int(value)]).on(&nested("Node"), at(0));
        run.pre = vec![node("Node#0", Null, 0)];
        run.post = vec![node("Node#0", Null, value)];
        run
    };
    let mut bad = run(-1).throws(1, "java.lang.IllegalArgumentException", 10);
    if let Outcome::Threw { at, .. } = &mut bad.outcome {
        at.class = nested("Node");
    }
    all_confirmed(vec![run(3), bad]);
    let mut wrong = run(3);
    wrong.post = vec![node("Node#0", Null, 4)];
    assert_eq!(wrong.refuted(), "Node#0.value: predicted 4, was 3");
    let shape = call("<init>", "(I)V", &[Int(3)]).on(&nested("Shape"), at(0));
    assert!(shape.skipped().contains("is abstract"));
}

#[test]
fn records_boxes_and_strings() {
    let integer = |value, cached| {
        let value = Int(value);
        object("Integer#0", "java.lang.Integer", Content::Box { value, cached })
    };
    let pair = || {
        let class = nested("Pair");
        let fields = vec![field(&class, "left", Int(2)), field(&class, "right", at(1))];
        object("Pair#0", &class, Content::Fields(fields))
    };
    let sum = |right: encode::execution::Object| {
        let heap = vec![pair(), right];
        call("sum", "()I", &[]).on(&nested("Pair"), at(0)).heap(heap.clone(), heap)
    };
    let same = |b| {
        let mut other = integer(5, false);
        other.label = "Integer#1".into();
        let heap = vec![integer(5, true), other, integer(5, true)];
        call("sameBox", "(Ljava/lang/Integer;Ljava/lang/Object;)Z", &[at(0), b])
            .heap(heap.clone(), heap)
    };
    let literal = |interned| {
        let heap = vec![string("String#0", "abc", interned)];
        call("isLiteral", "(Ljava/lang/String;)Z", &[at(0)]).heap(heap.clone(), heap)
    };
    all_confirmed(vec![
        sum(integer(40, true)).gives(Int(42)),
        sum(integer(1000, false)).gives(Int(1002)),
        same(at(0)).gives(Boolean(true)),
        same(at(1)).gives(Boolean(false)),
        literal(true).gives(Boolean(true)),
        literal(false).gives(Boolean(false)),
    ]);
    let mut text = sum(string("String#0", "é\u{1F600}", false));
    text = text.throws(2, "java.lang.ClassCastException", 17);
    if let Outcome::Threw { at, .. } = &mut text.outcome {
        at.class = nested("Pair");
    }
    all_confirmed(vec![text]);
}

#[test]
fn enum_constants_and_mirrors() {
    let red = |field: &str| {
        let class = nested("Color");
        let field = field.to_string();
        object("Color#0", &class.clone(), Content::Constant { class, field })
    };
    let ordinal = |name| {
        call("ordinal", "(Lp/Subject$Color;)I", &[at(0)]).heap(vec![red(name)], vec![red(name)])
    };
    let mirror = |class: &str| object("Class#0", "java.lang.Class", Content::Mirror(class.into()));
    let class_of = |result: &str| {
        let arrays = || object("Node[]#0", "p.Subject$Node[]", Content::Array(vec![Null]));
        call("classOf", "(Ljava/lang/Object;)Ljava/lang/Class;", &[at(0)])
            .heap(vec![arrays()], vec![arrays(), mirror(result)])
            .gives(at(1))
    };
    all_confirmed(vec![
        ordinal("RED").gives(Int(10)),
        ordinal("GREEN").gives(Int(20)),
        class_of("p.Subject$Node[]"),
    ]);
    assert!(class_of("p.Subject$Node").refuted().contains("Node.class"));
    assert!(ordinal("BLUE").skipped().contains("no field p.Subject$Color.BLUE"));
}

#[test]
fn arrays() {
    let run = |result: &[i32], after: &[i32]| {
        call("doubled", "([I)[I", &[at(0)])
            .heap(
                vec![ints("int[]#0", &[7, 8])],
                vec![ints("int[]#0", after), ints("int[]#1", result)],
            )
            .gives(at(1))
    };
    all_confirmed(vec![
        run(&[7, 8, 0, 0], &[-1, -1]),
        call("varargs", "([I)I", &[at(0)])
            .heap(vec![ints("int[]#0", &[7, 8])], vec![])
            .gives(Int(2)),
    ]);
    assert_eq!(
        run(&[7, 8, 1], &[-1, 8]).refuted(),
        "int[]#0[1]: predicted 8, was -1; int[]#1.length: predicted 3, was 4"
    );
    let strings = || object("String[]#0", "java.lang.String[]", Content::Array(vec![Null]));
    let heap = vec![strings(), node("Node#0", Null, 0)];
    let store = call("store", "([Ljava/lang/Object;Ljava/lang/Object;)V", &[at(0), at(1)])
        .heap(heap.clone(), heap)
        .throws(2, "java.lang.ArrayStoreException", 141);
    all_confirmed(vec![store]);
}

#[test]
fn statics() {
    let counter = |value| field("p.Subject", "counter", Int(value));
    let run = |before, after| {
        let mut run = call("bump", "()I", &[]).gives(Int(before));
        run.statics = vec![counter(before)];
        run.post_statics = vec![counter(after)];
        run
    };
    // Twice on one JVM: the second must not see what the first left.
    let initial = call("bump", "()I", &[]).gives(Int(7));
    all_confirmed(vec![run(41, 42), initial.clone(), initial]);
    assert_eq!(run(41, 41).refuted(), "Subject.counter: predicted 41, was 42");
    let mut unchanged = run(41, 42);
    unchanged.post_statics.clear();
    assert_eq!(unchanged.refuted(), "Subject.counter: predicted 41, was 42");
    let mut shares = call("share", "(Lp/Subject$Node;)V", &[at(0)]);
    shares.pre = vec![node("Node#0", Null, 1)];
    shares.post = shares.pre.clone();
    shares.post_statics = vec![field("p.Subject", "shared", at(0))];
    all_confirmed(vec![shares.clone()]);
    shares.post_statics[0].value = Null;
    assert_eq!(shares.refuted(), "Subject.shared: predicted null, was Node#0");
}

#[test]
fn static_final_fields_are_compared_and_their_objects_adopted() {
    let run = |limit| {
        let mut run = call("table", "(I)I", &[Int(1)]).gives(Int(9));
        run.statics =
            vec![field("p.Subject", "LIMIT", Int(limit)), field("p.Subject", "TABLE", at(0))];
        run.pre = vec![ints("int[]#0", &[1, 9, 3])];
        run.post = run.pre.clone();
        run
    };
    all_confirmed(vec![run(10)]);
    assert!(run(11).refuted().contains("the static final field Subject.LIMIT"));
}

#[test]
fn exactly_the_named_body_is_called() {
    let square = || {
        let fields = vec![field(&nested("Shape"), "sides", Int(4))];
        object("Square#0", &nested("Square"), Content::Fields(fields))
    };
    let sides = |class: &str| {
        call("sides", "()I", &[]).on(&nested(class), at(0)).heap(vec![square()], vec![square()])
    };
    let thing = || object("Thing#0", &nested("Thing"), Content::Fields(vec![]));
    let name = call("name", "()Ljava/lang/String;", &[])
        .on(&nested("Named"), at(0))
        .heap(vec![thing()], vec![thing(), string("String#0", "named", true)])
        .gives(at(1));
    let subject = object(
        "Subject#0",
        "p.Subject",
        Content::Fields(vec![field("p.Subject", "count", Int(3))]),
    );
    let inner = object(
        "Inner#0",
        &nested("Inner"),
        Content::Fields(vec![field(&nested("Inner"), "this$0", at(1))]),
    );
    let outer = call("outer", "()I", &[])
        .on(&nested("Inner"), at(0))
        .heap(vec![inner, subject], vec![])
        .gives(Int(3));
    all_confirmed(vec![sides("Shape").gives(Int(4)), sides("Square").gives(Int(-1)), name, outer]);
}

#[test]
fn assertions_are_on_and_lambdas_match_opaque_objects() {
    let opaque = object("Lambda#0", "p.Subject$$Lambda", Content::Opaque);
    let lambda = call("lambda", "(I)Ljava/lang/Runnable;", &[Int(1)])
        .heap(vec![], vec![opaque])
        .gives(at(0));
    all_confirmed(vec![
        call("check", "(I)V", &[Int(0)]).throws(0, "java.lang.AssertionError", 145),
        call("check", "(I)V", &[Int(1)]),
        lambda,
    ]);
}

#[test]
fn what_cannot_be_built_is_skipped_with_its_reason() {
    let descriptor = "(Ljava/lang/Object;)Ljava/lang/Class;";
    let given = |class: &str, content: Content| {
        call("classOf", descriptor, &[at(0)]).heap(vec![object("X#0", class, content)], vec![])
    };
    let none = || Content::Fields(vec![]);
    let opaque = given("java.io.InputStream", Content::Opaque).skipped();
    assert_eq!(opaque, "X#0 cannot be built: its state is not known");
    assert!(given("p.Missing", none()).skipped().contains("class p.Missing cannot be loaded"));
    assert!(given(&nested("Shape"), none()).skipped().contains("no object of class"));
    assert!(given(&nested("Bad"), none()).skipped().contains("static initialiser"));
    let wrong = vec![field(&nested("Node"), "next", at(0)), field(&nested("Node"), "no", Null)];
    let missing = given(&nested("Node"), Content::Fields(wrong)).skipped();
    assert_eq!(missing, "this JVM has no field p.Subject$Node.no");
    let confused = Content::Fields(vec![field(&nested("Node"), "next", at(1))]);
    let mut confused = given(&nested("Node"), confused);
    confused.pre.push(ints("int[]#0", &[]));
    assert!(confused.skipped().contains("cannot hold a int[]"));
    assert!(call("nothing", "()V", &[]).skipped().contains("cannot be called"));
    assert!(call("add", "(II)I", &[Int(1)]).skipped().contains("takes 2 arguments"));
}

#[test]
fn static_initialisers() {
    let mut bad = call("<clinit>", "()V", &[]).throws(0, "java.lang.ArithmeticException", 61);
    bad.class = nested("Bad");
    if let Outcome::Threw { at, .. } = &mut bad.outcome {
        at.class = nested("Bad");
    }
    all_confirmed(vec![bad]);
}

#[test]
fn a_warm_jvm_serves_replays() {
    let jdk = jarosite::jdk::Jdk::find().expect("a JDK");
    let mut replayer = replayer().with_warm(Replayer::warm(&jdk));
    let run = call("add", "(II)I", &[Int(1), Int(2)]).gives(Int(3));
    assert_eq!(replayer.replay(&run), Replay::Confirmed);
}
