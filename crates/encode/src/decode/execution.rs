//! A concrete execution: what a model of the formula means in Java's terms.
//!
//! Produced by the decoder, judged by replay on the JVM, shown by the reports. It holds names
//! rather than ids so that none of those needs the program.

use serde::{Deserialize, Serialize};

/// A value of a variable, field or element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Datum {
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    /// Bits of a float.
    Float(u32),
    /// Bits of a double.
    Double(u64),
    Null,
    /// An object, by its index in [`Execution::pre`] and [`Execution::post`] (one numbering).
    Object(usize),
}

/// One object of a heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// `Node#0`: simple class name and number, unique in the execution.
    pub label: String,
    /// Java name: `p.Outer$Inner`, `int[]`, `java.lang.String`.
    pub class: String,
    pub content: Content,
}

/// What an object holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// Instance fields that the execution depends on or changes; the others have their default
    /// value in a replay. Superclass fields first.
    Fields(Vec<FieldDatum>),
    Array(Vec<Datum>),
    /// UTF-16 code units. `interned`: the very object that a literal of this text is.
    Text {
        units: Vec<u16>,
        interned: bool,
    },
    /// A box (`java.lang.Integer` …). `cached`: the object that `valueOf` returns.
    Box {
        value: Datum,
        cached: bool,
    },
    /// The object that a static final field holds once its class is initialised (an enum
    /// constant, say); not built but fetched.
    Constant {
        class: String,
        field: String,
    },
    /// The object `java.lang.Class` for the class of this Java name.
    Mirror(String),
    /// An object whose state is not shown (a lambda, library internals).
    Opaque,
}

/// A field of one object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldDatum {
    /// Java name of the declaring class.
    pub class: String,
    pub name: String,
    pub value: Datum,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Java name of the class.
    pub class: String,
    /// `insert(int)`.
    pub method: String,
    /// `SortedList.java`; empty if unknown.
    pub file: String,
    /// 0 if unknown.
    pub line: u32,
}

/// One executed source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub place: Place,
    /// Calls below the checked method.
    pub depth: u32,
    /// What changed: variables (`n`), fields (`Node#0.next`), elements (`int[]#0[2]`), in order.
    pub updates: Vec<(String, Datum)>,
    /// The variables of the line's method once it is done, `this` first.
    pub locals: Vec<(String, Datum)>,
    /// The objects, by index, that are not as they were before the step, new ones included.
    /// Library code changes objects too, without being named in `updates`.
    pub objects: Vec<(usize, Content)>,
    /// Static fields that were written.
    pub statics: Vec<FieldDatum>,
}

/// How an execution ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    Returned(Option<Datum>),
    /// An exception leaves the method.
    Threw {
        /// The exception object's index.
        object: usize,
        /// Java name of its class.
        class: String,
        /// The innermost frame in given code when it was created, which is the first such frame
        /// of the JVM's stack trace.
        at: Place,
    },
    /// It never ends: at the loop there it comes back to the state in which it was after the first
    /// `stem` steps of the trace.
    Repeats {
        at: Place,
        stem: usize,
    },
}

/// A call that makes an object of the input, or changes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteCall {
    /// Java name of the class that declares the method.
    pub class: String,
    /// Name (`<init>` for constructors) and JVM descriptor.
    pub method: String,
    pub descriptor: String,
    /// The object that is called, by index; for a constructor the new one, none for a static method.
    pub object: Option<usize>,
    /// The object that it returns, if a later call needs it.
    pub result: Option<usize>,
    pub arguments: Vec<Datum>,
}

/// An execution of one method. Reports and kept results have its fields as they stand here: other programs read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// Java name of the class that declares the method.
    pub class: String,
    /// Name (`<init>` for constructors) and JVM descriptor.
    pub method: String,
    pub descriptor: String,
    pub is_static: bool,
    /// The receiver; for a constructor an object whose fields all have their default value.
    pub receiver: Option<Datum>,
    /// Parameter names and values.
    pub arguments: Vec<(String, Datum)>,
    /// Java names of the given classes that are initialised before the method starts.
    pub initialised: Vec<String>,
    /// Those that are not, and that the method touches.
    pub uninitialised: Vec<String>,
    /// Static fields that the execution reads before it writes them.
    pub statics: Vec<FieldDatum>,
    /// The input heap.
    pub pre: Vec<Object>,
    /// The calls by which a program comes to the input, if it is known.
    #[serde(default)]
    pub route: Vec<RouteCall>,
    /// The objects of `pre` that these calls make: nobody has to build them.
    #[serde(default)]
    pub made: Vec<usize>,
    pub trace: Vec<Step>,
    pub outcome: Outcome,
    /// The final heap: the objects of `pre` at the same indices, then new ones that can be
    /// reached from them, the statics, the result or the exception.
    pub post: Vec<Object>,
    /// Static fields that the execution wrote, with their final value.
    pub post_statics: Vec<FieldDatum>,
    /// Whether the outcome depends on something that a replay cannot choose (identity hash
    /// codes, the clock), and what.
    pub unrepeatable: Option<String>,
    /// Code that a JVM would run to repeat this and that is not modelled to its end, in words: then
    /// nobody may repeat it.
    #[serde(default)]
    pub unmodelled: Option<String>,
}
