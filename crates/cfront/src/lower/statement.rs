//! Statements as edges between points.

use super::place::{Place, Spot};
use super::{Lower, Switch, Value};
use crate::ast::*;
use crate::front::{Checked, Scope, Symbol, Target};
use crate::types::*;
use explain::program::{Home, Op, Point, Unknown};
use explain::term::{Binary, TermId};

impl Lower<'_> {
    /// Lowers a statement from the present point on.
    pub fn statement(&mut self, statement: &Statement) -> Checked<()> {
        let before = self.span;
        self.span = statement.span;
        let in_block = std::mem::take(&mut self.in_block);
        let kind = &statement.kind;
        if !matches!(
            kind,
            StatementKind::Block(_) | StatementKind::Label(..) | StatementKind::Empty
        ) {
            self.check_line(statement, in_block);
        }
        match kind {
            StatementKind::Empty => {}
            StatementKind::Block(all) => self.block(all)?,
            StatementKind::Declarations(all, ty) => {
                self.front.type_of(ty)?;
                for declaration in all {
                    self.declare(declaration)?;
                }
            }
            StatementKind::Expression(value) => {
                self.effects(value)?;
            }
            StatementKind::If(condition, yes, no) => {
                let (then, other, end) = (self.point(), self.point(), self.point());
                self.branch(condition, then, other)?;
                self.at = then;
                self.statement(yes)?;
                self.jump(end);
                self.at = other;
                if let Some(no) = no {
                    self.statement(no)?;
                }
                self.jump(end);
                self.at = end;
            }
            StatementKind::While(condition, body) => {
                let (head, inside, end) = (self.point(), self.point(), self.point());
                self.jump(head);
                self.at = head;
                self.branch(condition, inside, end)?;
                self.at = inside;
                self.in_loop(body, end, head)?;
                self.jump(head);
                self.at = end;
            }
            StatementKind::Do(body, condition) => {
                let (head, check, end) = (self.point(), self.point(), self.point());
                self.jump(head);
                self.at = head;
                self.in_loop(body, end, check)?;
                self.jump(check);
                self.at = check;
                self.branch(condition, head, end)?;
                self.at = end;
            }
            StatementKind::For(first, condition, step, body) => {
                self.front.scopes.push(Scope::default());
                self.statement(first)?;
                let (head, inside, next, end) =
                    (self.point(), self.point(), self.point(), self.point());
                self.jump(head);
                self.at = head;
                match condition {
                    Some(condition) => self.branch(condition, inside, end)?,
                    None => self.jump(inside),
                }
                self.at = inside;
                self.in_loop(body, end, next)?;
                self.jump(next);
                self.at = next;
                if let Some(step) = step {
                    self.span = step.span;
                    self.effects(step)?;
                }
                self.jump(head);
                self.at = end;
                self.front.scopes.pop();
            }
            StatementKind::Switch(value, body) => self.switch(value, body)?,
            StatementKind::Case(value, last, inner) => {
                let first = self.front.constant(value)? as u64;
                let last = match last {
                    Some(last) => self.front.constant(last)? as u64,
                    None => first,
                };
                let here = self.point();
                self.jump(here);
                self.at = here;
                let Some(switch) = self.switches.last_mut() else {
                    return Err(self.front.problem(value.span.from, "`case` outside a switch"));
                };
                switch.cases.push((first, last, here, value.span));
                self.statement(inner)?;
            }
            StatementKind::Default(inner) => {
                let here = self.point();
                self.jump(here);
                self.at = here;
                let Some(switch) = self.switches.last_mut() else {
                    let from = statement.span.from;
                    return Err(self.front.problem(from, "`default` outside a switch"));
                };
                switch.default = Some(here);
                self.statement(inner)?;
            }
            StatementKind::Label(name, inner) => {
                let here = self.label(name);
                self.jump(here);
                self.at = here;
                self.check_label(name, statement, in_block);
                self.check_line(statement, in_block);
                self.in_block = in_block;
                self.statement(inner)?;
            }
            StatementKind::Goto(name) => {
                let to = self.label(name);
                self.jump(to);
            }
            StatementKind::Break => self.leave(self.breaks.last().copied(), statement, "break")?,
            StatementKind::Continue => {
                self.leave(self.continues.last().copied(), statement, "continue")?;
            }
            StatementKind::Return(value) => self.return_value(value.as_ref())?,
            StatementKind::Unsupported(what) => self.trap(what.clone()),
        }
        self.span = before;
        Ok(())
    }

    fn block(&mut self, all: &[Statement]) -> Checked<()> {
        self.front.scopes.push(Scope::default());
        for inner in all {
            self.in_block = true;
            self.statement(inner)?;
        }
        self.in_block = false;
        self.front.scopes.pop();
        Ok(())
    }

    fn in_loop(&mut self, body: &Statement, end: Point, next: Point) -> Checked<()> {
        self.breaks.push(end);
        self.continues.push(next);
        self.statement(body)?;
        self.breaks.pop();
        self.continues.pop();
        Ok(())
    }

    fn leave(&mut self, to: Option<Point>, statement: &Statement, what: &str) -> Checked<()> {
        match to {
            Some(to) => {
                self.jump(to);
                Ok(())
            }
            None => Err(self
                .front
                .problem(statement.span.from, format!("`{what}` has nothing to leave"))),
        }
    }

    fn label(&mut self, name: &str) -> Point {
        if let Some(&point) = self.labels.get(name) {
            return point;
        }
        let point = self.point();
        self.labels.insert(name.to_owned(), point);
        point
    }

    fn check_label(&mut self, name: &str, statement: &Statement, in_block: bool) {
        if let Target::Label { function, label } = &self.front.options.target
            && label.eq_ignore_ascii_case(name)
            && function.as_ref().is_none_or(|function| *function == self.name)
        {
            self.reach_target();
            self.mark(statement, in_block);
        }
    }

    fn switch(&mut self, value: &Expr, body: &Statement) -> Checked<()> {
        let chosen = self.value(value)?;
        if !chosen.ty.is_integer() {
            return Err(self.front.problem(value.span.from, "a switch needs an integer"));
        }
        let ty = chosen.ty.promoted();
        let chosen = self.converted(chosen, &ty);
        let start = self.at;
        let end = self.point();
        self.at = self.point();
        self.switches.push(Switch { cases: Vec::new(), default: None, ty });
        self.breaks.push(end);
        self.statement(body)?;
        self.jump(end);
        self.breaks.pop();
        let Some(switch) = self.switches.pop() else { return Ok(()) };
        self.at = start;
        let text = self.text(value.span);
        let (width, signed) = switch.ty.word();
        let less = if signed { Binary::LessSigned } else { Binary::LessUnsigned };
        let mut none = self.terms().truth(true);
        for (first, last, point, span) in switch.cases {
            let (low, high) = (self.terms().number(width, first), self.terms().number(width, last));
            let holds = if first == last {
                self.terms().equal(chosen.term, low)
            } else {
                let below = self.terms().binary(less, chosen.term, low);
                let above = self.terms().binary(less, high, chosen.term);
                let outside = self.terms().either(below, above);
                self.terms().not(outside)
            };
            let case = self.text(span);
            let origin = self.origin(span, format!("{text} == {case}"));
            self.edge(Op::Assume(holds), origin, point);
            let not = self.terms().not(holds);
            none = self.terms().both(none, not);
        }
        let origin = self.origin(value.span, format!("no case of {text}"));
        self.edge(Op::Assume(none), origin, switch.default.unwrap_or(end));
        self.at = end;
        Ok(())
    }

    /// Where a function keeps what it returns of another one: one place for all of its `return`s, so
    /// that what is said of one is said of all.
    fn result_place(&mut self, ty: &Type) -> TermId {
        match self.handed_on {
            Some(place) => place,
            None => {
                let (_, place) = self.temporary(ty);
                self.handed_on = Some(place);
                place
            }
        }
    }

    fn return_value(&mut self, value: Option<&Expr>) -> Checked<()> {
        let result = self.result.clone();
        let value = match value {
            Some(value) if result.is_scalar() => {
                let value = match &*value.kind {
                    ExprKind::Call(callee, arguments) => {
                        let place = self.result_place(&result);
                        self.call(value, callee, arguments, Some((place, result.clone())))?
                    }
                    _ => self.value(value)?,
                };
                Some(self.converted(value, &result).term)
            }
            Some(value) if let Some(place) = self.result_at => {
                let value = self.value(value)?;
                let to = self.terms().variable(place, 64);
                self.copy(&result, to, value.term);
                None
            }
            Some(value) => {
                self.effects(value)?;
                if result != Type::Void {
                    self.trap(format!("a result of type {}", self.front.layouts.show(&result)));
                }
                None
            }
            None => None,
        };
        let text = self.text(self.span);
        self.emit_as(Op::Return { value }, text);
        self.at = self.point();
        Ok(())
    }

    /// A declaration in a block.
    fn declare(&mut self, declaration: &Declaration) -> Checked<()> {
        let Some(name) = declaration.declared.name.clone() else {
            return Ok(());
        };
        let span = declaration.declared.span;
        self.span = span;
        let mut ty = self.front.type_of(&declaration.declared.ty)?;
        match declaration.storage {
            Storage::Typedef => {
                self.front.scope().names.insert(name, Symbol::Typedef(ty));
                return Ok(());
            }
            Storage::Extern => {
                if let Some(symbol) = self.front.linked.get(&name).cloned() {
                    self.front.scope().names.insert(name, symbol);
                    return Ok(());
                }
            }
            Storage::Plain | Storage::Static => {}
        }
        if let Type::Function(_) = ty {
            // Found by its name, whoever defines it.
            if self.front.lookup(&name).is_none() {
                self.front.undeclared(&name);
            }
            return Ok(());
        }
        if let (Type::Array(element, None), Some(initial)) = (ty.plain(), &declaration.initial) {
            let length = self.front.length_of(initial)?;
            ty = Type::Array(element.clone(), Some(length));
        }
        if self.front.layouts.size(&ty).is_none() {
            self.trap(format!("`{name}`, whose size is not a constant"));
        }
        let is_static = declaration.storage != Storage::Plain;
        let owner = if is_static { None } else { Some(self.procedure) };
        let id = self.front.add_variable(&name, &ty, owner, false);
        self.front.scope().names.insert(name.clone(), Symbol::Variable { id, ty: ty.clone() });
        if is_static {
            let unit = self.front.unit;
            let initial = declaration.initial.clone();
            self.front.initials.push(crate::front::GlobalInitial { unit, id, ty, initial, span });
            return Ok(());
        }
        let variable = self.front.program.space.variable(id);
        let (home, width) = (variable.home, variable.width);
        let spot = match home {
            Home::Register => Spot::Register(self.terms().variable(id, width)),
            Home::Memory { .. } => Spot::Memory(self.terms().address(id)),
        };
        let place = Place { spot, ty: ty.clone() };
        match &declaration.initial {
            Some(initial) => self.initialise(&place, initial),
            None if ty.is_scalar() => {
                let term = match place.spot {
                    Spot::Memory(address) => self.terms().load(address, width),
                    Spot::Register(term) => term,
                    Spot::Bits { .. } => return Ok(()),
                };
                self.emit(Op::Unknown { place: term, why: Unknown::NotInitialised(name) });
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// `({ … })`: the value of its last expression.
    pub fn block_value(&mut self, body: &Statement) -> Checked<Value> {
        let StatementKind::Block(all) = &body.kind else {
            return Ok(self.dummy(&Type::Void));
        };
        let Some((last, first)) = all.split_last() else {
            return Ok(self.dummy(&Type::Void));
        };
        self.front.scopes.push(Scope::default());
        for inner in first {
            self.statement(inner)?;
        }
        let value = match &last.kind {
            StatementKind::Expression(value) => {
                if self.type_of(value)? == Type::Void {
                    self.effects(value)?;
                    self.dummy(&Type::Void)
                } else {
                    self.value(value)?
                }
            }
            _ => {
                self.statement(last)?;
                self.dummy(&Type::Void)
            }
        };
        self.front.scopes.pop();
        Ok(value)
    }
}
