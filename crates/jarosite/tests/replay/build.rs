//! Short ways to write executions of the methods of `Subject.java`.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use encode::execution::{Content, Datum, Execution, FieldDatum, Object, Outcome, Place};
use jarosite::class_path::ClassPath;
use jarosite::inputs::Inputs;
use jarosite::javac::{self, Compiled};
use jarosite::jdk::Jdk;
use jarosite::replay::{Replay, Replayer};

/// Compiled once for all tests.
pub fn replayer() -> Replayer {
    static CLASSES: OnceLock<(Jdk, Arc<ClassPath>, Compiled)> = OnceLock::new();
    let (jdk, class_path, _) = CLASSES.get_or_init(|| {
        let jdk = Jdk::find().expect("a JDK");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay/Subject.java");
        let inputs = Inputs::collect(&[source], &[], &[]);
        // A static is never dropped, so the classes stay behind: below `target`.
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let compiled = javac::compile_below(scratch, &jdk, &inputs).expect("javac");
        assert!(compiled.dropped.is_empty(), "{:?}", compiled.dropped);
        let (class_path, diagnostics) = ClassPath::new(&inputs, Some(&compiled));
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        (jdk, Arc::new(class_path), compiled)
    });
    Replayer::new(jdk, class_path.clone())
}

/// `Node` → `p.Subject$Node`.
pub fn nested(name: &str) -> String {
    format!("p.Subject${name}")
}

/// A call of a static method of `Subject` that returns nothing and changes nothing.
pub fn call(method: &str, descriptor: &str, arguments: &[Datum]) -> Execution {
    let named = arguments.iter().map(|value| ("x".to_string(), *value));
    Execution {
        class: "p.Subject".into(),
        method: method.into(),
        descriptor: descriptor.into(),
        is_static: true,
        receiver: None,
        arguments: named.collect(),
        initialised: Vec::new(),
        uninitialised: Vec::new(),
        statics: Vec::new(),
        pre: Vec::new(),
        route: Vec::new(),
        made: Vec::new(),
        trace: Vec::new(),
        outcome: Outcome::Returned(None),
        post: Vec::new(),
        post_statics: Vec::new(),
        unrepeatable: None,
        unmodelled: None,
    }
}

pub fn field(class: &str, name: &str, value: Datum) -> FieldDatum {
    FieldDatum { class: class.into(), name: name.into(), value }
}

pub fn object(label: &str, class: &str, content: Content) -> Object {
    Object { label: label.into(), class: class.into(), content }
}

pub fn node(label: &str, next: Datum, value: i32) -> Object {
    let class = nested("Node");
    let fields = vec![field(&class, "next", next), field(&class, "value", Datum::Int(value))];
    object(label, &class, Content::Fields(fields))
}

pub fn ints(label: &str, values: &[i32]) -> Object {
    let values = values.iter().copied().map(Datum::Int).collect();
    object(label, "int[]", Content::Array(values))
}

pub fn string(label: &str, text: &str, interned: bool) -> Object {
    let units = text.encode_utf16().collect();
    object(label, "java.lang.String", Content::Text { units, interned })
}

/// Changes to an execution, to be read in a row.
pub trait Also {
    fn on(self, class: &str, receiver: Datum) -> Self;
    fn heap(self, pre: Vec<Object>, post: Vec<Object>) -> Self;
    fn gives(self, value: Datum) -> Self;
    fn throws(self, object: usize, class: &str, line: u32) -> Self;
    fn verdict(&self) -> Replay;
    fn refuted(&self) -> String;
    fn skipped(&self) -> String;
}

impl Also for Execution {
    fn on(mut self, class: &str, receiver: Datum) -> Execution {
        self.class = class.into();
        self.is_static = false;
        self.receiver = Some(receiver);
        self
    }

    fn heap(mut self, pre: Vec<Object>, post: Vec<Object>) -> Execution {
        (self.pre, self.post) = (pre, post);
        self
    }

    fn gives(mut self, value: Datum) -> Execution {
        self.outcome = Outcome::Returned(Some(value));
        self
    }

    /// The exception object is added to the final heap if it is the next one.
    fn throws(mut self, number: usize, class: &str, line: u32) -> Execution {
        if self.post.len() == number {
            self.post.push(object("Exception#0", class, Content::Fields(Vec::new())));
        }
        let at = Place {
            class: "p.Subject".into(),
            method: String::new(),
            file: "Subject.java".into(),
            line,
        };
        self.outcome = Outcome::Threw { object: number, class: class.into(), at };
        self
    }

    fn verdict(&self) -> Replay {
        replayer().replay(self)
    }

    fn refuted(&self) -> String {
        match self.verdict() {
            Replay::Refuted(differences) => differences,
            other => panic!("{}: not refuted but {other:?}", self.method),
        }
    }

    fn skipped(&self) -> String {
        match self.verdict() {
            Replay::Skipped(reason) => reason,
            other => panic!("{}: not skipped but {other:?}", self.method),
        }
    }
}
