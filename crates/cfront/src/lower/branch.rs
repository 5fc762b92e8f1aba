//! Conditions as branches, and values that depend on one.

use super::place::{Place, Spot};
use super::{Lower, Value};
use crate::ast::*;
use crate::front::Checked;
use crate::types::*;
use explain::program::{Op, Point};
use explain::term::TermId;

impl Lower<'_> {
    /// Goes to one point if a condition holds and to another if not.
    pub fn branch(&mut self, condition: &Expr, yes: Point, no: Point) -> Checked<()> {
        match &*condition.kind {
            ExprKind::Binary("&&", a, b) => {
                let middle = self.point();
                self.branch(a, middle, no)?;
                self.at = middle;
                self.branch(b, yes, no)
            }
            ExprKind::Binary("||", a, b) => {
                let middle = self.point();
                self.branch(a, yes, middle)?;
                self.at = middle;
                self.branch(b, yes, no)
            }
            ExprKind::Prefix("!", of) => self.branch(of, no, yes),
            _ => {
                let value = self.value(condition)?;
                let holds = self.truth(&value);
                self.fork(holds, condition.span, yes, no);
                Ok(())
            }
        }
    }

    /// Two assumptions.
    pub fn fork(&mut self, holds: TermId, span: Span, yes: Point, no: Point) {
        let text = self.text(span);
        let constant = self.terms().constant(holds);
        let origin = self.origin(span, text.clone());
        if constant != Some(0) {
            self.edge(Op::Assume(holds), origin, yes);
        }
        if constant != Some(1) {
            let not = self.terms().not(holds);
            let origin = self.origin(span, format!("!({text})"));
            self.edge(Op::Assume(not), origin, no);
        }
    }

    /// `a && b` and `a || b` as values.
    pub fn logical(&mut self, expression: &Expr) -> Checked<Value> {
        let ExprKind::Binary(operator, a, b) = &*expression.kind else {
            return self.value(expression);
        };
        if self.footprint(b).acts {
            return self.by_branches(expression, &INT);
        }
        let first = self.value(a)?;
        let first = self.truth(&first);
        let second = self.value(b)?;
        let second = self.truth(&second);
        let both = if *operator == "&&" {
            self.terms().both(first, second)
        } else {
            self.terms().either(first, second)
        };
        Ok(self.as_int(both))
    }

    /// A truth value that needs statements to find out.
    fn by_branches(&mut self, expression: &Expr, ty: &Type) -> Checked<Value> {
        let (_, term) = self.temporary(ty);
        let (yes, no, end) = (self.point(), self.point(), self.point());
        self.branch(expression, yes, no)?;
        for (point, value) in [(yes, 1), (no, 0)] {
            self.at = point;
            let value = self.terms().number(32, value);
            self.emit(Op::Assign { place: term, value });
            self.jump(end);
        }
        self.at = end;
        Ok(Value { term, ty: ty.clone() })
    }

    /// `c ? a : b`
    pub fn conditional(
        &mut self,
        expression: &Expr,
        condition: &Expr,
        yes: Option<&Expr>,
        no: &Expr,
    ) -> Checked<Value> {
        let first = yes.unwrap_or(condition);
        let (a, b) = (self.type_of(first)?.decayed(), self.type_of(no)?.decayed());
        let ty = match (a.is_pointer(), b.is_pointer()) {
            (true, true) if a.target() == Some(&Type::Void) => b,
            (true, _) => a,
            (_, true) => b,
            _ if a.is_integer() && b.is_integer() => common(&a, &b),
            _ if a == Type::Void || b == Type::Void => Type::Void,
            _ if matches!(a, Type::Struct(_)) => {
                self.trap("a structure chosen by a condition");
                return Ok(self.dummy(&a));
            }
            _ => {
                self.trap(format!("`{}`", self.text(expression.span)));
                return Ok(self.dummy(&a));
            }
        };
        if ty == Type::Void {
            self.effects(expression)?;
            return Ok(self.dummy(&Type::Void));
        }
        if self.footprint(first).acts || self.footprint(no).acts {
            return self.conditional_by_branches(condition, yes, no, &ty);
        }
        let chosen = self.value(condition)?;
        let holds = self.truth(&chosen);
        let left = match yes {
            Some(yes) => self.value(yes)?,
            None => chosen,
        };
        let left = self.converted(left, &ty);
        let right = self.value(no)?;
        let right = self.converted(right, &ty);
        let term = self.terms().choose(holds, left.term, right.term);
        Ok(Value { term, ty })
    }

    fn conditional_by_branches(
        &mut self,
        condition: &Expr,
        yes: Option<&Expr>,
        no: &Expr,
        ty: &Type,
    ) -> Checked<Value> {
        let (_, term) = self.temporary(ty);
        let place = Place { spot: Spot::Register(term), ty: ty.clone() };
        let (then, other, end) = (self.point(), self.point(), self.point());
        match yes {
            Some(_) => self.branch(condition, then, other)?,
            None => {
                let value = self.value(condition)?;
                let holds = self.truth(&value);
                self.write(&place, value);
                self.fork(holds, condition.span, then, other);
            }
        }
        self.at = then;
        if let Some(yes) = yes {
            let value = self.value(yes)?;
            self.write(&place, value);
        }
        self.jump(end);
        self.at = other;
        let value = self.value(no)?;
        self.write(&place, value);
        self.jump(end);
        self.at = end;
        Ok(Value { term, ty: ty.clone() })
    }
}
