//! Expressions of JML become terms: names are looked up, types are checked, and the conversions
//! that Java makes silently are written down. Operators, calls and the backslash words are in the
//! modules beside this one.

use std::collections::HashSet;

use ir::{ClassId, MethodId, Type};

use crate::core::{Number, Sort, Term, TermKind, Variable};
use crate::jml::ast::{Expr, ExprKind, Literal, TypeName};
use crate::resolve::generic::{self, untyped};
use crate::resolve::names::Denoted;
use crate::resolve::scope::{Scope, States, sort_of};
use crate::resolve::signature::Generic;
use crate::resolve::trouble::{Resolved, mistake, undecidable, unsupported};
use crate::resolve::types::{self, Named, describe};
use crate::span::Span;

/// A variable that a clause can name: the name, what it is, and its type.
pub(crate) type Named3 = (String, Variable, Type);

/// The code that a clause stands in or describes, where that makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    Ordinary,
    /// A method that returns nothing.
    Void,
    /// A constructor: before it, there is no object.
    Constructor,
    /// The body of a lambda, compiled into a method of its own.
    Lambda,
}

/// Everything that gives names in a clause their meaning.
#[derive(Clone)]
pub(crate) struct Setting<'p> {
    pub scope: Scope<'p>,
    /// Methods of given classes that a specification may call.
    pub pure: &'p HashSet<MethodId>,
    pub around: Around,
    /// The variables as `\old` sees them, where that differs: inside bodies.
    pub before: Option<Vec<Named3>>,
    /// Variables of the body that have no value yet where the clause stands.
    pub later: Vec<String>,
    /// What `old` clauses name: values before the call.
    pub definitions: Vec<(String, Term)>,
    /// The ghost variable that counts the iterations of the loop around.
    pub counted: Option<u32>,
}

impl Setting<'_> {
    /// The meaning of an expression that must be true or false.
    pub fn condition(&self, e: &Expr) -> Resolved<Term> {
        Terms::new(self).condition(e)
    }

    /// The meaning of an expression whose value a variable of this type takes.
    pub fn value(&self, e: &Expr, ty: Type) -> Resolved<Term> {
        let mut terms = Terms::new(self);
        let value = terms.scalar(e)?;
        terms.assigned(value, ty)
    }

    /// The meaning of an expression that must be an integer.
    pub fn integer(&self, e: &Expr) -> Resolved<Term> {
        let mut terms = Terms::new(self);
        let value = terms.unboxed(e)?;
        match value.sort {
            Sort::Number(number) if !types::is_floating(number) => Ok(value),
            _ => mistake(
                e.span,
                format!("an integer is needed here, but this is {}", terms.a(&value)),
            ),
        }
    }

    /// The meaning of an expression, whatever it is.
    pub fn term(&self, e: &Expr) -> Resolved<Term> {
        Terms::new(self).scalar(e)
    }
}

/// Resolves the expressions of one clause.
pub(crate) struct Terms<'s, 'p> {
    pub setting: &'s Setting<'p>,
    /// Variables of quantifiers; later ones hide earlier ones.
    pub bound: Vec<(String, u32, Sort)>,
    pub next_bound: u32,
    /// The types of bound variables with their arguments.
    pub bound_generics: Vec<(Variable, Generic)>,
    /// What casts say with type arguments, by their places.
    pub casts: Vec<(Span, Generic)>,
    pub in_old: bool,
    /// How many expressions around this one are being resolved.
    depth: usize,
}

/// How deeply expressions may be nested, long chains of operators aside.
const DEEPEST: usize = 300;

/// A term of these parts.
pub(crate) fn term(kind: TermKind, sort: Sort, span: Span) -> Term {
    Term { kind, sort, span }
}

impl<'s, 'p> Terms<'s, 'p> {
    pub fn new(setting: &'s Setting<'p>) -> Self {
        Terms {
            setting,
            bound: Vec::new(),
            next_bound: 0,
            bound_generics: Vec::new(),
            casts: Vec::new(),
            in_old: false,
            depth: 0,
        }
    }

    pub fn scope(&self) -> &'s Scope<'p> {
        &self.setting.scope
    }

    /// What a term is, as messages say it.
    pub fn a(&self, of: &Term) -> String {
        describe(self.scope().program, &of.sort)
    }

    /// An expression that must be true or false.
    pub fn condition(&mut self, e: &Expr) -> Resolved<Term> {
        let found = self.expr(e)?;
        self.as_condition(found, e.span)
    }

    /// A term that must be true or false.
    pub fn as_condition(&self, found: Term, span: Span) -> Resolved<Term> {
        let found = types::unbox(self.scope().program, self.as_scalar(found, span)?);
        if found.sort == Sort::Boolean {
            return Ok(found);
        }
        mistake(span, format!("a condition is needed here, but this is {}", self.a(&found)))
    }

    /// An expression that is a number, a truth value, a type or a reference.
    pub fn scalar(&mut self, e: &Expr) -> Resolved<Term> {
        let found = self.expr(e)?;
        self.as_scalar(found, e.span)
    }

    /// A term that is no set.
    pub fn as_scalar(&self, found: Term, span: Span) -> Resolved<Term> {
        if let Sort::Relation(_) = found.sort {
            let message = "a set of objects can only be compared with `==` and `!=` or asked with \
                           `.has(x)`, `.int_size()` and `.isEmpty()`";
            return mistake(span, message);
        }
        Ok(found)
    }

    /// The same, and what is in it where it is a box of Java's.
    pub fn unboxed(&mut self, e: &Expr) -> Resolved<Term> {
        Ok(types::unbox(self.scope().program, self.scalar(e)?))
    }

    /// An expression that is an object or null.
    pub fn reference(&mut self, e: &Expr) -> Resolved<Term> {
        let found = self.scalar(e)?;
        if matches!(found.sort, Sort::Reference(_) | Sort::Null) {
            return Ok(found);
        }
        mistake(e.span, format!("an object is needed here, but this is {}", self.a(&found)))
    }

    /// An expression, sets of objects included. Its place is the expression's.
    pub fn expr(&mut self, e: &Expr) -> Resolved<Term> {
        if self.depth > DEEPEST {
            return undecidable("expressions that are nested so deeply are not supported");
        }
        self.depth += 1;
        let found = self.chain(e);
        self.depth -= 1;
        found
    }

    /// A chain of operators that group to the left, which may be long.
    fn chain(&mut self, e: &Expr) -> Resolved<Term> {
        let mut links = Vec::new();
        let mut first = e;
        while let ExprKind::Binary(op, left, right) = &first.kind {
            links.push((*op, &**left, &**right, first.span));
            first = left;
        }
        let mut found = self.kind(first)?;
        found.span = first.span;
        for (op, left, right, span) in links.into_iter().rev() {
            found = self.binary(op, (left, found), right, span)?;
            found.span = span;
        }
        Ok(found)
    }

    fn kind(&mut self, e: &Expr) -> Resolved<Term> {
        match &e.kind {
            ExprKind::Literal(literal) => Ok(self.literal(literal, e.span)),
            ExprKind::Name(_) | ExprKind::Field(..) => self.denoted_value(e),
            ExprKind::This => self.this(e.span),
            ExprKind::Super => mistake(e.span, "`super` is not a value"),
            ExprKind::Result => self.result(e.span),
            ExprKind::Index(array, index) => self.element(array, index, e.span),
            ExprKind::Call { receiver, method, arguments } => {
                self.call(receiver.as_deref(), method, arguments, e.span)
            }
            ExprKind::Cast(ty, operand) => self.cast(ty, operand, e.span),
            ExprKind::InstanceOf(operand, ty) => self.instance_of(operand, ty, e.span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, e.span),
            ExprKind::Binary(..) => self.chain(e),
            ExprKind::Conditional(condition, then, other) => {
                self.conditional(condition, then, other, e.span)
            }
            ExprKind::Old(operand) => self.old(operand, e.span),
            ExprKind::Quantified(quantified) => self.quantified(quantified, e.span),
            ExprKind::Fresh(objects) => self.fresh(objects, e.span),
            ExprKind::NonNullElements(array) => self.non_null_elements(array, e.span),
            ExprKind::TypeOf(operand) => {
                let operand = untyped(self.reference(operand)?);
                Ok(term(TermKind::TypeOf(Box::new(operand)), Sort::Type, e.span))
            }
            ExprKind::Type(ty) => {
                let ty = types::reified(self.scope(), ty)?;
                Ok(term(TermKind::TypeLiteral(ty), Sort::Type, e.span))
            }
            ExprKind::ElemType(operand) => {
                let found = self.scalar(operand)?;
                if found.sort != Sort::Type {
                    let message = format!("a type is needed here, but this is {}", self.a(&found));
                    return mistake(operand.span, message);
                }
                Ok(term(TermKind::ElementType(Box::new(found)), Sort::Type, e.span))
            }
            ExprKind::Reach { from, class, fields } => {
                self.reach(from, class.as_ref(), fields, e.span)
            }
            ExprKind::BoundedSum(sum) => self.bounded_sum(sum, e.span),
            ExprKind::InvariantFor(object) => {
                let object = Box::new(untyped(self.reference(object)?));
                Ok(term(TermKind::InvariantsOf(object), Sort::Boolean, e.span))
            }
            ExprKind::StaticInvariantFor(ty) => {
                let class = types::class(self.scope(), ty)?;
                Ok(term(TermKind::StaticInvariantsOf(class), Sort::Boolean, e.span))
            }
            ExprKind::Count => match self.setting.counted {
                Some(number) => {
                    let kind = TermKind::Variable(Variable::Ghost(number));
                    Ok(term(kind, Sort::Number(Number::Int), e.span))
                }
                None => undecidable(
                    "`\\count` counts the iterations of a loop with a specification; write \
                     `loop_invariant true;` before the loop that is meant",
                ),
            },
            ExprKind::Touched(touching, frame) => self.touched(*touching, frame, e.span),
            ExprKind::LocationSet(refs) => self.location_set(refs, e.span),
            ExprKind::OfLocations(op, left, right) => self.of_locations(*op, left, right, e.span),
            ExprKind::OnlyCalled(callees) => self.only_called(callees, e.span),
            ExprKind::Unsupported(what) => unsupported(what),
        }
    }

    fn literal(&self, literal: &Literal, span: Span) -> Term {
        let number = |value: i64, number| (TermKind::Number(value), Sort::Number(number));
        let (kind, sort) = match literal {
            Literal::Int(value) => number((*value).into(), Number::Int),
            Literal::Long(value) => number(*value, Number::Long),
            Literal::Float(value) => number(value.to_bits().into(), Number::Float),
            Literal::Double(value) => number(value.to_bits().cast_signed(), Number::Double),
            Literal::Char(value) => number((*value).into(), Number::Char),
            Literal::Text(text) => {
                let string = self.scope().program.class_id("java.lang.String");
                let units: Vec<u16> = text.encode_utf16().collect();
                (TermKind::Text(units.into()), Sort::Reference(string))
            }
            Literal::Boolean(value) => (TermKind::Boolean(*value), Sort::Boolean),
            Literal::Null => (TermKind::Null, Sort::Null),
        };
        term(kind, sort, span)
    }

    /// The object whose clause it is.
    pub fn this(&self, span: Span) -> Resolved<Term> {
        let scope = self.scope();
        if scope.is_static && self.setting.around == Around::Lambda {
            return undecidable("`this` in a lambda whose code does not use it is not supported");
        }
        let is_before = self.setting.around == Around::Constructor
            && (self.in_old || scope.states == States::One);
        if is_before {
            return mistake(span, "there is no `this` before the constructor has run");
        }
        if scope.is_static {
            return mistake(span, "there is no `this` here");
        }
        let kind = TermKind::Variable(Variable::This);
        Ok(term(kind, Sort::Reference(scope.class), span))
    }

    fn result(&self, span: Span) -> Resolved<Term> {
        match self.scope().result {
            _ if self.in_old => mistake(span, "there is no `\\result` before the call"),
            Some(ty) => Ok(term(TermKind::Variable(Variable::Result), sort_of(ty), span)),
            None if self.setting.around == Around::Void => {
                mistake(span, "the method returns nothing, so there is no `\\result`")
            }
            None => mistake(span, "`\\result` has no meaning here"),
        }
    }

    fn denoted_value(&mut self, e: &Expr) -> Resolved<Term> {
        match self.denoted(e)? {
            Denoted::Value(value) => Ok(value),
            Denoted::Class(class) => {
                let name = ir::program::simple(self.scope().program.class_name(class));
                mistake(e.span, format!("`{name}` is a class, not a value"))
            }
        }
    }

    fn element(&mut self, array: &Expr, index: &Expr, span: Span) -> Resolved<Term> {
        let array_term = self.array(array)?;
        let Some(element) = self.element_type(&array_term) else {
            return mistake(array.span, format!("this is {}, not an array", self.a(&array_term)));
        };
        let index = self.index(index)?;
        let kind = TermKind::Element(Box::new(array_term), Box::new(index));
        Ok(self.typed(term(kind, sort_of(element), span)))
    }

    /// An expression that is an array.
    pub fn array(&mut self, e: &Expr) -> Resolved<Term> {
        let found = self.reference(e)?;
        if self.element_type(&found).is_some() {
            return Ok(found);
        }
        mistake(e.span, format!("an array is needed here, but this is {}", self.a(&found)))
    }

    /// The type of the elements, where the term is an array.
    pub fn element_type(&self, of: &Term) -> Option<Type> {
        let Sort::Reference(class) = of.sort else {
            return None;
        };
        let program = self.scope().program;
        Some(program.parse_type(program.class_name(class).strip_suffix("[]")?))
    }

    /// An expression that is an index of an array: an int.
    pub fn index(&mut self, e: &Expr) -> Resolved<Term> {
        let found = self.unboxed(e)?;
        let message = match found.sort {
            Sort::Number(Number::Big) => return Ok(self.fitting_index(found)),
            Sort::Number(number) if types::widens(number, Number::Int) => {
                return Ok(self.converted(found, Number::Int));
            }
            _ => format!("an index is an int, but this is {}", self.a(&found)),
        };
        mistake(e.span, message)
    }

    /// A mathematical integer as an index: one that is no int is outside of every array.
    fn fitting_index(&self, big: Term) -> Term {
        let span = big.span;
        let int = Sort::Number(Number::Int);
        let narrow = term(TermKind::Cast(Type::Int, Box::new(big.clone())), int.clone(), span);
        let wide = TermKind::Widen(Box::new(narrow.clone()));
        let wide = term(wide, Sort::Number(Number::Big), span);
        let kind = TermKind::Compare(crate::core::Comparison::Equal, Box::new(wide), Box::new(big));
        let fits = term(kind, Sort::Boolean, span);
        let outside = term(TermKind::Number(-1), int.clone(), span);
        let kind = TermKind::Conditional(Box::new(fits), Box::new(narrow), Box::new(outside));
        term(kind, int, span)
    }

    fn cast(&mut self, ty: &TypeName, operand: &Expr, span: Span) -> Resolved<Term> {
        let target = types::named(self.scope(), ty)?;
        let value = self.scalar(operand)?;
        if !ty.arguments.is_empty() {
            self.casts.push((span, generic::written(self.scope(), ty)));
        }
        let program = self.scope().program;
        let said = format!("{} can not become {}", self.a(&value), self.said(target));
        let Named::Java(ty) = target else {
            let value = types::unbox(program, value);
            return match value.sort {
                Sort::Number(number) if !types::is_floating(number) => {
                    Ok(self.converted(value, Number::Big))
                }
                Sort::Number(_) => {
                    undecidable("casts of floating-point numbers to `\\bigint` are not supported")
                }
                _ => mistake(span, said),
            };
        };
        let cast = match (sort_of(ty), &value.sort) {
            (Sort::Reference(to), Sort::Reference(from)) => {
                self.reference_cast(value.clone(), *from, to)
            }
            (Sort::Reference(to), Sort::Null) => Some(Term { sort: Sort::Reference(to), ..value }),
            (Sort::Reference(to), Sort::Boolean | Sort::Number(_)) => {
                types::boxed(program, value).filter(|b| self.is_subtype(&b.sort, to))
            }
            (_, Sort::Reference(from)) => self.unboxing_cast(value.clone(), *from, ty),
            (Sort::Boolean, Sort::Boolean) => Some(value),
            (Sort::Number(to), Sort::Number(_)) => Some(self.converted(value, to)),
            _ => None,
        };
        cast.map_or_else(|| mistake(span, said), Ok)
    }

    fn said(&self, target: Named) -> String {
        match target {
            Named::Java(ty) => describe(self.scope().program, &sort_of(ty)),
            Named::Big => "a \\bigint".into(),
        }
    }

    fn reference_cast(&self, value: Term, from: ClassId, to: ClassId) -> Option<Term> {
        let program = self.scope().program;
        let sort = Sort::Reference(to);
        if program.is_subtype(from, to) {
            return Some(Term { sort, ..value });
        }
        let span = value.span;
        self.may_be_same(from, to)
            .then(|| term(TermKind::Cast(Type::Ref(to), Box::new(value)), sort, span))
    }

    /// `(int) o`: of a box, or of an object that has to be one.
    fn unboxing_cast(&self, value: Term, from: ClassId, ty: Type) -> Option<Term> {
        let program = self.scope().program;
        let value = match types::unboxed(program, from) {
            Some(_) => value,
            None => {
                let to = types::box_class(program, &sort_of(ty))?;
                self.reference_cast(value, from, to)?
            }
        };
        let value = types::unbox(program, value);
        match (&value.sort, sort_of(ty)) {
            (Sort::Number(from), Sort::Number(to)) if types::widens(*from, to) => {
                Some(self.converted(value, to))
            }
            (Sort::Boolean, Sort::Boolean) => Some(value),
            _ => None,
        }
    }

    fn instance_of(&mut self, operand: &Expr, ty: &TypeName, span: Span) -> Resolved<Term> {
        let operand_term = self.reference(operand)?;
        types::reified(self.scope(), ty)?;
        let class = types::class(self.scope(), ty)?;
        if let Sort::Reference(from) = operand_term.sort
            && !self.may_be_same(from, class)
        {
            let message =
                format!("{} is never an instance of `{}`", self.a(&operand_term), ty.name);
            return mistake(span, message);
        }
        let operand_term = Box::new(untyped(operand_term));
        Ok(term(TermKind::InstanceOf(operand_term, class), Sort::Boolean, span))
    }

    /// Whether one object can belong to both types.
    pub fn may_be_same(&self, one: ClassId, other: ClassId) -> bool {
        let program = self.scope().program;
        if program.is_subtype(one, other) || program.is_subtype(other, one) {
            return true;
        }
        let (Ok(one), Ok(other)) = (program.class(one), program.class(other)) else {
            return true;
        };
        match (one.element, other.element) {
            (Some(Type::Ref(one)), Some(Type::Ref(other))) => self.may_be_same(one, other),
            (Some(_), _) | (_, Some(_)) => false,
            (None, None) => {
                one.is_interface && !other.is_final || other.is_interface && !one.is_final
            }
        }
    }

    /// Whether values of a sort are instances of a class.
    pub fn is_subtype(&self, sort: &Sort, class: ClassId) -> bool {
        match sort {
            Sort::Null => true,
            Sort::Reference(sub) => self.scope().program.is_subtype(*sub, class),
            _ => false,
        }
    }

    fn old(&mut self, operand: &Expr, span: Span) -> Resolved<Term> {
        if self.scope().states == States::One {
            return mistake(span, "`\\old` has no meaning here");
        }
        if self.setting.around == Around::Lambda {
            return undecidable("`\\old` in a lambda is not supported");
        }
        let outside = std::mem::replace(&mut self.in_old, true);
        let found = self.expr(operand);
        self.in_old = outside;
        let found = found?;
        let sort = found.sort.clone();
        Ok(term(TermKind::Old(Box::new(found)), sort, span))
    }

    fn non_null_elements(&mut self, array: &Expr, span: Span) -> Resolved<Term> {
        let array_term = self.array(array)?;
        if !matches!(self.element_type(&array_term), Some(Type::Ref(_))) {
            let message = format!("the elements of {} are never null", self.a(&array_term));
            return mistake(array.span, message);
        }
        Ok(term(TermKind::NonNullElements(Box::new(array_term)), Sort::Boolean, span))
    }

    /// A value where a variable of this type takes it, as in an assignment. A mathematical integer
    /// wraps.
    pub fn assigned(&self, value: Term, ty: Type) -> Resolved<Term> {
        let span = value.span;
        let said = format!(
            "{} is needed here, but this is {}",
            describe(self.scope().program, &sort_of(ty)),
            self.a(&value)
        );
        if let (Sort::Number(Number::Int), Sort::Number(to)) = (&value.sort, sort_of(ty))
            && fits_constant(&value, to)
        {
            return Ok(self.converted(value, to));
        }
        match self.fitted(value, ty, true) {
            Some(value) => Ok(value),
            None => mistake(span, said),
        }
    }

    /// A value converted to a type by what Java does silently, boxing only where allowed.
    pub fn fitted(&self, value: Term, ty: Type, with_boxing: bool) -> Option<Term> {
        let program = self.scope().program;
        match (&value.sort, sort_of(ty)) {
            (Sort::Boolean, Sort::Boolean) => Some(value),
            (Sort::Number(Number::Big), Sort::Number(to)) if !types::is_floating(to) => {
                Some(self.converted(value, to))
            }
            (Sort::Number(from), Sort::Number(to)) if types::widens(*from, to) => {
                Some(self.converted(value, to))
            }
            (Sort::Reference(_) | Sort::Null, Sort::Reference(class))
                if self.is_subtype(&value.sort, class) =>
            {
                let plain = untyped(value.clone());
                Some(if self.is_subtype(&plain.sort, class) { plain } else { value })
            }
            (Sort::Reference(_), Sort::Boolean | Sort::Number(_)) if with_boxing => {
                let inside = types::unbox(program, value);
                let is_inside = !matches!(inside.sort, Sort::Reference(_));
                is_inside.then(|| self.fitted(inside, ty, false)).flatten()
            }
            (Sort::Boolean | Sort::Number(_), Sort::Reference(class)) if with_boxing => {
                types::boxed(program, value).filter(|b| self.is_subtype(&b.sort, class))
            }
            _ => None,
        }
    }

    /// A number as another kind of number.
    pub fn converted(&self, value: Term, to: Number) -> Term {
        if value.sort == Sort::Number(to) {
            return value;
        }
        let span = value.span;
        if let TermKind::Number(_) = value.kind
            && is_exact(&value, to)
        {
            return Term { sort: Sort::Number(to), ..value };
        }
        let kind = match types::number_type(to) {
            Some(ty) => TermKind::Cast(ty, Box::new(value)),
            None => TermKind::Widen(Box::new(value)),
        };
        term(kind, Sort::Number(to), span)
    }
}

/// Whether a literal is the same number among wider integers.
fn is_exact(value: &Term, to: Number) -> bool {
    let is_integer = |n: &Number| !types::is_floating(*n);
    matches!(&value.sort, Sort::Number(from) if is_integer(from) && types::widens(*from, to))
        && is_integer(&to)
}

/// Whether an int literal fits a narrower type, as Java allows in assignments.
fn fits_constant(value: &Term, to: Number) -> bool {
    let TermKind::Number(value) = value.kind else {
        return false;
    };
    match to {
        Number::Byte => i8::try_from(value).is_ok(),
        Number::Short => i16::try_from(value).is_ok(),
        Number::Char => u16::try_from(value).is_ok(),
        _ => false,
    }
}
