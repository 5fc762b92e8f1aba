//! Which constructors and methods may be tried on the JVM: those from which nothing can be reached
//! that is not modelled, nor any part of the library that knows a world outside of its objects.
//!
//! The walk is over code, not over executions, because nobody knows what a call does that has not been made. Calls
//! are dispatched to the classes of which the walk has seen an object come to be (Bacon & Sweeney's
//! rapid type analysis). The library is not walked: a short list of its classes only computes, and
//! calls back nothing but methods that are declared in the library and overridden in classes seen.

use std::collections::{BTreeMap, BTreeSet};

use encode::execution::{Content, Object};
use ir::{Class, ClassId, Code, InvokeKind, MethodId, Op, Program};

/// Methods that one question may lead to.
const MOST_METHODS: usize = 2_000;

/// Classes of `java.lang` and `java.util` that compute and do nothing else.
const COMPUTING: &[&str] = &[
    "AbstractCollection",
    "AbstractList",
    "AbstractMap",
    "AbstractQueue",
    "AbstractSequentialList",
    "AbstractSet",
    "AbstractStringBuilder",
    "ArrayDeque",
    "ArrayList",
    "Arrays",
    "BitSet",
    "Boolean",
    "Byte",
    "Character",
    "Collections",
    "Double",
    "Enum",
    "EnumMap",
    "EnumSet",
    "Float",
    "HashMap",
    "HashSet",
    "Hashtable",
    "IdentityHashMap",
    "Integer",
    "LinkedHashMap",
    "LinkedHashSet",
    "LinkedList",
    "Long",
    "Math",
    "Number",
    "Object",
    "Objects",
    "Optional",
    "OptionalDouble",
    "OptionalInt",
    "OptionalLong",
    "PriorityQueue",
    "Record",
    "Short",
    "Stack",
    "StrictMath",
    "String",
    "StringBuffer",
    "StringBuilder",
    "StringJoiner",
    "TreeMap",
    "TreeSet",
    "Vector",
    "Void",
];

/// What is known of one program; each answer is kept.
pub(super) struct Harmless<'p> {
    program: &'p Program,
    known: BTreeMap<MethodId, bool>,
}

impl<'p> Harmless<'p> {
    pub fn new(program: &'p Program) -> Harmless<'p> {
        Harmless { program, known: BTreeMap::new() }
    }

    /// Whether the objects of a heap may be built on the JVM, which initialises their classes.
    pub fn can_build(&self, heap: &[Object]) -> bool {
        let mut walk = Walk::new(self.program);
        for object in heap {
            let name = match &object.content {
                Content::Constant { class, .. } => class,
                _ => &object.class,
            };
            walk.make(self.program.class_id(name));
        }
        walk.end().is_ok()
    }

    /// Whether a constructor or method may be called on and with objects that may be built.
    pub fn can_call(&mut self, method: MethodId, heap: &[Object]) -> bool {
        if let Some(known) = self.known.get(&method) {
            return *known;
        }
        let mut walk = Walk::new(self.program);
        heap.iter().for_each(|object| walk.make(self.program.class_id(&object.class)));
        walk.make(self.program.method(method).class);
        walk.enter(method);
        let harmless = walk.end().is_ok();
        self.known.insert(method, harmless);
        harmless
    }
}

struct Walk<'p> {
    program: &'p Program,
    waiting: Vec<MethodId>,
    entered: BTreeSet<MethodId>,
    initialised: BTreeSet<ClassId>,
    /// Classes of objects that come to be, those of the library left out.
    made: BTreeSet<ClassId>,
    /// Methods that are called on objects of whichever class.
    called: BTreeSet<MethodId>,
    /// The first thing that nobody may run.
    harm: Option<String>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Walk<'p> {
        Walk {
            program,
            waiting: Vec::new(),
            entered: BTreeSet::new(),
            initialised: BTreeSet::new(),
            made: BTreeSet::new(),
            called: BTreeSet::new(),
            harm: None,
        }
    }

    fn end(mut self) -> Result<(), String> {
        while let Some(method) = self.waiting.pop() {
            if self.entered.len() > MOST_METHODS {
                self.refuse("more code than is looked through");
            }
            if let Some(harm) = self.harm {
                return Err(harm);
            }
            self.body(method);
        }
        self.harm.map_or(Ok(()), Err)
    }

    fn refuse(&mut self, what: &str) {
        self.harm.get_or_insert_with(|| what.to_string());
    }

    fn enter(&mut self, method: MethodId) {
        if self.entered.insert(method) {
            self.waiting.push(method);
        }
    }

    fn body(&mut self, method: MethodId) {
        let body = match self.program.code(method) {
            Code::Body(body) => body,
            Code::Intrinsic(_) | Code::Abstract => return,
            Code::Unsupported(what) => return self.refuse(what),
        };
        let instructions = body.blocks.iter().flat_map(|b| &b.instrs);
        for op in instructions.map(|instr| &instr.op) {
            self.op(op);
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::New { class, .. } => self.make(*class),
            Op::GetStatic { field, .. } | Op::PutStatic { field, .. } => {
                match self.program.resolve_field(*field) {
                    Ok(field) => self.initialise(self.program.field(field).class),
                    Err(_) => self.refuse("a field that cannot be found"),
                }
            }
            Op::Invoke { kind, method, .. } => match self.program.resolve_method(*method) {
                Ok(method) => self.call(*kind, method),
                Err(_) => self.refuse("a method that cannot be found"),
            },
            Op::Unsupported { what } => self.refuse(what),
            Op::Const { .. }
            | Op::Move { .. }
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::GetField { .. }
            | Op::PutField { .. }
            | Op::ArrayLength { .. }
            | Op::ArrayLoad { .. }
            | Op::ArrayStore { .. }
            | Op::NewArray { .. }
            | Op::NewMultiArray { .. }
            | Op::InstanceOf { .. }
            | Op::CheckCast { .. }
            | Op::Concat { .. }
            | Op::NullCheck { .. }
            | Op::Mark { .. } => {}
        }
    }

    fn call(&mut self, kind: InvokeKind, method: MethodId) {
        let owner = self.program.method(method).class;
        let is_virtual = matches!(kind, InvokeKind::Virtual | InvokeKind::Interface);
        if is_platform(self.program.class_name(owner)) {
            let is_interface = self.program.class(owner).is_ok_and(|c| c.is_interface);
            let is_built_in = matches!(self.program.code(method), Code::Intrinsic(_));
            // Objects of the library behind an interface have come from where it was asked about.
            if !(is_built_in || is_virtual && is_interface || self.only_computes(owner)) {
                let name = self.program.method_name(method);
                self.refuse(&name);
            }
            return;
        }
        if kind == InvokeKind::Static {
            self.initialise(owner);
        }
        if !is_virtual {
            return self.enter(method);
        }
        if self.called.insert(method) {
            for class in self.made.clone() {
                self.dispatch(method, class);
            }
        }
    }

    fn dispatch(&mut self, method: MethodId, class: ClassId) {
        if self.program.is_subtype(class, self.program.method(method).class) {
            match self.program.select(method, class) {
                Ok(selected) => self.enter(selected),
                Err(_) => self.refuse("a method that cannot be found"),
            }
        }
    }

    /// An object of this class may come to be.
    fn make(&mut self, class: ClassId) {
        let Ok(loaded) = self.program.class(class) else {
            return self.refuse("a class that cannot be found");
        };
        if loaded.element.is_some() {
            return;
        }
        if is_platform(&loaded.name) {
            if !self.only_computes(class) {
                self.refuse(&loaded.name);
            }
            return;
        }
        self.initialise(class);
        if self.made.insert(class) {
            for method in self.called.clone() {
                self.dispatch(method, class);
            }
            self.call_back(loaded);
        }
    }

    /// The library may call what it knows of an object: what is declared in the library.
    fn call_back(&mut self, class: &Class) {
        let (above, own): (Vec<&Class>, Vec<&Class>) = class
            .supertypes()
            .iter()
            .filter_map(|id| self.program.class(*id).ok())
            .partition(|class| is_platform(&class.name));
        let declared: BTreeSet<(&str, &str)> = above
            .iter()
            .flat_map(|class| &class.methods)
            .map(|id| self.program.method(*id))
            .map(|method| (&*method.name, &*method.descriptor))
            .collect();
        for id in own.iter().flat_map(|class| &class.methods) {
            let method = self.program.method(*id);
            let is_known = declared.contains(&(&*method.name, &*method.descriptor));
            let is_asked = is_known && !method.is_static && &*method.name != "<init>";
            // `Enum.valueOf` and `EnumMap` do.
            if is_asked || class.is_enum && method.is_static && &*method.name == "values" {
                self.enter(*id);
            }
        }
    }

    fn initialise(&mut self, class: ClassId) {
        let Ok(loaded) = self.program.class(class) else {
            return self.refuse("a class that cannot be found");
        };
        for id in loaded.supertypes() {
            let Ok(class) = self.program.class(*id) else {
                continue;
            };
            if is_platform(&class.name) || !self.initialised.insert(*id) {
                continue;
            }
            if let Some(initialiser) = self.program.declared_method(class, "<clinit>", "()V") {
                self.enter(initialiser);
            }
        }
    }

    /// Whether a class of the library knows nothing but objects. Exceptions are of this kind.
    fn only_computes(&self, class: ClassId) -> bool {
        let name = self.program.class_name(class);
        let throwable = self.program.class_id("java.lang.Throwable");
        if self.program.is_subtype(class, throwable) {
            return true;
        }
        let simple = ["java.lang.", "java.util."].iter().find_map(|p| name.strip_prefix(p));
        let listed = simple.is_some_and(|s| COMPUTING.contains(&s.split('$').next().unwrap_or(s)));
        listed || name.starts_with("java.math.") || name.starts_with("java.util.function.")
    }
}

/// Whether a class is of the JDK: no other may have such a name.
fn is_platform(name: &str) -> bool {
    name.starts_with("java.")
}
