//! Where C leaves the order of evaluation open: does it matter?
//!
//! Operands that nothing orders may run in any order. They are lowered from left to right, which is
//! right for every order if none of them changes what another one reads or changes. Otherwise the
//! expression has no model.

use super::Lower;
use crate::ast::*;
use crate::front::{Front, Symbol};
use explain::program::Home;
use std::collections::BTreeSet;

/// What an expression reads and changes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Footprint {
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    reads_memory: bool,
    writes_memory: bool,
    /// Whether it is more than a value: it assigns or calls.
    pub acts: bool,
}

impl Footprint {
    /// Whether the order of two expressions matters.
    pub fn clashes(&self, other: &Footprint) -> bool {
        let meets = |a: &Footprint, b: &Footprint| {
            a.writes.iter().any(|name| b.reads.contains(name) || b.writes.contains(name))
                || (a.writes_memory && (b.reads_memory || b.writes_memory))
        };
        meets(self, other) || meets(other, self)
    }
}

impl Lower<'_> {
    /// What an expression reads and changes.
    pub fn footprint(&self, expression: &Expr) -> Footprint {
        let mut found = Footprint::default();
        self.front.look(expression, &mut found, false);
        found
    }

    /// Traps if the order of some expressions matters.
    pub fn check_order(&mut self, all: &[&Expr]) {
        let prints: Vec<Footprint> = all.iter().map(|e| self.footprint(e)).collect();
        for (position, print) in prints.iter().enumerate() {
            if prints[..position].iter().any(|other| other.clashes(print)) {
                self.trap("the order of evaluation is open here, and matters");
                return;
            }
        }
    }
}

impl Front {
    fn look(&self, expression: &Expr, found: &mut Footprint, written: bool) {
        match &*expression.kind {
            ExprKind::Name(name) => {
                let in_memory = match self.lookup(name) {
                    Some(Symbol::Variable { id, .. }) => {
                        let variable = self.program.space.variable(*id);
                        variable.owner.is_none() || variable.home != Home::Register
                    }
                    _ => false,
                };
                match (in_memory, written) {
                    (true, true) => found.writes_memory = true,
                    (true, false) => found.reads_memory = true,
                    (false, true) => {
                        found.writes.insert(name.clone());
                    }
                    (false, false) => {
                        found.reads.insert(name.clone());
                    }
                }
            }
            ExprKind::Integer { .. }
            | ExprKind::Character(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::SizeOf(_)
            | ExprKind::SizeOfType(_)
            | ExprKind::AlignOf(_)
            | ExprKind::OffsetOf(..)
            | ExprKind::Unsupported(_) => {}
            ExprKind::Prefix("*", of) => {
                self.memory(found, written);
                self.look(of, found, false);
            }
            ExprKind::Prefix("&", of) => {
                // Where something is does not depend on what it is.
                if !matches!(&*of.kind, ExprKind::Name(_)) {
                    self.look(of, found, false);
                }
            }
            ExprKind::Prefix(_, of) | ExprKind::Cast(_, of) => self.look(of, found, false),
            ExprKind::Step { of, .. } => {
                found.acts = true;
                self.look(of, found, false);
                self.look(of, found, true);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) => {
                self.look(a, found, false);
                self.look(b, found, false);
            }
            ExprKind::Assign(operator, to, value) => {
                found.acts = true;
                self.look(value, found, false);
                self.look(to, found, true);
                if !operator.is_empty() {
                    self.look(to, found, false);
                }
            }
            ExprKind::Conditional(a, b, c) => {
                self.look(a, found, false);
                for part in b.iter().chain([c]) {
                    self.look(part, found, false);
                }
            }
            ExprKind::Call(callee, arguments) => {
                found.acts = true;
                for argument in arguments {
                    self.look(argument, found, false);
                }
                if !self.is_harmless(callee) {
                    found.reads_memory = true;
                    found.writes_memory = true;
                }
            }
            ExprKind::Index(a, b) => {
                self.memory(found, written);
                self.look(a, found, false);
                self.look(b, found, false);
            }
            ExprKind::Field { of, .. } => {
                self.memory(found, written);
                self.look(of, found, false);
            }
            ExprKind::Compound(..) | ExprKind::Block(_) => {
                found.acts = true;
                found.reads_memory = true;
                found.writes_memory = true;
            }
        }
    }

    fn memory(&self, found: &mut Footprint, written: bool) {
        if written {
            found.writes_memory = true;
        } else {
            found.reads_memory = true;
        }
    }

    /// Whether a call changes nothing that an expression beside it could read: its callee has no
    /// body, or has locals only.
    fn is_harmless(&self, callee: &Expr) -> bool {
        let ExprKind::Name(name) = &*callee.kind else {
            return false;
        };
        match self.lookup(name) {
            Some(Symbol::Function(index)) => self.touches_nothing(*index, &mut BTreeSet::new()),
            _ => true,
        }
    }

    fn touches_nothing(&self, index: usize, asked: &mut BTreeSet<usize>) -> bool {
        let known = &self.functions[index];
        let Some(body) = &known.body else {
            return !["memset", "memcpy", "memmove", "strcpy", "free"]
                .contains(&known.name.as_str());
        };
        if !asked.insert(index) {
            return true;
        }
        let mut names = BTreeSet::new();
        let mut plain = true;
        words(&body.body, &mut |expression| match &*expression.kind {
            ExprKind::Name(name) => {
                names.insert(name.clone());
            }
            ExprKind::Prefix("*", _)
            | ExprKind::Index(..)
            | ExprKind::Field { .. }
            | ExprKind::Block(_) => plain = false,
            _ => {}
        });
        // A name that means a variable at the top of the file may be a local one here: then this
        // says no where it could say yes.
        plain
            && names.iter().all(|name| match self.units[known.unit].scope.names.get(name) {
                Some(Symbol::Variable { .. }) => false,
                Some(Symbol::Function(callee)) => self.touches_nothing(*callee, asked),
                _ => true,
            })
    }
}

/// Tells of every expression in a statement, inner ones too.
fn words(statement: &Statement, tell: &mut dyn FnMut(&Expr)) {
    let each = |all: &[&Expr], tell: &mut dyn FnMut(&Expr)| {
        for expression in all {
            parts(expression, tell);
        }
    };
    match &statement.kind {
        StatementKind::Empty
        | StatementKind::Goto(_)
        | StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Unsupported(_)
        | StatementKind::Return(None) => {}
        StatementKind::Block(all) => all.iter().for_each(|inner| words(inner, tell)),
        StatementKind::Declarations(all, _) => {
            for declaration in all {
                if let Some(initial) = &declaration.initial {
                    initial_parts(initial, tell);
                }
            }
        }
        StatementKind::Expression(value) | StatementKind::Return(Some(value)) => {
            each(&[value], tell);
        }
        StatementKind::If(condition, yes, no) => {
            each(&[condition], tell);
            words(yes, tell);
            if let Some(no) = no {
                words(no, tell);
            }
        }
        StatementKind::While(condition, body)
        | StatementKind::Do(body, condition)
        | StatementKind::Switch(condition, body) => {
            each(&[condition], tell);
            words(body, tell);
        }
        StatementKind::For(first, condition, step, body) => {
            words(first, tell);
            for part in condition.iter().chain(step) {
                each(&[part], tell);
            }
            words(body, tell);
        }
        StatementKind::Case(_, _, inner)
        | StatementKind::Default(inner)
        | StatementKind::Label(_, inner) => words(inner, tell),
    }
}

fn initial_parts(initial: &Initial, tell: &mut dyn FnMut(&Expr)) {
    match initial {
        Initial::Value(value) => parts(value, tell),
        Initial::List(list) => list.iter().for_each(|(_, inner)| initial_parts(inner, tell)),
    }
}

fn parts(expression: &Expr, tell: &mut dyn FnMut(&Expr)) {
    tell(expression);
    match &*expression.kind {
        ExprKind::Name(_)
        | ExprKind::Integer { .. }
        | ExprKind::Character(_)
        | ExprKind::Float(_)
        | ExprKind::Text(_)
        | ExprKind::SizeOf(_)
        | ExprKind::SizeOfType(_)
        | ExprKind::AlignOf(_)
        | ExprKind::OffsetOf(..)
        | ExprKind::Unsupported(_)
        | ExprKind::Compound(..) => {}
        ExprKind::Prefix(_, of)
        | ExprKind::Step { of, .. }
        | ExprKind::Cast(_, of)
        | ExprKind::Field { of, .. } => parts(of, tell),
        ExprKind::Binary(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index(a, b) => {
            parts(a, tell);
            parts(b, tell);
        }
        ExprKind::Conditional(a, b, c) => {
            parts(a, tell);
            b.iter().for_each(|b| parts(b, tell));
            parts(c, tell);
        }
        ExprKind::Call(callee, arguments) => {
            parts(callee, tell);
            arguments.iter().for_each(|argument| parts(argument, tell));
        }
        ExprKind::Block(body) => words(body, tell),
    }
}
