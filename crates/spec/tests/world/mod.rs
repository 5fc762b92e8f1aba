//! Programs without a compiler: classes described by a few lines of text, and sources resolved
//! against them.
//!
//! ```text
//! class p.Node extends p.Base implements p.Link
//!   field p.Node next
//!   static final field int COUNT
//!   method int get(int,p.Node) @12
//! ```
//! `library` in front of a class makes it one that is not given; `@12` is the line of a body;
//! `#3(int i,p.Node n)` behind a method puts a mark with these variables into it, `?int i` a
//! variable that begins later.
#![allow(dead_code, reason = "each test uses its part")]

use std::collections::HashMap;
use std::sync::Arc;

use ir::{
    Block, Body, ClassData, ClassId, ClassLoader, Code, FieldData, Instr, LoadError, Local, Method,
    MethodData, MethodId, Nullness, Op, Program, Reg, Terminator, Type, Variable,
};
use spec::core::{Contract, Contracts};
use spec::resolve::{Defaults, Math, Reading, SourceFile, resolve};

/// What every program has of the library.
const LIBRARY: &str = "
library class java.lang.Object
  method boolean equals(java.lang.Object)
  method int hashCode()
  method java.lang.String toString()
library class java.lang.String
  method int length()
  method boolean isEmpty()
  method char charAt(int)
library class java.lang.Number
  abstract method int intValue()
library class java.lang.Integer extends java.lang.Number
  static final field int MAX_VALUE
  method int intValue()
  static method java.lang.Integer valueOf(int)
library class java.lang.Boolean
  method boolean booleanValue()
  static method java.lang.Boolean valueOf(boolean)
library class java.lang.Long extends java.lang.Number
  method long longValue()
  static method java.lang.Long valueOf(long)
library class java.lang.Math
  static method int abs(int)
  static method long abs(long)
  static method double abs(double)
  static method int max(int,int)
  static method long max(long,long)
library class java.lang.Throwable
library class java.lang.Exception extends java.lang.Throwable
library class java.lang.RuntimeException extends java.lang.Exception
library class java.lang.IllegalArgumentException extends java.lang.RuntimeException
library class java.lang.NullPointerException extends java.lang.RuntimeException
library interface java.lang.Cloneable
library interface java.io.Serializable
library interface java.util.List
  abstract method int size()
  abstract method boolean contains(java.lang.Object)
  abstract method java.lang.Object get(int)
";

struct Loader {
    classes: HashMap<String, Vec<String>>,
}

impl Loader {
    fn new(text: &str) -> Loader {
        let mut classes: HashMap<String, Vec<String>> = HashMap::new();
        let mut current = String::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_type = |w: &&str| matches!(*w, "class" | "interface" | "enum" | "record");
            let is_member = words.iter().any(|w| matches!(*w, "field" | "method"));
            if let (Some(at), false) = (words.iter().position(is_type), is_member) {
                current = words[at + 1].to_string();
            }
            classes.entry(current.clone()).or_default().push(line.to_string());
        }
        Loader { classes }
    }
}

fn after<'w>(words: &[&'w str], keyword: &str) -> Vec<&'w str> {
    let Some(at) = words.iter().position(|w| *w == keyword) else {
        return Vec::new();
    };
    words.get(at + 1).map_or(vec![], |list| list.split(',').collect())
}

impl ClassLoader for Loader {
    fn load(&self, program: &Program, _: ClassId, name: &str) -> Result<ClassData, LoadError> {
        let lines = self.classes.get(name).ok_or(LoadError::Missing)?;
        let head: Vec<&str> = lines[0].split_whitespace().collect();
        let is = |word: &str| head.contains(&word);
        let object = (name != "java.lang.Object").then(|| program.class_id("java.lang.Object"));
        let superclass = after(&head, "extends").first().map(|s| program.class_id(s)).or(object);
        let mut data = ClassData {
            superclass,
            interfaces: after(&head, "implements").iter().map(|i| program.class_id(i)).collect(),
            is_interface: is("interface"),
            is_abstract: is("interface") || is("abstract"),
            is_final: is("final") || name == "java.lang.String",
            is_enum: is("enum"),
            is_record: is("record"),
            given: !is("library"),
            ..ClassData::default()
        };
        for line in &lines[1..] {
            match line.split_whitespace().any(|w| w == "field") {
                true => data.fields.push(field(program, line)),
                false => data.methods.push(method(program, line)),
            }
        }
        Ok(data)
    }

    fn lower(&self, program: &Program, method: &Method) -> Code {
        let class = program.class_name(method.class);
        let lines = self.classes.get(class).into_iter().flatten();
        let named = |line: &&String| {
            line.contains(&format!(" {}(", method.name)) && line.contains(" method ")
                || line.starts_with("method") && line.contains(&format!(" {}(", method.name))
        };
        let Some(line) = lines.into_iter().find(named) else {
            return Code::Abstract;
        };
        let mut instrs = Vec::new();
        let mut variables = Vec::new();
        for mark in line.split('#').skip(1) {
            let (number, rest) = mark.split_once('(').expect("a mark has variables");
            let inside = rest.split(')').next().unwrap_or_default();
            let mut locals = Vec::new();
            for variable in inside.split(',').filter(|v| !v.is_empty()) {
                let (ty, name) = variable.trim().split_once(' ').expect("type and name");
                let reg = Reg(0);
                match ty.strip_prefix('?') {
                    Some(ty) => variables.push(Variable {
                        signature: None,
                        name: name.into(),
                        ty: program.parse_type(ty),
                        reg,
                        start: 9,
                        end: 10,
                    }),
                    None => {
                        let (name, ty) = (name.into(), program.parse_type(ty));
                        locals.push(Local { name, ty, signature: None, reg });
                    }
                }
            }
            let number = number.trim().parse().expect("the number of a mark");
            instrs.push(Instr { op: Op::Mark { number, locals }, line: 0, pc: 0 });
        }
        let block = Block {
            instrs,
            end: Terminator::Return(None),
            end_line: 0,
            end_pc: 0,
            handlers: Vec::new(),
        };
        Code::Body(Body::new(Vec::new(), Vec::new(), vec![block], variables))
    }
}

fn nullness(line: &str, word: &str) -> Nullness {
    match line.split_whitespace().any(|w| w == word) {
        true => Nullness::Nullable,
        false => Nullness::Unspecified,
    }
}

fn field(program: &Program, line: &str) -> FieldData {
    let (flags, rest) = line.split_once("field ").expect("a field");
    let (ty, name) = rest.trim().split_once(' ').expect("type and name");
    FieldData {
        name: name.trim().to_string(),
        ty: program.parse_type(ty),
        is_static: flags.contains("static"),
        is_final: flags.contains("final"),
        is_private: false,
        is_public: false,
        is_synthetic: flags.contains("synthetic"),
        is_volatile: false,
        constant: None,
        nullness: nullness(flags, "@Nullable"),
        is_generic: false,
        signature: None,
        specified: None,
    }
}

fn method(program: &Program, line: &str) -> MethodData {
    let (flags, rest) = line.split_once("method ").expect("a method");
    let (ty, rest) = rest.trim().split_once(' ').expect("type and name");
    let (name, rest) = rest.split_once('(').expect("parameters");
    let (list, rest) = rest.split_once(')').expect("parameters");
    let params: Vec<Type> =
        list.split(',').filter(|p| !p.is_empty()).map(|p| program.parse_type(p.trim())).collect();
    let result = (ty != "void").then(|| program.parse_type(ty));
    let descriptors: String = params.iter().map(|p| program.descriptor(*p)).collect();
    let back = result.map_or("V".into(), |r| program.descriptor(r));
    let line = rest.split_whitespace().find_map(|w| w.strip_prefix('@')?.parse().ok());
    let flag = |word: &str| flags.split_whitespace().any(|w| w == word);
    MethodData {
        name: name.to_string(),
        descriptor: format!("({descriptors}){back}"),
        is_static: flag("static"),
        is_abstract: flag("abstract"),
        is_native: false,
        is_private: flag("private"),
        is_public: !flag("private"),
        is_package_private: false,
        is_synthetic: flag("synthetic") || flag("bridge"),
        is_bridge: flag("bridge"),
        is_varargs: flag("varargs"),
        throws: Vec::new(),
        param_names: Vec::new(),
        param_nullness: vec![nullness(rest, "@Nullables"); params.len()],
        result_nullness: nullness(flags, "@Nullable"),
        returns_generic: false,
        signature: None,
        line,
        params,
        result,
        code: None,
    }
}

/// A program and the contracts of its sources.
pub struct World {
    pub program: Program,
    pub contracts: Contracts,
}

/// A source file in a form that the resolver takes.
pub fn file(path: &str, text: &str, first_mark: Option<u32>) -> SourceFile {
    let is_jml = path.ends_with(".jml");
    let specs = if is_jml { spec::read_jml(text) } else { spec::read(text) };
    SourceFile { path: path.into(), text: text.into(), specs, first_mark, is_jml }
}

impl World {
    pub fn of(classes: &str, files: &[SourceFile], math: Math) -> World {
        let loader = Loader::new(&format!("{LIBRARY}\n{classes}"));
        let program = Program::new(Box::new(loader));
        let reading = Reading { math, defaults: Defaults::NonNull };
        let contracts = resolve(&program, files, reading);
        World { program, contracts }
    }

    /// One file without marks, with Java's numbers.
    pub fn new(classes: &str, source: &str) -> World {
        World::of(classes, &[file("T.java", source, None)], Math::Java)
    }

    pub fn class(&self, name: &str) -> ClassId {
        self.program.class_id(name)
    }

    pub fn method(&self, class: &str, name: &str) -> MethodId {
        let class = self.program.class(self.class(class)).expect("the class exists");
        let named = |m: &&MethodId| {
            let method = self.program.method(**m);
            method.name == name && !method.is_bridge
        };
        *class.methods.iter().find(named).expect("the method exists")
    }

    pub fn contract(&self, class: &str, name: &str) -> Contract {
        self.contracts.methods.get(&self.method(class, name)).cloned().unwrap_or_default()
    }

    /// The mistakes, with places and suggestions.
    pub fn mistakes(&self) -> Vec<String> {
        self.contracts.diagnostics.iter().map(|m| m.diagnostic.to_string()).collect()
    }

    pub fn show(&self, clause: &spec::core::Clause, contract: &Contract) -> String {
        clause.term.show(&self.program, &contract.parameters).to_string()
    }

    /// The cases of a method, one line each: `requires … ensures …`.
    pub fn cases(&self, class: &str, name: &str) -> Vec<String> {
        let contract = self.contract(class, name);
        contract.cases.iter().map(|case| self.case(case, &contract)).collect()
    }

    fn case(&self, case: &spec::core::Case, contract: &Contract) -> String {
        let mut parts = vec![format!("{:?}", case.ends)];
        let mut add = |word: &str, text: String| parts.push(format!("{word} {text}"));
        for clause in &case.requires {
            add("requires", self.show(clause, contract));
        }
        for clause in &case.ensures {
            add("ensures", self.show(clause, contract));
        }
        for signals in &case.signals {
            let class = ir::program::simple(self.program.class_name(signals.exception));
            add(&format!("signals {class}"), self.show(&signals.condition, contract));
        }
        if let Some(only) = &case.signals_only {
            let names =
                only.exceptions.iter().map(|c| ir::program::simple(self.program.class_name(*c)));
            add("signals_only", names.collect::<Vec<_>>().join(","));
        }
        for assignable in &case.assignable {
            let text = match &assignable.locations {
                None => "\\everything".into(),
                Some(locations) if locations.is_empty() => "\\nothing".into(),
                Some(locations) => {
                    let shown =
                        locations.iter().map(|l| l.show(&self.program, &contract.parameters));
                    shown.map(|l| l.to_string()).collect::<Vec<_>>().join(", ")
                }
            };
            add("assignable", text);
        }
        parts.join("; ")
    }

    pub fn gaps(&self, class: &str, name: &str) -> Vec<String> {
        self.contract(class, name).gaps.into_iter().map(|gap| gap.reason).collect()
    }

    pub fn class_gaps(&self, class: &str) -> Vec<String> {
        let contract = self.contracts.classes.get(&self.class(class));
        contract.map_or(vec![], |c| c.gaps.iter().map(|gap| gap.reason.clone()).collect())
    }

    pub fn invariants(&self, class: &str) -> Vec<String> {
        let contract = self.contracts.classes.get(&self.class(class));
        let none = Contract::default();
        contract.map_or(vec![], |c| c.invariants.iter().map(|i| self.show(i, &none)).collect())
    }

    pub fn static_invariants(&self, class: &str) -> Vec<String> {
        let contract = self.contracts.classes.get(&self.class(class));
        let none = Contract::default();
        contract
            .map_or(vec![], |c| c.static_invariants.iter().map(|i| self.show(i, &none)).collect())
    }
}

/// Shares a text.
pub fn shared(text: &str) -> Arc<str> {
    text.into()
}
