//! What values and conditions are called in the words of the method that is being followed: over
//! its parameters and the fields as they were when it was called.
//!
//! A name belongs to a value, not to a register: two places that hold the same circuit hold the
//! same value, and share its name. A field that has been written is no longer the one that a name
//! would mean, so what is read from it afterwards has only the name that it had before. Where
//! there is no name, an ellipsis stands.

use ir::body::Compare;
use ir::{BinaryOp, BlockId, Body, Cond, FieldId, Method, MethodId, Op, Reg, Type};
use logic::{Circuit, Lit, Node};

use crate::engine::Engine;
use crate::engine::deferral::{Naming, Output, Place, Sentence, Thrown, Words};
use crate::exec::body::first_line;
use crate::state::atom::Atom;
use crate::state::value::{Ref, Value};
use crate::state::{Registers, State};

/// What cannot be said in a few words.
const ELLIPSIS: &str = "…";
/// How the name of an object begins that the method makes: JML has none.
const NEW: &str = "(new ";
/// Names do not grow beyond this many characters.
const LONGEST: usize = 60;
/// Conditions neither.
const LONGEST_CONDITION: usize = 160;

impl Words {
    /// Of a call.
    pub fn of_call(method: &Method, arguments: usize) -> Words {
        let arguments = (0..arguments).map(|number| parameter_name(method, number)).collect();
        Words { arguments, result: method.result, ..Words::default() }
    }

    /// Of a loop in a body: its parameters, and what it writes.
    pub fn of_loop(body: &Body, head: BlockId, params: &[Reg], written: &[Reg]) -> Words {
        let block = body.block(head);
        let pc = block.instrs.first().map_or(block.end_pc, |i| i.pc);
        let name = |reg: &Reg| match body.variable_at(*reg, pc) {
            Some(variable) => variable.name.to_string(),
            None if Some(reg) == body.params.first() => "this".into(),
            None => ELLIPSIS.into(),
        };
        Words {
            arguments: params.iter().map(name).collect(),
            registers: written.iter().map(|reg| (*reg, name(reg))).collect(),
            exits: body
                .blocks
                .iter()
                .enumerate()
                .map(|(b, block)| (BlockId(b as u32), first_line(block)))
                .collect(),
            is_loop: true,
            ..Words::default()
        }
    }
}

impl Naming {
    fn call(&mut self, value: &Value, name: String) {
        if name.chars().count() <= LONGEST {
            self.values.entry(key(value)).or_insert(name);
        }
    }

    fn condition(&mut self, lit: Lit, holds: String, fails: String) {
        if lit.is_constant() {
            return;
        }
        let pair = if lit.is_negated() { (fails, holds) } else { (holds, fails) };
        self.conditions.entry(lit.node()).or_insert(pair);
    }

    /// What a condition says beyond what holds at the call; empty if nothing.
    fn describe(&self, circuit: &Circuit, before: &State, lit: Lit, depth: u32) -> String {
        match before.facts.value(lit) {
            _ if lit == before.guard => return String::new(),
            Some(true) => return String::new(),
            Some(false) => return "false".into(),
            None => {}
        }
        if let Some((holds, fails)) = self.conditions.get(&lit.node()) {
            return if lit.is_negated() { fails.clone() } else { holds.clone() };
        }
        if let Some(said) = self.said.borrow().get(&lit) {
            return said.clone();
        }
        let said = self.describe_parts(circuit, before, lit, depth);
        self.said.borrow_mut().insert(lit, said.clone());
        said
    }

    fn describe_parts(&self, circuit: &Circuit, before: &State, lit: Lit, depth: u32) -> String {
        let Node::And(a, b) = circuit.node(lit.node()) else {
            return ELLIPSIS.into();
        };
        if depth > 24 {
            return ELLIPSIS.into();
        }
        let (a, b) = if lit.is_negated() { (!a, !b) } else { (a, b) };
        let a = self.describe(circuit, before, a, depth + 1);
        let b = self.describe(circuit, before, b, depth + 1);
        let (a, b) = match lit.is_negated() {
            // An alternative that always holds makes the rest superfluous.
            true if a.is_empty() || b.is_empty() => return String::new(),
            true if a == "false" => return b,
            true if b == "false" || a == b => return a,
            true => return shortened(format!("{a} || {b}"), LONGEST_CONDITION),
            false if a.is_empty() => return b,
            false if b.is_empty() || a == b => return a,
            false => (bracketed(a), bracketed(b)),
        };
        shortened(format!("{a} && {b}"), LONGEST_CONDITION)
    }
}

fn shortened(text: String, longest: usize) -> String {
    if text.chars().count() <= longest { text } else { ELLIPSIS.into() }
}

fn bracketed(text: String) -> String {
    if text.contains(" || ") { format!("({text})") } else { text }
}

/// What makes two values the same.
fn key(value: &Value) -> Vec<u64> {
    let code = |l: Lit| u64::from(l.node()) << 1 | u64::from(l.is_negated());
    match value {
        Value::Bits(bits) => bits.iter().map(code).collect(),
        Value::Ref(r) => r.entries().iter().flat_map(|e| [u64::from(e.0.0), code(e.1)]).collect(),
    }
}

/// A number of which only the lowest bit is not constant.
fn is_truth(value: &Value) -> Option<Lit> {
    let Value::Bits(bits) = value else {
        return None;
    };
    (1..bits.width()).all(|i| bits.bit(i) == Lit::FALSE).then(|| bits.bit(0))
}

impl Engine<'_> {
    /// Begins to name things in the words of a method.
    pub(super) fn start_naming(
        &mut self,
        words: &Words,
        args: &[Value],
        new: impl Iterator<Item = Atom>,
    ) {
        let mut naming = Naming::default();
        for atom in new {
            let class = ir::program::simple(self.program.class_name(self.atoms.class(atom)));
            naming.call(&Value::Ref(Ref::constant(atom)), format!("{NEW}{class})"));
        }
        for (number, value) in args.iter().enumerate() {
            let name = &words.arguments[number];
            if name != ELLIPSIS {
                naming.call(value, name.clone());
            }
        }
        self.run.deferral.naming = Some(Box::new(naming));
    }

    fn name_of(&self, value: &Value) -> Option<String> {
        let named = self.run.deferral.naming.as_ref().and_then(|n| n.values.get(&key(value)));
        match value {
            Value::Ref(r) if r.as_constant() == Some(Atom::NULL) => Some("null".into()),
            Value::Bits(bits) => match bits.as_signed() {
                Some(number) => Some(number.to_string()),
                None => named.cloned(),
            },
            Value::Ref(_) => named.cloned(),
        }
    }

    fn register_name(&self, registers: &Registers, reg: Reg) -> Option<String> {
        self.name_of(registers[reg.index()].as_ref()?)
    }

    /// Names what an instruction has computed.
    pub(crate) fn name_result(&mut self, op: &Op, registers: &Registers, value: Option<&Value>) {
        let Some(naming) = &mut self.run.deferral.naming else {
            return;
        };
        if let Op::PutField { field, .. } | Op::PutStatic { field, .. } = op
            && let Ok(field) = self.program.resolve_field(*field)
        {
            naming.written.insert(field);
        }
        naming.elements_written |= matches!(op, Op::ArrayStore { .. });
        let Some(value) = value else {
            return;
        };
        let Some(name) = self.result_name(op, registers) else {
            return;
        };
        if let Some(naming) = &mut self.run.deferral.naming {
            naming.call(value, name);
        }
    }

    fn result_name(&self, op: &Op, registers: &Registers) -> Option<String> {
        let name = |reg: &Reg| self.register_name(registers, *reg);
        let unwritten = |field: &FieldId| {
            self.run.deferral.naming.as_ref().is_some_and(|n| !n.written.contains(field))
        };
        Some(match op {
            Op::GetField { object, field, .. } => {
                let field = self.program.resolve_field(*field).ok().filter(unwritten)?;
                format!("{}.{}", name(object)?, self.program.field(field).name)
            }
            Op::GetStatic { field, .. } => {
                let field = self.program.resolve_field(*field).ok().filter(unwritten)?;
                self.static_name(field)
            }
            Op::ArrayLength { array, .. } => format!("{}.length", name(array)?),
            Op::ArrayLoad { array, index, .. } => {
                self.run.deferral.naming.as_ref().filter(|n| !n.elements_written)?;
                format!("{}[{}]", name(array)?, name(index)?)
            }
            Op::Binary { op, left, right, .. } => {
                format!("({} {} {})", name(left)?, operator(*op)?, name(right)?)
            }
            _ => return None,
        })
    }

    fn static_name(&self, field: FieldId) -> String {
        let declared = self.program.field(field);
        let class = ir::program::simple(self.program.class_name(declared.class));
        format!("{class}.{}", declared.name)
    }

    /// Names what a deferred call returns.
    pub(super) fn name_call(&mut self, method: MethodId, args: &[Value], outcome: &Option<Value>) {
        let Some(value) = outcome else {
            return;
        };
        let declared = self.program.method(method);
        let names: Option<Vec<String>> = args.iter().map(|a| self.name_of(a)).collect();
        let Some(mut names) = names else {
            return;
        };
        let receiver = match declared.is_static {
            true => String::new(),
            false => format!("{}.", names.remove(0)),
        };
        let name = format!("{receiver}{}({})", declared.name, names.join(", "));
        if let Some(naming) = &mut self.run.deferral.naming {
            naming.call(value, name);
        }
    }

    /// What a deferred call leaves in a field is called after the call; what is read from such a
    /// field from now on has no other name.
    pub(super) fn name_output(&mut self, called: &str, args: &[Value], output: &Output) {
        let (owner, field) = match output.place {
            Place::Argument(number, field) => (args.get(number as usize).cloned(), field),
            Place::Object(atom, field) => (Some(Value::Ref(Ref::constant(atom))), field),
            Place::Static(field) => (None, field),
            Place::Element(..) => {
                if let Some(naming) = &mut self.run.deferral.naming {
                    naming.elements_written = true;
                }
                return;
            }
            Place::Returns
            | Place::Result
            | Place::Made(_)
            | Place::Length(_)
            | Place::Exit(_)
            | Place::Throws(_)
            | Place::Register(_) => return,
        };
        let owner = owner.map(|o| self.name_of(&o));
        let name = match owner {
            None => Some(self.static_name(field)),
            Some(owner) => owner.map(|o| format!("{o}.{}", self.program.field(field).name)),
        };
        if let Some(naming) = &mut self.run.deferral.naming {
            naming.written.insert(field);
            if let Some(name) = name {
                naming.call(&output.unknown, format!("({name} after {called})"));
            }
        }
    }

    /// Names the literal of a branch condition.
    pub(crate) fn name_condition(&mut self, registers: &Registers, cond: &Cond, lit: Lit) {
        if self.run.deferral.naming.is_none() {
            return;
        }
        let name = |reg: Reg| self.register_name(registers, reg);
        let said = match *cond {
            Cond::Int(compare, a, b) => {
                name(a).zip(name(b)).map(|(a, b)| compared(compare, &a, &b))
            }
            Cond::Zero(compare, a) => {
                let value = registers[a.index()].as_ref();
                let truth = value.and_then(is_truth).is_some();
                name(a).map(|a| match (compare, truth) {
                    (Compare::Eq, true) => (format!("!{a}"), a),
                    (Compare::Ne, true) => (a.clone(), format!("!{a}")),
                    _ => compared(compare, &a, "0"),
                })
            }
            Cond::SameRef(a, b) => name(a).zip(name(b)).map(|(a, b)| compared(Compare::Eq, &a, &b)),
            Cond::DifferentRef(a, b) => {
                name(a).zip(name(b)).map(|(a, b)| compared(Compare::Ne, &a, &b))
            }
            Cond::Null(a) => name(a).map(|a| compared(Compare::Eq, &a, "null")),
            Cond::NonNull(a) => name(a).map(|a| compared(Compare::Ne, &a, "null")),
        };
        if let (Some((holds, fails)), Some(naming)) = (said, &mut self.run.deferral.naming) {
            naming.condition(lit, holds, fails);
        }
    }

    /// Names the literal that says that a register is null.
    pub(crate) fn name_null(&mut self, registers: &Registers, reg: Reg, null: Lit) {
        self.name_condition(registers, &Cond::Null(reg), null);
    }

    /// An exception that a call throws.
    fn thrown_name(&self, thrown: Thrown) -> String {
        let name = ir::program::simple(self.program.class_name(thrown.class));
        match thrown.origin.and_then(|origin| origin.at) {
            Some(at) => format!("a {name} of line {}", at.line),
            None => format!("a {name}"),
        }
    }

    /// What an equation says. `value` is missing where it is about whether the call returns.
    pub(crate) fn sentence(
        &self,
        words: &Words,
        before: &State,
        place: Place,
        condition: Lit,
        value: Option<&Value>,
    ) -> Sentence {
        let Some(naming) = &self.run.deferral.naming else {
            return Sentence::default();
        };
        let condition = naming.describe(&self.circuit, before, condition, 0);
        let Some(value) = value else {
            let (ends, ends_not) = match place {
                Place::Exit(to) => {
                    let line = words.exits.get(&to).copied().unwrap_or(0);
                    (
                        format!("it goes on at line {line}"),
                        format!("it does not go on at line {line}"),
                    )
                }
                Place::Throws(thrown) => {
                    let name = self.thrown_name(thrown);
                    (format!("it throws {name}"), format!("it does not throw {name}"))
                }
                _ => ("it returns".to_string(), "it does not return".to_string()),
            };
            let text = match condition.as_str() {
                "" => ends,
                "false" => ends_not,
                condition => format!("{condition} <==> {ends}"),
            };
            return Sentence { text, jml: None };
        };
        let (after, in_jml, ty) = self.place_names(words, place);
        let value = self.value_name(value, ty, before);
        if let Place::Made(_) = place {
            let all = [condition.as_str(), value.as_str()];
            let parts: Vec<&str> = all.into_iter().filter(|p| !["", "true"].contains(p)).collect();
            let text = match &parts[..] {
                [] => after,
                parts => format!("{} ==> {after}", parts.join(" && ")),
            };
            return Sentence { text, jml: None };
        }
        let text = match condition.as_str() {
            "" => format!("{after} == {value}"),
            condition => format!("{} ==> {after} == {value}", bracketed(condition.to_string())),
        };
        let exact =
            |text: &str| !text.contains(ELLIPSIS) && !text.contains(NEW) && !calls_something(text);
        let can_be_said = |place: &String| exact(place) && exact(&condition) && exact(&value);
        let in_jml = in_jml.filter(|_| !words.is_loop);
        let jml = in_jml.filter(can_be_said).map(|place| {
            let value = old(&value);
            match condition.as_str() {
                "" => format!("ensures {place} == {value};"),
                condition => format!("ensures {} ==> {place} == {value};", old(condition)),
            }
        });
        Sentence { text, jml }
    }

    fn value_name(&self, value: &Value, ty: Type, before: &State) -> String {
        if ty == Type::Boolean
            && let (Some(truth), Some(naming)) = (is_truth(value), &self.run.deferral.naming)
        {
            return match truth {
                Lit::TRUE => "true".into(),
                Lit::FALSE => "false".into(),
                truth => match self.name_of(value) {
                    Some(name) => name,
                    None => bracketed(naming.describe(&self.circuit, before, truth, 0)),
                },
            };
        }
        self.name_of(value).unwrap_or_else(|| ELLIPSIS.into())
    }

    /// A place after the call: with a prime, and as JML says it.
    pub(super) fn place_names(
        &self,
        words: &Words,
        place: Place,
    ) -> (String, Option<String>, Type) {
        let of_field = |owner: String, field: FieldId| {
            let declared = self.program.field(field);
            let name = format!("{owner}.{}", declared.name);
            (format!("{name}'"), Some(name), declared.ty)
        };
        match place {
            Place::Returns | Place::Exit(_) | Place::Throws(_) => {
                ("it returns".into(), None, Type::Boolean)
            }
            Place::Register(reg) => {
                let name = words.registers.get(&reg).map_or(ELLIPSIS, |n| n.as_str());
                (format!("{name}'"), None, Type::Int)
            }
            Place::Result => {
                let result = "\\result".to_string();
                (result.clone(), Some(result), words.result.unwrap_or(Type::Int))
            }
            Place::Argument(number, field) => {
                of_field(words.arguments[number as usize].clone(), field)
            }
            Place::Static(field) => {
                let name = self.static_name(field);
                (format!("{name}'"), Some(name), self.program.field(field).ty)
            }
            Place::Object(atom, field) => {
                let (owner, is_exact) = self.object_name(atom);
                let (text, jml, ty) = of_field(owner, field);
                (text, jml.filter(|_| is_exact), ty)
            }
            Place::Element(atom, index) => {
                let (owner, is_exact) = self.object_name(atom);
                let name = format!("{owner}[{index}]");
                let ty = self.element_type(atom).unwrap_or(Type::Int);
                (format!("{name}'"), Some(name).filter(|_| is_exact), ty)
            }
            Place::Length(atom) => {
                let (owner, _) = self.object_name(atom);
                (format!("{owner}.length"), None, Type::Int)
            }
            Place::Made(atom) => {
                let class = self.program.class_name(self.atoms.class(atom));
                (format!("it makes a new {}", ir::program::simple(class)), None, Type::Boolean)
            }
        }
    }

    /// An object, and whether it has a name of its own.
    fn object_name(&self, atom: Atom) -> (String, bool) {
        match self.name_of(&Value::Ref(Ref::constant(atom))) {
            Some(name) => (name, true),
            None => {
                let class = self.program.class_name(self.atoms.class(atom));
                (format!("(some {})", ir::program::simple(class)), false)
            }
        }
    }
}

fn parameter_name(method: &Method, number: usize) -> String {
    match (method.is_static, number) {
        (false, 0) => "this".into(),
        (is_static, number) => {
            let number = number - usize::from(!is_static);
            method.param_names.get(number).cloned().unwrap_or_else(|| format!("arg{number}"))
        }
    }
}

fn compared(compare: Compare, a: &str, b: &str) -> (String, String) {
    let (holds, fails) = match compare {
        Compare::Eq => ("==", "!="),
        Compare::Ne => ("!=", "=="),
        Compare::Lt => ("<", ">="),
        Compare::Ge => (">=", "<"),
        Compare::Gt => (">", "<="),
        Compare::Le => ("<=", ">"),
    };
    (format!("{a} {holds} {b}"), format!("{a} {fails} {b}"))
}

fn operator(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::AddInt | BinaryOp::AddLong => "+",
        BinaryOp::SubInt | BinaryOp::SubLong => "-",
        BinaryOp::MulInt | BinaryOp::MulLong => "*",
        BinaryOp::DivInt | BinaryOp::DivLong => "/",
        BinaryOp::RemInt | BinaryOp::RemLong => "%",
        BinaryOp::AndInt | BinaryOp::AndLong => "&",
        BinaryOp::OrInt | BinaryOp::OrLong => "|",
        BinaryOp::XorInt | BinaryOp::XorLong => "^",
        BinaryOp::ShlInt | BinaryOp::ShlLong => "<<",
        BinaryOp::ShrInt | BinaryOp::ShrLong => ">>",
        BinaryOp::UshrInt | BinaryOp::UshrLong => ">>>",
        BinaryOp::CompareLong | BinaryOp::Floating(_) => return None,
    })
}

/// Whether a name has the result of a method in it.
fn calls_something(text: &str) -> bool {
    let before: Vec<char> = text.chars().collect();
    text.contains(" after ")
        || before.windows(2).any(|w| w[1] == '(' && (w[0].is_alphanumeric() || w[0] == '_'))
}

/// In the state before the call, where that makes a difference.
fn old(text: &str) -> String {
    if text.contains(['.', '[']) { format!("\\old({text})") } else { text.to_string() }
}
