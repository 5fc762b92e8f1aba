//! Operators: promotion of numbers as Java has it, arithmetic of bounded or mathematical integers,
//! comparisons, and the connectives of JML.

use ir::Type;

use crate::core::{Arithmetic, Comparison, Connective, Number, Sort, Term, TermKind};
use crate::jml::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::resolve::expr::{Terms, term};
use crate::resolve::generic::untyped;
use crate::resolve::scope::Math;
use crate::resolve::trouble::{Resolved, mistake, suggesting, undecidable};
use crate::resolve::types::{self, is_floating};
use crate::span::Span;

/// Two terms, boxed.
type Pair = (Box<Term>, Box<Term>);

impl Terms<'_, '_> {
    pub fn unary(&mut self, op: UnaryOp, operand: &Expr, span: Span) -> Resolved<Term> {
        if op == UnaryOp::Not {
            let operand = self.condition(operand)?;
            return Ok(not(operand, span));
        }
        let value = self.unboxed(operand)?;
        let Sort::Number(number) = value.sort else {
            return mistake(
                operand.span,
                format!("a number is needed here, but this is {}", self.a(&value)),
            );
        };
        match op {
            UnaryOp::Complement if is_floating(number) => {
                let message = format!("`~` needs an integer, but this is {}", self.a(&value));
                mistake(operand.span, message)
            }
            UnaryOp::Complement if number == Number::Big => self.bits_of_big("~", operand.span),
            UnaryOp::Complement => {
                let value = self.promoted(value);
                let sort = value.sort.clone();
                Ok(term(TermKind::Complement(Box::new(value)), sort, span))
            }
            UnaryOp::Minus => Ok(self.negated(value, span)),
            UnaryOp::Plus | UnaryOp::Not => Ok(self.promoted(value)),
        }
    }

    fn negated(&self, value: Term, span: Span) -> Term {
        let value = self.promoted(value);
        if let (TermKind::Number(n), Sort::Number(Number::Int | Number::Long)) =
            (&value.kind, &value.sort)
            && *n != i64::MIN
            && *n != i64::from(i32::MIN)
        {
            return term(TermKind::Number(-n), value.sort, span);
        }
        let value = self.computed(value);
        if let Some((to, number)) = self.checked(&value.sort) {
            let value = self.converted(value, Number::Big);
            let negated = term(TermKind::Negate(Box::new(value)), Sort::Number(Number::Big), span);
            return fitted(negated, to, number);
        }
        let sort = value.sort.clone();
        term(TermKind::Negate(Box::new(value)), sort, span)
    }

    fn is_bigint(&self) -> bool {
        self.scope().math == Math::Bigint
    }

    /// The type that results have to fit, where an overflow leaves the clause without a value.
    pub fn checked(&self, sort: &Sort) -> Option<(Type, Number)> {
        match *sort {
            _ if self.scope().math != Math::Safe => None,
            Sort::Number(Number::Int) => Some((Type::Int, Number::Int)),
            Sort::Number(Number::Long) => Some((Type::Long, Number::Long)),
            _ => None,
        }
    }

    /// A number as arithmetic computes with it: mathematical integers where the clause has them.
    pub fn computed(&self, value: Term) -> Term {
        match value.sort {
            Sort::Number(number) if self.is_bigint() && !is_floating(number) => {
                self.converted(value, Number::Big)
            }
            _ => value,
        }
    }

    /// Unary promotion: nothing is narrower than an int.
    pub fn promoted(&self, value: Term) -> Term {
        match value.sort {
            Sort::Number(Number::Byte | Number::Short | Number::Char) => {
                self.converted(value, Number::Int)
            }
            _ => value,
        }
    }

    /// Binary promotion: both as numbers of one sort.
    fn both(&self, left: Term, right: Term) -> Resolved<(Pair, Number)> {
        let (Sort::Number(l), Sort::Number(r)) = (&left.sort, &right.sort) else {
            return mistake(left.span, "a number is needed here");
        };
        let (l, r) = (*l, *r);
        let either = |number| l == number || r == number;
        if either(Number::Big) && (is_floating(l) || is_floating(r)) {
            return undecidable("`\\bigint` together with floating-point numbers is not supported");
        }
        let wider = [Number::Big, Number::Double, Number::Float, Number::Long];
        let to = wider.into_iter().find(|n| either(*n)).unwrap_or(Number::Int);
        let (left, right) = (self.converted(left, to), self.converted(right, to));
        Ok(((Box::new(left), Box::new(right)), to))
    }

    fn bits_of_big<T>(&self, symbol: &str, span: Span) -> Resolved<T> {
        let message =
            format!("`{symbol}` works on the bits of an int or a long, not of a \\bigint");
        suggesting(span, message, Some("(int)".into()))
    }

    /// An operator between an operand that is resolved already and one that is not.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        left: (&Expr, Term),
        right: &Expr,
        span: Span,
    ) -> Resolved<Term> {
        let connective = match op {
            BinaryOp::And => Connective::And,
            BinaryOp::Or => Connective::Or,
            BinaryOp::Implies => return self.implication(left, right),
            BinaryOp::ImpliedBy => Connective::Implies,
            BinaryOp::Iff => Connective::Iff,
            BinaryOp::NotIff => Connective::Differ,
            BinaryOp::Equal | BinaryOp::NotEqual => return self.equality(op, left, right, span),
            BinaryOp::Subtype => return self.subtype(left, right, span),
            _ => return self.strict(op, left, right, span),
        };
        let left = self.as_condition(left.1, left.0.span)?;
        let right = self.condition(right)?;
        let (left, right) = if op == BinaryOp::ImpliedBy { (right, left) } else { (left, right) };
        Ok(connect(connective, left, right, span))
    }

    /// A chain of implications, which group to the right.
    fn implication(&mut self, left: (&Expr, Term), right: &Expr) -> Resolved<Term> {
        let mut premises = vec![self.as_condition(left.1, left.0.span)?];
        let mut last = right;
        while let ExprKind::Binary(BinaryOp::Implies, premise, conclusion) = &last.kind {
            premises.push(self.condition(premise)?);
            last = conclusion;
        }
        let mut whole = self.condition(last)?;
        for premise in premises.into_iter().rev() {
            let span = premise.span.to(whole.span);
            whole = connect(Connective::Implies, premise, whole, span);
        }
        Ok(whole)
    }

    /// Operators that want both operands and are no equality.
    fn strict(
        &mut self,
        op: BinaryOp,
        (left, l): (&Expr, Term),
        right: &Expr,
        span: Span,
    ) -> Resolved<Term> {
        let l = types::unbox(self.scope().program, self.as_scalar(l, left.span)?);
        let r = self.unboxed(right)?;
        if op == BinaryOp::Add && (self.is_string(&l) || self.is_string(&r)) {
            return undecidable("string concatenation is not supported");
        }
        if l.sort == Sort::Boolean
            && r.sort == Sort::Boolean
            && let Some(connective) = strict_connective(op)
        {
            return Ok(connect(connective, l, r, span));
        }
        if let Some(middle) = chained(op, left) {
            let middle = self.unboxed(middle)?;
            let rest = self.compared(op, middle, r, right, span)?;
            return Ok(connect(Connective::And, l, rest, span));
        }
        self.refuse_chain(op, left, right, &l, span)?;
        for (operand, e) in [(&l, left), (&r, right)] {
            if !matches!(operand.sort, Sort::Number(_)) {
                let message =
                    format!("`{}` needs numbers, but this is {}", op.text(), self.a(operand));
                return mistake(e.span, message);
            }
        }
        if let Some(comparison) = comparison(op) {
            let ((l, r), _) = self.both(l, r)?;
            return Ok(term(TermKind::Compare(comparison, l, r), Sort::Boolean, span));
        }
        match arithmetic(op) {
            Some(arithmetic @ (Arithmetic::And | Arithmetic::Or | Arithmetic::Xor)) => {
                self.bitwise(op, arithmetic, (l, left.span), (r, right.span), span)
            }
            Some(
                shift @ (Arithmetic::ShiftLeft
                | Arithmetic::ShiftRight
                | Arithmetic::ShiftRightUnsigned),
            ) => self.shift(op, shift, (l, left.span), (r, right.span), span),
            Some(arithmetic) => self.arithmetic(arithmetic, l, r, span),
            None => mistake(span, format!("`{}` has no meaning here", op.text())),
        }
    }

    /// The second comparison of a chain.
    fn compared(&self, op: BinaryOp, l: Term, r: Term, right: &Expr, span: Span) -> Resolved<Term> {
        let (Some(comparison), Sort::Number(_)) = (comparison(op), &r.sort) else {
            let message = format!("`{}` needs numbers, but this is {}", op.text(), self.a(&r));
            return mistake(right.span, message);
        };
        let span = l.span.to(span);
        let ((l, r), _) = self.both(l, r)?;
        Ok(term(TermKind::Compare(comparison, l, r), Sort::Boolean, span))
    }

    fn arithmetic(&self, op: Arithmetic, l: Term, r: Term, span: Span) -> Resolved<Term> {
        let has_floating =
            [&l, &r].iter().any(|t| matches!(t.sort, Sort::Number(number) if is_floating(number)));
        let (l, r) = if has_floating { (l, r) } else { (self.computed(l), self.computed(r)) };
        let ((l, r), number) = self.both(l, r)?;
        if let Some((to, number)) = self.checked(&Sort::Number(number)) {
            let l = Box::new(self.converted(*l, Number::Big));
            let r = Box::new(self.converted(*r, Number::Big));
            let kind = TermKind::Arithmetic(op, l, r);
            return Ok(fitted(term(kind, Sort::Number(Number::Big), span), to, number));
        }
        Ok(term(TermKind::Arithmetic(op, l, r), Sort::Number(number), span))
    }

    fn bitwise(
        &self,
        op: BinaryOp,
        arithmetic: Arithmetic,
        l: (Term, Span),
        r: (Term, Span),
        span: Span,
    ) -> Resolved<Term> {
        self.check_bits(op, &l)?;
        self.check_bits(op, &r)?;
        let ((l, r), number) = self.both(l.0, r.0)?;
        Ok(term(TermKind::Arithmetic(arithmetic, l, r), Sort::Number(number), span))
    }

    fn shift(
        &self,
        op: BinaryOp,
        arithmetic: Arithmetic,
        l: (Term, Span),
        r: (Term, Span),
        span: Span,
    ) -> Resolved<Term> {
        self.check_bits(op, &l)?;
        self.check_bits(op, &r)?;
        let (l, r) = (self.promoted(l.0), self.promoted(r.0));
        let sort = l.sort.clone();
        Ok(term(TermKind::Arithmetic(arithmetic, Box::new(l), Box::new(r)), sort, span))
    }

    fn check_bits(&self, op: BinaryOp, (operand, span): &(Term, Span)) -> Resolved<()> {
        match operand.sort {
            Sort::Number(Number::Big) => self.bits_of_big(op.text(), *span),
            Sort::Number(number) if is_floating(number) => {
                let message =
                    format!("`{}` needs integers, but this is {}", op.text(), self.a(operand));
                mistake(*span, message)
            }
            _ => Ok(()),
        }
    }

    fn is_string(&self, of: &Term) -> bool {
        matches!(of.sort, Sort::Reference(class)
            if self.scope().program.class_name(class) == "java.lang.String")
    }

    /// `a < b == c` and the like mean something else than what they seem to say.
    fn refuse_chain(
        &self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        l: &Term,
        span: Span,
    ) -> Resolved<()> {
        let ExprKind::Binary(inner, _, middle) = &left.kind else {
            return Ok(());
        };
        if l.sort != Sort::Boolean || !is_comparison(op) || !is_comparison(*inner) {
            return Ok(());
        }
        let meant = format!("{left} && {middle} {} {right}", op.text());
        let message = format!("comparisons do not chain; write `{meant}`");
        suggesting(span, message, Some(meant))
    }

    fn equality(
        &mut self,
        op: BinaryOp,
        (left, l): (&Expr, Term),
        right: &Expr,
        span: Span,
    ) -> Resolved<Term> {
        let r = self.expr(right)?;
        let equal = op == BinaryOp::Equal;
        let program = self.scope().program;
        let is_primitive = |t: &Term| matches!(t.sort, Sort::Boolean | Sort::Number(_));
        let (l, r) = match (is_primitive(&l), is_primitive(&r)) {
            (true, false) => (l, types::unbox(program, r)),
            (false, true) => (types::unbox(program, l), r),
            _ => (l, r),
        };
        let said = format!("{} and {} can not be compared", self.a(&l), self.a(&r));
        let same = match (&l.sort, &r.sort) {
            (Sort::Number(_), Sort::Number(_)) => {
                let comparison = if equal { Comparison::Equal } else { Comparison::NotEqual };
                let ((l, r), _) = self.both(l, r)?;
                return Ok(term(TermKind::Compare(comparison, l, r), Sort::Boolean, span));
            }
            (Sort::Boolean, Sort::Boolean) => {
                let connective = if equal { Connective::Iff } else { Connective::Differ };
                return Ok(connect(connective, l, r, span));
            }
            (Sort::Reference(one), Sort::Reference(other)) => {
                if !self.may_be_same(*one, *other) {
                    let message = format!("{} and {} are never the same", self.a(&l), self.a(&r));
                    return mistake(span, message);
                }
                TermKind::Same(Box::new(untyped(l)), Box::new(untyped(r)))
            }
            (Sort::Reference(_) | Sort::Null, Sort::Reference(_) | Sort::Null) => {
                TermKind::Same(Box::new(untyped(l)), Box::new(untyped(r)))
            }
            (Sort::Type, Sort::Type) => TermKind::SameType(Box::new(l), Box::new(r)),
            (Sort::Locations, Sort::Locations) => {
                TermKind::OfLocations(crate::core::Locations::Equal, Box::new(l), Box::new(r))
            }
            (Sort::Relation(_), Sort::Relation(_)) => TermKind::Equal(Box::new(l), Box::new(r)),
            _ => {
                self.refuse_chain(op, left, right, &l, span)?;
                return mistake(span, said);
            }
        };
        let same = term(same, Sort::Boolean, span);
        Ok(if equal { same } else { not(same, span) })
    }

    fn subtype(&mut self, (left, l): (&Expr, Term), right: &Expr, span: Span) -> Resolved<Term> {
        let r = self.scalar(right)?;
        for (operand, e) in [(&l, left), (&r, right)] {
            if operand.sort != Sort::Type {
                let message = format!("`<:` needs types, but this is {}", self.a(operand));
                return mistake(e.span, message);
            }
        }
        Ok(term(TermKind::Subtype(Box::new(l), Box::new(r)), Sort::Boolean, span))
    }

    pub fn conditional(
        &mut self,
        condition: &Expr,
        then: &Expr,
        other: &Expr,
        span: Span,
    ) -> Resolved<Term> {
        let condition = Box::new(self.condition(condition)?);
        let (then, other) = (self.scalar(then)?, self.scalar(other)?);
        let program = self.scope().program;
        let is_reference = |t: &Term| matches!(t.sort, Sort::Reference(_) | Sort::Null);
        let (then, other) = if is_reference(&then) && is_reference(&other) {
            (then, other)
        } else {
            (types::unbox(program, then), types::unbox(program, other))
        };
        let (then, other, sort) = match (&then.sort, &other.sort) {
            (Sort::Number(l), Sort::Number(r)) if l == r => {
                let sort = then.sort.clone();
                (Box::new(then), Box::new(other), sort)
            }
            (Sort::Number(_), Sort::Number(_)) => {
                let ((then, other), number) = self.both(then, other)?;
                (then, other, Sort::Number(number))
            }
            (l, r) => match self.common(l, r) {
                Some(sort) => (Box::new(then), Box::new(other), sort),
                None => {
                    let said = format!("{} and {}", self.a(&then), self.a(&other));
                    return mistake(span, format!("{said} have no type in common"));
                }
            },
        };
        Ok(term(TermKind::Conditional(condition, then, other), sort, span))
    }

    /// The sort of a value that is of one of two sorts.
    fn common(&self, one: &Sort, other: &Sort) -> Option<Sort> {
        let program = self.scope().program;
        match (one, other) {
            _ if one == other => Some(one.clone()),
            (Sort::Null, Sort::Reference(_)) => Some(other.clone()),
            (Sort::Reference(_), Sort::Null) => Some(one.clone()),
            (Sort::Reference(l), Sort::Reference(r)) if program.is_subtype(*l, *r) => {
                Some(other.clone())
            }
            (Sort::Reference(l), Sort::Reference(r)) if program.is_subtype(*r, *l) => {
                Some(one.clone())
            }
            (Sort::Reference(_), Sort::Reference(_)) => {
                Some(Sort::Reference(program.class_id("java.lang.Object")))
            }
            _ => None,
        }
    }
}

/// A mathematical integer as a number of Java, if it is one.
pub(crate) fn fitted(value: Term, ty: Type, number: Number) -> Term {
    let span = value.span;
    term(TermKind::Fitted(ty, Box::new(value)), Sort::Number(number), span)
}

/// The negation of a condition.
pub(crate) fn not(condition: Term, span: Span) -> Term {
    term(TermKind::Not(Box::new(condition)), Sort::Boolean, span)
}

/// Two conditions, connected.
pub(crate) fn connect(connective: Connective, left: Term, right: Term, span: Span) -> Term {
    let kind = TermKind::Connective(connective, Box::new(left), Box::new(right));
    term(kind, Sort::Boolean, span)
}

/// The middle of `a < b <= c`, which means both comparisons: they point in one direction, and no
/// parentheses make the first a value of its own.
fn chained(op: BinaryOp, left: &Expr) -> Option<&Expr> {
    let ExprKind::Binary(inner, first, middle) = &left.kind else {
        return None;
    };
    let rises = |op| match op {
        BinaryOp::Less | BinaryOp::LessEqual => Some(true),
        BinaryOp::Greater | BinaryOp::GreaterEqual => Some(false),
        _ => None,
    };
    let is_chain = rises(op).is_some() && rises(op) == rises(*inner);
    (is_chain && left.span.start == first.span.start).then_some(middle)
}

fn is_comparison(op: BinaryOp) -> bool {
    comparison(op).is_some() || matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
}

fn comparison(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Less => Comparison::Less,
        BinaryOp::LessEqual => Comparison::LessEqual,
        BinaryOp::Greater => Comparison::Greater,
        BinaryOp::GreaterEqual => Comparison::GreaterEqual,
        _ => return None,
    })
}

fn strict_connective(op: BinaryOp) -> Option<Connective> {
    Some(match op {
        BinaryOp::BitAnd => Connective::BothAnd,
        BinaryOp::BitOr => Connective::BothOr,
        BinaryOp::BitXor => Connective::Differ,
        _ => return None,
    })
}

fn arithmetic(op: BinaryOp) -> Option<Arithmetic> {
    Some(match op {
        BinaryOp::Multiply => Arithmetic::Multiply,
        BinaryOp::Divide => Arithmetic::Divide,
        BinaryOp::Remainder => Arithmetic::Remainder,
        BinaryOp::Add => Arithmetic::Add,
        BinaryOp::Subtract => Arithmetic::Subtract,
        BinaryOp::ShiftLeft => Arithmetic::ShiftLeft,
        BinaryOp::ShiftRight => Arithmetic::ShiftRight,
        BinaryOp::ShiftRightUnsigned => Arithmetic::ShiftRightUnsigned,
        BinaryOp::BitAnd => Arithmetic::And,
        BinaryOp::BitOr => Arithmetic::Or,
        BinaryOp::BitXor => Arithmetic::Xor,
        _ => return None,
    })
}
