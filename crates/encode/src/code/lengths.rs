//! How long arrays and strings have to be before constants matter: an input of at most three elements never
//! gets past `if (a.length == 7)`, and nothing at all satisfies `requires a.length > 5`.
//!
//! Looks at clauses, at the code of the method and at the constructors of its objects. What it misses is
//! only not looked for, as before.

use crate::code::Subject;
use std::collections::{BTreeMap, BTreeSet};

use ir::body::Compare;
use ir::{
    Body, ClassId, Code, Cond, Constant, FieldId, MethodId, MethodRefId, Op, Program, Reg,
    Terminator, Type,
};
use spec::core::{Arithmetic, Clause, Comparison, Term, TermKind};

/// Longer ones are not worth it: what a clause demands, nothing less satisfies; a guard is one path of many.
const LONGEST_OF_CLAUSE: u32 = 128;
const LONGEST_OF_CODE: u32 = 32;
const LONGEST_TEXT_OF_CODE: u32 = 32;
/// Classes whose clauses and constructors are looked at.
const MOST_CLASSES: usize = 20;

/// What asks for so much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub length: u32,
    /// The clause, or the line.
    pub by: String,
}

/// What is long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    Array,
    Text,
}

/// The greatest lengths that are asked for, at most about a hundred.
pub fn asked(subject: Subject<'_>, method: MethodId) -> BTreeMap<Sort, Asked> {
    let mut search = Search { subject, program: subject.program, found: BTreeMap::new() };
    if let Some(contract) = subject.contracts.methods.get(&method) {
        for case in &contract.cases {
            let signals = case.signals.iter().map(|s| &s.condition);
            let clauses = case.requires.iter().chain(&case.ensures).chain(signals);
            clauses.for_each(|clause| search.clause(clause));
        }
    }
    if let Code::Body(body) = subject.program.code(method) {
        search.code(body);
        search.marks(body);
    }
    for class in search.classes(method) {
        if let Some(contract) = subject.contracts.classes.get(&class) {
            contract.invariants.iter().for_each(|clause| search.clause(clause));
        }
        search.constructors(class);
    }
    search.found
}

struct Search<'a> {
    subject: Subject<'a>,
    program: &'a Program,
    found: BTreeMap<Sort, Asked>,
}

/// What is known of a register in a block.
#[derive(Clone, Copy)]
enum Fact {
    Number(i64),
    Text(usize),
    Length(Sort),
    /// An array that does not come from the input.
    Own,
}

impl<'a> Search<'a> {
    fn ask(&mut self, sort: Sort, length: i64, most: u32, by: &str) {
        let Ok(length) = u32::try_from(length) else {
            return;
        };
        let known = self.found.get(&sort).map_or(0, |asked| asked.length);
        if known < length && length <= most {
            self.found.insert(sort, Asked { length, by: by.to_string() });
        }
    }

    fn clause(&mut self, clause: &Clause) {
        let mut found = Vec::new();
        clause.term.any(&mut |term| {
            found.extend(self.of_term(term));
            false
        });
        let by = format!("`{}`", clause.site.text.trim_end_matches(';'));
        found.into_iter().for_each(|(sort, length)| self.ask(sort, length, LONGEST_OF_CLAUSE, &by));
    }

    /// The length that a comparison, an index or a literal asks for.
    fn of_term(&self, term: &Term) -> Option<(Sort, i64)> {
        match &term.kind {
            TermKind::Compare(comparison, left, right) => {
                let (length, number, strict) = match (self.length_of(left), self.length_of(right)) {
                    (Some(sort), _) => (sort, number(right)?, *comparison == Comparison::Greater),
                    (_, Some(sort)) => (sort, number(left)?, *comparison == Comparison::Less),
                    _ => return None,
                };
                Some((length, number + i64::from(strict)))
            }
            TermKind::Element(_, index) => Some((Sort::Array, number(index)? + 1)),
            TermKind::Call { method, arguments, .. } if self.is_of_string(*method) => {
                let at = |name| self.name_of(*method) == name;
                let texts = arguments.iter().filter_map(|argument| match &plain(argument).kind {
                    TermKind::Text(units) => Some(units.len() as i64),
                    _ => None,
                });
                match arguments.get(1).and_then(number) {
                    Some(index) if at("charAt") => Some((Sort::Text, index + 1)),
                    _ => texts.max().map(|length| (Sort::Text, length)),
                }
            }
            _ => None,
        }
    }

    fn length_of(&self, term: &Term) -> Option<Sort> {
        match &plain(term).kind {
            TermKind::Length(_) => Some(Sort::Array),
            TermKind::Call { method, .. } if self.is_length_of_string(*method) => Some(Sort::Text),
            _ => None,
        }
    }

    fn is_of_string(&self, method: MethodId) -> bool {
        self.program.class_name(self.program.method(method).class) == "java.lang.String"
    }

    fn name_of(&self, method: MethodId) -> &'a str {
        &self.program.method(method).name
    }

    fn is_length_of_string(&self, method: MethodId) -> bool {
        self.is_of_string(method) && self.name_of(method) == "length"
    }

    fn marks(&mut self, body: &Body) {
        let contracts = self.subject.contracts;
        for instr in body.blocks.iter().flat_map(|block| &block.instrs) {
            if let Op::Mark { number, .. } = &instr.op
                && let Some(mark) = contracts.marks.get(number)
            {
                mark.statements.iter().flat_map(|s| s.clause()).for_each(|c| self.clause(c));
            }
        }
    }

    /// Lengths and indices that are compared with constants, and literals that strings are compared with.
    fn code(&mut self, body: &Body) {
        let indices = indices(body);
        for block in &body.blocks {
            let mut facts: BTreeMap<Reg, Fact> = BTreeMap::new();
            let mut line = block.instrs.first().map_or(0, |instr| instr.line);
            for instr in &block.instrs {
                line = instr.line;
                self.instruction(&instr.op, line, &facts);
                if let Some(dst) = instr.dst() {
                    match self.fact(&instr.op, &facts) {
                        Some(fact) => facts.insert(dst, fact),
                        None => facts.remove(&dst),
                    };
                }
            }
            self.condition(&block.end, line, &facts, &indices);
        }
    }

    fn fact(&self, op: &Op, facts: &BTreeMap<Reg, Fact>) -> Option<Fact> {
        match op {
            Op::Const { value: Constant::Int(value), .. } => Some(Fact::Number(i64::from(*value))),
            Op::Const { value: Constant::String(units), .. } => Some(Fact::Text(units.len())),
            Op::Move { src, .. } => facts.get(src).copied(),
            Op::ArrayLength { array, .. } => match facts.get(array) {
                Some(Fact::Own) => None,
                _ => Some(Fact::Length(Sort::Array)),
            },
            Op::NewArray { .. } | Op::NewMultiArray { .. } | Op::GetStatic { .. } => {
                Some(Fact::Own)
            }
            Op::Invoke { method, .. } => {
                let is_length = self.resolved(*method).is_some_and(|m| self.is_length_of_string(m));
                is_length.then_some(Fact::Length(Sort::Text))
            }
            _ => None,
        }
    }

    fn instruction(&mut self, op: &Op, line: u32, facts: &BTreeMap<Reg, Fact>) {
        let by = format!("line {line}");
        match op {
            Op::ArrayLoad { index, array, .. } | Op::ArrayStore { index, array, .. } => {
                if let Some(Fact::Number(index)) = facts.get(index)
                    && !matches!(facts.get(array), Some(Fact::Own))
                {
                    self.ask(Sort::Array, index + 1, LONGEST_OF_CODE, &by);
                }
            }
            Op::Invoke { method, args, .. } => {
                if !self.resolved(*method).is_some_and(|m| self.is_of_string(m)) {
                    return;
                }
                for argument in args {
                    if let Some(Fact::Text(length)) = facts.get(argument) {
                        self.ask(Sort::Text, *length as i64, LONGEST_TEXT_OF_CODE, &by);
                    }
                }
            }
            _ => {}
        }
    }

    fn condition(
        &mut self,
        end: &Terminator,
        line: u32,
        facts: &BTreeMap<Reg, Fact>,
        indices: &BTreeSet<Reg>,
    ) {
        let Terminator::Branch { cond: Cond::Int(compare, left, right), .. } = end else {
            return;
        };
        let by = format!("line {line}");
        let is_open = matches!(compare, Compare::Gt | Compare::Le | Compare::Lt | Compare::Ge);
        for (one, other) in [(left, right), (right, left)] {
            let Some(Fact::Number(number)) = facts.get(other) else {
                continue;
            };
            match facts.get(one) {
                // Either side of the branch.
                Some(Fact::Length(sort)) => {
                    let most = match sort {
                        Sort::Array => LONGEST_OF_CODE,
                        Sort::Text => LONGEST_TEXT_OF_CODE,
                    };
                    self.ask(*sort, number + i64::from(is_open), most, &by);
                }
                // The last index before the constant, and the constant itself.
                _ if indices.contains(one) => {
                    self.ask(Sort::Array, number + i64::from(!is_open), LONGEST_OF_CODE, &by);
                }
                _ => {}
            }
        }
    }

    fn resolved(&self, method: MethodRefId) -> Option<MethodId> {
        self.program.resolve_method(method).ok()
    }

    /// The given classes whose objects the input may hold.
    fn classes(&self, method: MethodId) -> Vec<ClassId> {
        let program = self.program;
        let declared = program.method(method);
        let receiver = (!declared.is_static).then_some(Type::Ref(declared.class));
        let mut work: Vec<Type> = receiver.into_iter().chain(declared.params.clone()).collect();
        let mut found: Vec<ClassId> = Vec::new();
        while let Some(ty) = work.pop() {
            let Type::Ref(class) = ty else {
                continue;
            };
            let Some(loaded) = program.class(class).ok().filter(|c| c.is_given()) else {
                continue;
            };
            if found.contains(&class) || found.len() == MOST_CLASSES {
                continue;
            }
            found.push(class);
            work.extend(loaded.superclass.map(Type::Ref));
            let fields = loaded.fields.iter().map(|field| program.field(*field));
            work.extend(fields.filter(|f| !f.is_static).map(|f| f.ty));
        }
        found
    }

    /// Arrays of a constant length that constructors put into fields.
    fn constructors(&mut self, class: ClassId) {
        let program = self.program;
        let methods = program.class(class).map(|c| &c.methods[..]).unwrap_or_default();
        for method in methods.iter().filter(|m| &*program.method(**m).name == "<init>") {
            let Code::Body(body) = program.code(*method) else {
                continue;
            };
            for block in &body.blocks {
                let mut facts: BTreeMap<Reg, Fact> = BTreeMap::new();
                let mut made: BTreeMap<Reg, i64> = BTreeMap::new();
                for instr in &block.instrs {
                    let op = &instr.op;
                    if let Op::PutField { src, field, .. } = op
                        && let (Some(length), Ok(field)) =
                            (made.get(src), program.resolve_field(*field))
                    {
                        let by = self.made_by(field);
                        self.ask(Sort::Array, *length, LONGEST_OF_CODE, &by);
                    }
                    let Some(dst) = instr.dst() else {
                        continue;
                    };
                    made.remove(&dst);
                    if let Op::NewArray { length, .. } = op
                        && let Some(Fact::Number(length)) = facts.get(length)
                    {
                        made.insert(dst, *length);
                    }
                    match self.fact(op, &facts) {
                        Some(fact) => facts.insert(dst, fact),
                        None => facts.remove(&dst),
                    };
                }
            }
        }
    }

    fn made_by(&self, field: FieldId) -> String {
        let declared = self.program.field(field);
        format!("the array that a constructor puts into `{}`", declared.name)
    }
}

/// Registers that are used as indices somewhere.
fn indices(body: &Body) -> BTreeSet<Reg> {
    let instrs = body.blocks.iter().flat_map(|block| &block.instrs);
    let indices = instrs.filter_map(|instr| match &instr.op {
        Op::ArrayLoad { index, .. } | Op::ArrayStore { index, .. } => Some(*index),
        _ => None,
    });
    indices.collect()
}

/// Without conversions between numbers.
fn plain(term: &Term) -> &Term {
    match &term.kind {
        TermKind::Widen(inner)
        | TermKind::Fitted(_, inner)
        | TermKind::Cast(_, inner)
        | TermKind::Typed(_, inner)
        | TermKind::Old(inner) => plain(inner),
        _ => term,
    }
}

fn number(term: &Term) -> Option<i64> {
    match &plain(term).kind {
        TermKind::Number(number) => Some(*number),
        TermKind::Negate(inner) => number(inner)?.checked_neg(),
        TermKind::Arithmetic(op, left, right) => {
            let (left, right) = (number(left)?, number(right)?);
            match op {
                Arithmetic::Add => left.checked_add(right),
                Arithmetic::Subtract => left.checked_sub(right),
                Arithmetic::Multiply => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}
