//! Reads programs as `ir::text` writes bodies, with a line in front of each declaration:
//!
//! ```text
//! class p.Node
//! field next: p.Node
//! static p.Node.first(p.Node): int
//! (r0: ref)
//! b0:
//!   r1 = get_field r0, p.Node.value
//!   return r1
//! ```
//! As much of the form as tests write; a mistake in a text is a panic that shows the line. The line of an
//! instruction is that of the text. Classes of the library have no members.

use std::collections::BTreeMap;

use ir::body::Compare;
use ir::{
    BinaryOp, Block, BlockId, Body, ClassData, ClassId, ClassLoader, Code, Cond, Constant,
    FieldData, Instr, InvokeKind, Kind, LoadError, Method, MethodData, MethodId, Nullness, Op,
    Program, Reg, Terminator, Type,
};

/// The program of a text, and its classes.
pub fn program(text: &str) -> (Program, Vec<ClassId>) {
    let mut classes: BTreeMap<String, Lines> = BTreeMap::new();
    let mut current = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = (number, line.trim().to_string());
        if let Some(name) = line.1.strip_prefix("class ") {
            current = name.to_string();
            classes.insert(current.clone(), Lines::default());
        } else if !line.1.is_empty() {
            let lines = classes.get_mut(&current).expect("a class comes first");
            match line.1.split_whitespace().next() {
                Some("field" | "static" | "method") => lines.push(vec![line]),
                Some(_) | None => lines.last_mut().expect("a declaration comes first").push(line),
            }
        }
    }
    let names: Vec<String> = classes.keys().cloned().collect();
    let program = Program::new(Box::new(Texts(classes)));
    let ids = names.iter().map(|name| program.class_id(name)).collect();
    (program, ids)
}

/// The method of this name.
pub fn method(program: &Program, given: &[ClassId], name: &str) -> MethodId {
    let classes = given.iter().map(|class| program.class(*class).expect("it is there"));
    let mut methods = classes.flat_map(|class| class.methods.iter().copied());
    methods.find(|id| &*program.method(*id).name == name).expect("it is declared")
}

/// Numbered lines, those of one declaration together.
type Lines = Vec<Vec<(u32, String)>>;

struct Texts(BTreeMap<String, Lines>);

impl ClassLoader for Texts {
    fn load(&self, program: &Program, _: ClassId, name: &str) -> Result<ClassData, LoadError> {
        let superclass = (name != "java.lang.Object").then(|| {
            program.class_id(match name {
                "java.lang.Throwable" => "java.lang.Object",
                _ if name.ends_with("Exception") && name != "java.lang.RuntimeException" => {
                    "java.lang.RuntimeException"
                }
                "java.lang.RuntimeException" | "java.lang.Error" => "java.lang.Throwable",
                _ => "java.lang.Object",
            })
        });
        let mut data = ClassData { superclass, is_public: true, ..ClassData::default() };
        match self.0.get(name) {
            None if name.starts_with("java.") => return Ok(data),
            None => return Err(LoadError::Missing),
            Some(lines) => {
                data.given = true;
                for declaration in lines {
                    let (number, head) = &declaration[0];
                    match head.split_once(' ').expect("a declaration has a name") {
                        ("field", field) => data.fields.push(field_of(program, field)),
                        (kind, method) => {
                            let is_static = kind == "static";
                            let read = || method_of(program, is_static, method, declaration);
                            let read = std::panic::AssertUnwindSafe(read);
                            let read = std::panic::catch_unwind(read);
                            data.methods.push(read.unwrap_or_else(|_| panic!("line {number}")));
                        }
                    }
                }
            }
        }
        Ok(data)
    }

    fn lower(&self, _: &Program, _: &Method) -> Code {
        unreachable!("all code is there from the beginning")
    }
}

fn field_of(program: &Program, text: &str) -> FieldData {
    let (name, ty) = text.split_once(": ").expect("`name: type`");
    FieldData {
        name: name.into(),
        ty: program.parse_type(ty),
        is_static: false,
        is_final: false,
        is_private: false,
        is_public: true,
        is_synthetic: false,
        is_volatile: false,
        constant: None,
        nullness: Nullness::Nullable,
        is_generic: false,
        signature: None,
        specified: None,
    }
}

fn method_of(
    program: &Program,
    is_static: bool,
    head: &str,
    lines: &[(u32, String)],
) -> MethodData {
    let (name, rest) = head.split_once('(').expect("`name(types): type`");
    let (params, result) = rest.split_once(')').expect("`name(types): type`");
    let params = params.split(", ").filter(|p| !p.is_empty());
    let params: Vec<Type> = params.map(|p| program.parse_type(p)).collect();
    let result = result.strip_prefix(": ").map(|ty| program.parse_type(ty));
    let nullness = vec![Nullness::Nullable; params.len()];
    MethodData {
        name: name.rsplit('.').next().unwrap_or(name).into(),
        descriptor: descriptor(program, &params, result),
        params,
        result,
        is_static,
        is_abstract: false,
        is_native: false,
        is_private: false,
        is_public: true,
        is_package_private: false,
        is_synthetic: false,
        is_bridge: false,
        is_varargs: false,
        throws: Vec::new(),
        param_names: Vec::new(),
        param_nullness: nullness,
        result_nullness: Nullness::Nullable,
        returns_generic: false,
        signature: None,
        line: lines.get(2).map(|line| line.0),
        code: Some(Code::Body(Reader::new(program).body(&lines[1..]))),
    }
}

fn descriptor(program: &Program, params: &[Type], result: Option<Type>) -> String {
    let params: String = params.iter().map(|ty| program.descriptor(*ty)).collect();
    format!("({params}){}", result.map_or("V".into(), |ty| program.descriptor(ty)))
}

/// Reads one body, and finds out the kinds of its registers.
struct Reader<'a> {
    program: &'a Program,
    kinds: Vec<Kind>,
}

impl<'a> Reader<'a> {
    fn new(program: &'a Program) -> Reader<'a> {
        Reader { program, kinds: Vec::new() }
    }

    fn body(mut self, lines: &[(u32, String)]) -> Body {
        let mut lines = lines.iter();
        let (_, params) = lines.next().expect("a body has parameters");
        let params = params.trim_matches(['(', ')']).split(", ").filter(|p| !p.is_empty());
        let params = params.map(|param| {
            let (reg, kind) = param.split_once(": ").expect("`r0: kind`");
            let kind = match kind {
                "int" => Kind::Int,
                "ref" => Kind::Ref,
                other => panic!("a parameter of kind {other}"),
            };
            self.define(reg, kind)
        });
        let params = params.collect();
        let (mut blocks, mut instrs) = (Vec::new(), Vec::new());
        for (line, text) in lines.filter(|line| !line.1.ends_with(':')) {
            match self.end(text) {
                Some(end) => {
                    let instrs = std::mem::take(&mut instrs);
                    let (end_line, handlers) = (*line, Vec::new());
                    blocks.push(Block { instrs, end, end_line, end_pc: *line, handlers });
                }
                None => instrs.push(Instr { op: self.op(text), line: *line, pc: *line }),
            }
        }
        Body::new(self.kinds, params, blocks, Vec::new())
    }

    fn define(&mut self, reg: &str, kind: Kind) -> Reg {
        let reg = register(reg);
        if self.kinds.len() <= reg.index() {
            self.kinds.resize(reg.index() + 1, Kind::Int);
        }
        self.kinds[reg.index()] = kind;
        reg
    }

    fn end(&self, text: &str) -> Option<Terminator> {
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(match words[..] {
            ["goto", target] => Terminator::Goto(block(target)),
            ["return"] => Terminator::Return(None),
            ["return", reg] => Terminator::Return(Some(register(reg))),
            ["throw", reg] => Terminator::Throw(register(reg)),
            ["if", reg, "null", "then", then, "else", other] => Terminator::Branch {
                cond: Cond::Null(register(reg)),
                then: block(then),
                other: block(other),
            },
            ["if", left, sign, right, "then", then, "else", other] => Terminator::Branch {
                cond: condition(left, sign, right),
                then: block(then),
                other: block(other),
            },
            _ => return None,
        })
    }

    fn op(&mut self, text: &str) -> Op {
        if let Some(put) = text.strip_prefix("put_field ") {
            let parts: Vec<&str> = put.split(", ").collect();
            let (field, _) = self.field(parts[1]);
            return Op::PutField { object: register(parts[0]), field, src: register(parts[2]) };
        }
        let (dst, what) = text.split_once(" = ").expect("an instruction with a result");
        let (word, rest) = what.split_once(' ').unwrap_or((what, ""));
        let operands: Vec<&str> = rest.split(", ").collect();
        match word {
            "get_field" => {
                let (field, ty) = self.field(operands[1]);
                let dst = self.define(dst, ty.kind());
                Op::GetField { dst, object: register(operands[0]), field }
            }
            "new" => {
                let class = self.program.class_id(rest);
                Op::New { dst: self.define(dst, Kind::Ref), class, assertion: false }
            }
            "array_length" => {
                Op::ArrayLength { dst: self.define(dst, Kind::Int), array: register(rest) }
            }
            "invoke_static" => self.call(dst, rest),
            "null" => Op::Const { dst: self.define(dst, Kind::Ref), value: Constant::Null },
            _ if word.starts_with('r') && rest.is_empty() => {
                let src = register(word);
                Op::Move { dst: self.define(dst, self.kinds[src.index()]), src }
            }
            _ if rest.is_empty() => {
                let value = Constant::Int(word.parse().expect("a number"));
                Op::Const { dst: self.define(dst, Kind::Int), value }
            }
            _ => {
                let (op, dst) = (binary(word), self.define(dst, Kind::Int));
                Op::Binary { dst, op, left: register(operands[0]), right: register(operands[1]) }
            }
        }
    }

    /// `p.A.f(r0, r1)`, of int arguments and result.
    fn call(&mut self, dst: &str, text: &str) -> Op {
        let (name, args) = text.split_once('(').expect("a call has arguments");
        let (class, name) = name.rsplit_once('.').expect("a method has a class");
        let args = args.trim_end_matches(')').split(", ").filter(|arg| !arg.is_empty());
        let args: Vec<Reg> = args.map(register).collect();
        let descriptor = descriptor(self.program, &vec![Type::Int; args.len()], Some(Type::Int));
        let method = self.program.method_ref(self.program.class_id(class), name, &descriptor);
        let dst = Some(self.define(dst, Kind::Int));
        Op::Invoke { dst, kind: InvokeKind::Static, method, args }
    }

    /// A reference to `p.Node.next`. Fields of type int are called `value` or end in a digit; others hold
    /// objects of their class.
    fn field(&self, name: &str) -> (ir::FieldRefId, Type) {
        let (class, name) = name.rsplit_once('.').expect("a field has a class");
        let class = self.program.class_id(class);
        let is_number = name == "value" || name.ends_with(|c: char| c.is_ascii_digit());
        let ty = if is_number { Type::Int } else { Type::Ref(class) };
        (self.program.field_ref(class, name, &self.program.descriptor(ty)), ty)
    }
}

fn register(text: &str) -> Reg {
    Reg(text.trim().strip_prefix('r').and_then(|n| n.parse().ok()).expect("a register"))
}

fn block(text: &str) -> BlockId {
    BlockId(text.strip_prefix('b').and_then(|n| n.parse().ok()).expect("a block"))
}

fn condition(left: &str, sign: &str, right: &str) -> Cond {
    let compare = match sign {
        "==" => Compare::Eq,
        "!=" => Compare::Ne,
        "<" => Compare::Lt,
        ">=" => Compare::Ge,
        ">" => Compare::Gt,
        "<=" => Compare::Le,
        "same" => return Cond::SameRef(register(left), register(right)),
        other => panic!("no comparison: {other}"),
    };
    match right {
        "0" => Cond::Zero(compare, register(left)),
        _ => Cond::Int(compare, register(left), register(right)),
    }
}

fn binary(name: &str) -> BinaryOp {
    match name {
        "add_int" => BinaryOp::AddInt,
        "sub_int" => BinaryOp::SubInt,
        "mul_int" => BinaryOp::MulInt,
        "div_int" => BinaryOp::DivInt,
        "xor_int" => BinaryOp::XorInt,
        other => panic!("no operation: {other}"),
    }
}
