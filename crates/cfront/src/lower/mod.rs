//! From the tree of a function to a graph of small statements.
//!
//! An expression becomes a term; what it does on the way (assignments, calls) becomes statements
//! before it. What has no model becomes a trap, and nothing is followed beyond it.

mod branch;
pub(crate) mod call;
mod expression;
mod initial;
mod order;
mod place;
mod statement;

use crate::ast::{Expr, Span, Statement, StatementKind};
use crate::front::{Checked, Front, Scope, Symbol, Target};
use crate::outside::Mark;
use crate::types::*;
use explain::program::{Edge, Home, Node, Op, Origin, Point, ProcId, Unknown, Variable};
use explain::term::{TermId, Terms, VarId};
use std::collections::HashMap;

/// A value: a term, and its type. Of a structure it is the address.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub term: TermId,
    pub ty: Type,
}

/// The function that is being lowered. It has many fields because a statement may need any of them: where it is,
/// where jumps lead to, and what the function is.
pub(crate) struct Lower<'f> {
    pub front: &'f mut Front,
    procedure: ProcId,
    name: String,
    result: Type,
    nodes: Vec<Node>,
    at: Point,
    breaks: Vec<Point>,
    continues: Vec<Point>,
    switches: Vec<Switch>,
    labels: HashMap<String, Point>,
    targets: usize,
    temporaries: u32,
    handed_on: Option<TermId>,
    /// Where a structure goes that is returned.
    result_at: Option<VarId>,
    /// Whether the next statement stands in a block, beside others.
    in_block: bool,
    /// The statement whose parts are lowered, as a person reads it.
    span: Span,
}

struct Switch {
    cases: Vec<(u64, u64, Point, Span)>,
    default: Option<Point>,
    ty: Type,
}

/// Lowers the bodies of all functions that can be called from the first.
pub(crate) fn lower_all(front: &mut Front, start: usize) -> Checked<()> {
    front.procedure(start);
    loop {
        let next =
            front.functions.iter().position(|known| known.procedure.is_some() && !known.lowered);
        let Some(index) = next else { return Ok(()) };
        front.functions[index].lowered = true;
        lower_function(front, index)?;
    }
}

fn lower_function(front: &mut Front, index: usize) -> Checked<()> {
    let known = &front.functions[index];
    let (Some(body), Some(procedure)) = (known.body.clone(), known.procedure) else {
        return Ok(());
    };
    let (name, signature, formals) =
        (known.name.clone(), known.signature.clone(), known.formals.clone());
    let result_at = known.result_at;
    front.unit = known.unit;
    front.scopes = vec![Scope::default()];
    let mut lower = Lower::new(front, procedure, name, signature.result.clone());
    lower.span = body.span;
    lower.result_at = result_at;
    if body.variadic {
        lower.trap("a function with variable arguments");
    }
    for (parameter, formal) in body.parameters.iter().zip(formals) {
        lower.bind_parameter(parameter.name.as_deref(), formal);
    }
    lower.statement(&body.body)?;
    lower.finish();
    let (nodes, targets) = (lower.nodes, lower.targets);
    front.scopes.clear();
    front.targets += targets;
    front.program.procedures[procedure.0 as usize].nodes = nodes;
    Ok(())
}

impl<'f> Lower<'f> {
    pub fn new(front: &'f mut Front, procedure: ProcId, name: String, result: Type) -> Lower<'f> {
        Lower {
            front,
            procedure,
            name,
            result,
            nodes: vec![Node::default()],
            at: Point(0),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: HashMap::new(),
            targets: 0,
            temporaries: 0,
            handed_on: None,
            result_at: None,
            in_block: false,
            span: Span::default(),
        }
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.front.program.terms
    }

    /// The nodes made so far.
    pub fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }

    fn point(&mut self) -> Point {
        self.nodes.push(Node::default());
        Point(self.nodes.len() as u32 - 1)
    }

    /// The text of a part of the source, on one line.
    fn text(&self, span: Span) -> String {
        let unit = &self.front.units[self.front.unit];
        let text = unit.text.get(span.from.start as usize..span.end as usize).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        let mut line = words.join(" ");
        if line.chars().count() > 90 {
            line = line.chars().take(88).collect::<String>() + " …";
        }
        line
    }

    fn origin(&self, span: Span, text: String) -> Origin {
        let unit = &self.front.units[self.front.unit];
        let file = unit.files[span.from.file as usize].clone();
        Origin { file, line: span.from.line, text }
    }

    /// Adds a statement after the present point and goes behind it.
    fn emit(&mut self, op: Op) {
        let text = self.text(self.span);
        self.emit_as(op, text);
    }

    fn emit_as(&mut self, op: Op, text: String) {
        let to = self.point();
        let origin = self.origin(self.span, text);
        self.edge(op, origin, to);
        self.at = to;
    }

    fn edge(&mut self, op: Op, origin: Origin, to: Point) {
        if self.front.options.target == Target::Undefined {
            self.ask_undefined(&op, &origin);
        }
        self.nodes[self.at.0 as usize].edges.push(Edge { op, to, origin });
    }

    /// What is looked for is that a statement has no value: a way there beside it.
    fn ask_undefined(&mut self, op: &Op, origin: &Origin) {
        let values = match op {
            Op::Assign { value, .. } | Op::Assume(value) | Op::Return { value: Some(value) } => {
                vec![*value]
            }
            Op::Allocate { size, .. } => vec![*size],
            Op::Call { actuals, .. } => actuals.clone(),
            Op::Skip | Op::Unknown { .. } | Op::Return { value: None } | Op::Unsupported(_) => {
                Vec::new()
            }
        };
        for value in values {
            let undefined = self.terms().undefined(value);
            let known = &self.nodes[self.at.0 as usize].edges;
            let asked = known.iter().any(|edge| match edge.op {
                Op::Assume(other) => self.front.program.terms.same_question(other, undefined),
                _ => false,
            });
            if self.terms().constant(undefined).is_some() || asked {
                continue;
            }
            let to = self.point();
            self.nodes[to.0 as usize].target = true;
            self.targets += 1;
            let text = format!("{} has no value", origin.text.trim_end_matches(';'));
            let origin = Origin { text, ..origin.clone() };
            let edge = Edge { op: Op::Assume(undefined), to, origin };
            self.nodes[self.at.0 as usize].edges.push(edge);
        }
    }

    /// Goes on at a point without doing anything.
    fn jump(&mut self, to: Point) {
        let origin = self.origin(self.span, String::new());
        self.edge(Op::Skip, origin, to);
        self.at = self.point();
    }

    /// Nothing is followed beyond here.
    fn trap(&mut self, what: impl Into<String>) {
        let what = what.into();
        let text = self.text(self.span);
        self.emit_as(Op::Unsupported(what), text);
        self.at = self.point();
    }

    /// Ends here: `abort` and the like.
    fn stop(&mut self) {
        self.at = self.point();
    }

    /// Marks the present point as what is looked for.
    fn reach_target(&mut self) {
        self.nodes[self.at.0 as usize].target = true;
        self.targets += 1;
    }

    fn temporary(&mut self, ty: &Type) -> (VarId, TermId) {
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        let width = if ty.is_scalar() { ty.word().0 } else { 64 };
        let owner = Some(self.procedure);
        let home = Home::Register;
        let unsigned = ty.is_integer() && !ty.word().1;
        let variable = Variable { name, owner, width, unsigned, home, made_up: true };
        let id = self.front.program.space.add(variable);
        self.front.types.insert(id, ty.clone());
        let term = self.terms().variable(id, width);
        (id, term)
    }

    /// A parameter whose address is taken gets a place in memory.
    fn bind_parameter(&mut self, name: Option<&str>, formal: VarId) {
        let Some(name) = name else { return };
        let ty = self.front.types[&formal].clone();
        if let Type::Struct(_) = ty.plain() {
            let address = self.terms().address(formal);
            if self.front.cells(&ty, address).is_none() {
                self.trap(format!("the parameter `{name}` of {}", self.front.layouts.show(&ty)));
            }
            let symbol = Symbol::Variable { id: formal, ty };
            self.front.scope().names.insert(name.to_owned(), symbol);
            return;
        }
        if !ty.is_scalar() {
            self.trap(format!("the parameter `{name}` of type {}", self.front.layouts.show(&ty)));
            return;
        }
        let owner = Some(self.procedure);
        let made = self.front.add_variable(name, &ty, owner, false);
        let home = self.front.program.space.variable(made).home;
        let id = match home {
            Home::Register => {
                self.front.program.space.variables.pop();
                formal
            }
            Home::Memory { .. } => {
                let width = ty.word().0;
                let value = self.terms().variable(formal, width);
                let address = self.terms().address(made);
                let place = self.terms().load(address, width);
                self.emit_as(Op::Assign { place, value }, format!("{name} = {name}"));
                made
            }
        };
        self.front.scope().names.insert(name.to_owned(), Symbol::Variable { id, ty });
    }

    fn finish(&mut self) {
        let origin = self.origin(self.span, format!("return from {}", self.name));
        let to = self.point();
        let value = match &self.result {
            // The value of a function that ends without a return is anything.
            ty if ty.is_scalar() => {
                let ty = ty.clone();
                let (_, term) = self.temporary(&ty);
                let zero = self.name == "main";
                let op = if zero {
                    let width = ty.word().0;
                    let value = self.terms().number(width, 0);
                    Op::Assign { place: term, value }
                } else {
                    Op::Unknown { place: term, why: Unknown::NotReturned }
                };
                self.emit_as(op, String::new());
                Some(term)
            }
            _ => None,
        };
        self.edge(Op::Return { value }, origin, to);
    }

    /// Remembers where in the text a statement is that is looked for: what comes behind its labels.
    fn mark(&mut self, statement: &Statement, in_block: bool) {
        let unit = self.front.unit;
        let text = &self.front.units[unit].text;
        let mut at = statement.span.from.start;
        if let StatementKind::Label(..) | StatementKind::Case(..) | StatementKind::Default(_) =
            &statement.kind
        {
            let inner = match &statement.kind {
                StatementKind::Case(value, last, _) => last.as_ref().unwrap_or(value).span.end,
                _ => at,
            };
            let colon = text[inner as usize..].find(':').unwrap_or(0);
            at = inner + colon as u32 + 1;
        }
        let ends = text[at as usize..].trim_start().starts_with('}');
        let mark = Mark { unit, at, in_block: in_block || ends };
        self.front.outside.marks.insert(mark);
    }

    /// The target is a line: is it this statement?
    fn check_line(&mut self, statement: &Statement, in_block: bool) {
        let span = statement.span;
        if let Target::Line { file, line } = self.front.options.target.clone()
            && span.from.line == line
        {
            let unit = &self.front.units[self.front.unit];
            let name = &unit.files[span.from.file as usize];
            if same_file(name, &file) {
                self.reach_target();
                self.mark(statement, in_block);
            }
        }
    }
}

/// Whether two names of files can mean the same one: one ends like the other.
pub(crate) fn same_file(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    long == short || long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'))
}

impl Front {
    /// The value of a constant expression.
    pub fn constant(&mut self, expression: &Expr) -> Checked<i64> {
        let procedure = ProcId(u32::MAX);
        let mut lower = Lower::new(self, procedure, String::new(), Type::Void);
        lower.span = expression.span;
        let value = lower.value(expression)?;
        let (width, signed) = value.ty.word();
        let constant = lower.terms().constant(value.term);
        match constant {
            Some(value) if signed => Ok(explain::term::signed(width, value)),
            Some(value) => Ok(value as i64),
            None => Err(self.problem(expression.span.from, "this is not a constant")),
        }
    }

    /// The type that an expression has.
    pub fn type_of_expression(&mut self, expression: &Expr) -> Checked<Type> {
        let procedure = ProcId(u32::MAX);
        let mut lower = Lower::new(self, procedure, String::new(), Type::Void);
        lower.span = expression.span;
        lower.type_of(expression)
    }
}
