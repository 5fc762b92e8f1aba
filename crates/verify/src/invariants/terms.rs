//! Terms of candidates, as short as their text. Each comes with how a person would write it.

use ir::{ClassId, FieldId, Program, Type};
use spec::Span;
use spec::core::{Comparison, Connective, Number, Sort, Term, TermKind, Variable};

/// A term and its text in JML.
#[derive(Clone)]
pub(super) struct Said {
    pub term: Term,
    pub text: String,
}

fn said(kind: TermKind, sort: Sort, text: String) -> Said {
    Said { term: Term { kind, sort, span: Span::default() }, text }
}

fn boxed(said: Said) -> Box<Term> {
    Box::new(said.term)
}

pub(super) fn this(class: ClassId) -> Said {
    said(TermKind::Variable(Variable::This), Sort::Reference(class), "this".into())
}

/// A field of the object whose invariant it is.
pub(super) fn own(program: &Program, field: FieldId) -> Said {
    let declared = program.field(field);
    let object = this(declared.class);
    let kind = TermKind::Field(boxed(object), field);
    said(kind, sort(declared.ty), declared.name.to_string())
}

/// A field of what a term refers to.
pub(super) fn field_of(program: &Program, object: &Said, field: FieldId) -> Said {
    let declared = program.field(field);
    let text = format!("{}.{}", object.text, declared.name);
    let kind = TermKind::Field(boxed(object.clone()), field);
    said(kind, sort(declared.ty), text)
}

fn sort(ty: Type) -> Sort {
    match ty {
        Type::Boolean => Sort::Boolean,
        Type::Byte => Sort::Number(Number::Byte),
        Type::Short => Sort::Number(Number::Short),
        Type::Char => Sort::Number(Number::Char),
        Type::Int => Sort::Number(Number::Int),
        Type::Long => Sort::Number(Number::Long),
        Type::Float => Sort::Number(Number::Float),
        Type::Double => Sort::Number(Number::Double),
        Type::Ref(class) => Sort::Reference(class),
    }
}

pub(super) fn length(array: &Said) -> Said {
    let text = format!("{}.length", array.text);
    said(TermKind::Length(boxed(array.clone())), Sort::Number(Number::Int), text)
}

/// A number of the same sort as another.
pub(super) fn number(value: i64, like: &Said) -> Said {
    let text = match like.term.sort {
        Sort::Number(Number::Long) => format!("{value}L"),
        _ => value.to_string(),
    };
    said(TermKind::Number(value), like.term.sort.clone(), text)
}

pub(super) fn compare(left: &Said, how: Comparison, right: &Said) -> Said {
    let symbol = match how {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    };
    let text = format!("{} {symbol} {}", left.text, right.text);
    said(TermKind::Compare(how, boxed(left.clone()), boxed(right.clone())), Sort::Boolean, text)
}

pub(super) fn is_null(reference: &Said) -> Said {
    let null = said(TermKind::Null, Sort::Null, "null".into());
    let text = format!("{} == null", reference.text);
    said(TermKind::Same(boxed(reference.clone()), boxed(null)), Sort::Boolean, text)
}

pub(super) fn is_not_null(reference: &Said) -> Said {
    let text = format!("{} != null", reference.text);
    let null = is_null(reference);
    said(TermKind::Not(boxed(null)), Sort::Boolean, text)
}

pub(super) fn is_same(left: &Said, right: &Said) -> Said {
    let text = format!("{} == {}", left.text, right.text);
    let kind = TermKind::Same(boxed(left.clone()), boxed(right.clone()));
    said(kind, Sort::Boolean, text)
}

pub(super) fn is_not(condition: &Said) -> Said {
    let text = format!("!({})", condition.text);
    said(TermKind::Not(boxed(condition.clone())), Sort::Boolean, text)
}

fn connect(left: &Said, how: Connective, symbol: &str, right: &Said) -> Said {
    let text = format!("{} {symbol} {}", left.text, right.text);
    let kind = TermKind::Connective(how, boxed(left.clone()), boxed(right.clone()));
    said(kind, Sort::Boolean, text)
}

pub(super) fn and(left: &Said, right: &Said) -> Said {
    connect(left, Connective::And, "&&", right)
}

pub(super) fn implies(left: &Said, right: &Said) -> Said {
    connect(left, Connective::Implies, "==>", right)
}

pub(super) fn iff(left: &Said, right: &Said) -> Said {
    let text = format!("({}) <==> ({})", left.text, right.text);
    let kind = TermKind::Connective(Connective::Iff, boxed(left.clone()), boxed(right.clone()));
    said(kind, Sort::Boolean, text)
}

pub(super) fn has_no_null_elements(array: &Said) -> Said {
    let text = format!("\\nonnullelements({})", array.text);
    said(TermKind::NonNullElements(boxed(array.clone())), Sort::Boolean, text)
}

/// The objects of a class that are reached from a reference through these fields, itself included.
fn reach(program: &Program, from: &Said, class: ClassId, fields: &[FieldId]) -> Said {
    let names: Vec<String> = fields.iter().map(|f| program.field(*f).name.to_string()).collect();
    let simple = ir::program::simple(program.class_name(class));
    let text = format!("\\reach({}, {simple}, {})", from.text, names.join(", "));
    let kind =
        TermKind::Reach { from: boxed(from.clone()), class: Some(class), fields: fields.to_vec() };
    said(kind, Sort::Relation(vec![spec::core::Column::Objects]), text)
}

/// That an object is not reached from a reference through these fields.
pub(super) fn is_not_reached(
    program: &Program,
    object: &Said,
    from: &Said,
    class: ClassId,
    fields: &[FieldId],
) -> Said {
    let reached = reach(program, from, class, fields);
    let text = format!("!{}.has({})", reached.text, object.text);
    let one = said(
        TermKind::Set(boxed(object.clone())),
        Sort::Relation(vec![spec::core::Column::Objects]),
        object.text.clone(),
    );
    let is_in = said(TermKind::In(boxed(one), boxed(reached)), Sort::Boolean, String::new());
    said(TermKind::Not(boxed(is_in)), Sort::Boolean, text)
}

/// That a number is how many objects are reached.
pub(super) fn counts_reached(
    program: &Program,
    number: &Said,
    from: &Said,
    class: ClassId,
    fields: &[FieldId],
) -> Said {
    let reached = reach(program, from, class, fields);
    let text = format!("{} == {}.int_size()", number.text, reached.text);
    let size =
        said(TermKind::Cardinality(boxed(reached)), Sort::Number(Number::Int), String::new());
    let kind = TermKind::Compare(Comparison::Equal, boxed(number.clone()), boxed(size));
    said(kind, Sort::Boolean, text)
}
