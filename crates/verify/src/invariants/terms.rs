//! Terms of conditions that nobody wrote, as short as their text. Each comes with how a person would write it.

use ir::{ClassId, FieldId, Method, Program, Type};
use spec::Span;
use spec::core::{
    Arithmetic, Bound, Column, Combination, Comparison, Connective, Domain, Multiplicity, Number,
    Quantification, Quantifier, Sort, Term, TermKind, Variable,
};

/// The variable of a quantifier over owners; those inside it have smaller numbers.
pub(crate) const OWNER: u32 = 9;

/// The variable of a quantifier over indices.
const INDEX: u32 = 8;

/// A term and its text in JML.
#[derive(Clone)]
pub(crate) struct Said {
    pub term: Term,
    pub text: String,
}

fn said(kind: TermKind, sort: Sort, text: String) -> Said {
    Said { term: Term { kind, sort, span: Span::default() }, text }
}

/// What a parameter was when the method was called.
pub(crate) fn parameter(method: &Method, number: u32) -> Said {
    let name = method.param_names.get(number as usize).cloned();
    let kind = TermKind::Variable(Variable::Parameter(number));
    let ty = method.params[number as usize];
    said(kind, sort(ty), name.unwrap_or_else(|| format!("arg{number}")))
}

/// An object that a quantifier speaks of.
pub(crate) fn variable(number: u32, class: ClassId) -> Said {
    let kind = TermKind::Variable(Variable::Bound(number));
    said(kind, Sort::Reference(class), format!("o{number}"))
}

fn boxed(said: Said) -> Box<Term> {
    Box::new(said.term)
}

pub(crate) fn this(class: ClassId) -> Said {
    said(TermKind::Variable(Variable::This), Sort::Reference(class), "this".into())
}

/// A field of what a term refers to; of `this` by its name alone.
pub(crate) fn field_of(program: &Program, object: &Said, field: FieldId) -> Said {
    let declared = program.field(field);
    let text = match object.term.kind {
        TermKind::Variable(Variable::This) => declared.name.to_string(),
        _ => format!("{}.{}", object.text, declared.name),
    };
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

pub(crate) fn length(array: &Said) -> Said {
    let text = format!("{}.length", array.text);
    said(TermKind::Length(boxed(array.clone())), Sort::Number(Number::Int), text)
}

/// A number of the same sort as another.
pub(crate) fn number(value: i64, like: &Said) -> Said {
    let text = match like.term.sort {
        Sort::Number(Number::Long) => format!("{value}L"),
        _ => value.to_string(),
    };
    said(TermKind::Number(value), like.term.sort.clone(), text)
}

pub(crate) fn compare(left: &Said, how: Comparison, right: &Said) -> Said {
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

pub(crate) fn is_null(reference: &Said) -> Said {
    let null = said(TermKind::Null, Sort::Null, "null".into());
    let text = format!("{} == null", reference.text);
    said(TermKind::Same(boxed(reference.clone()), boxed(null)), Sort::Boolean, text)
}

pub(crate) fn is_not_null(reference: &Said) -> Said {
    let text = format!("{} != null", reference.text);
    let null = is_null(reference);
    said(TermKind::Not(boxed(null)), Sort::Boolean, text)
}

pub(crate) fn is_same(left: &Said, right: &Said) -> Said {
    let text = format!("{} == {}", left.text, right.text);
    let kind = TermKind::Same(boxed(left.clone()), boxed(right.clone()));
    said(kind, Sort::Boolean, text)
}

pub(crate) fn is_not(condition: &Said) -> Said {
    let text = format!("!({})", condition.text);
    said(TermKind::Not(boxed(condition.clone())), Sort::Boolean, text)
}

fn connect(left: &Said, how: Connective, symbol: &str, right: &Said) -> Said {
    let text = format!("{} {symbol} {}", left.text, right.text);
    let kind = TermKind::Connective(how, boxed(left.clone()), boxed(right.clone()));
    said(kind, Sort::Boolean, text)
}

pub(crate) fn and(left: &Said, right: &Said) -> Said {
    connect(left, Connective::And, "&&", right)
}

pub(crate) fn implies(left: &Said, right: &Said) -> Said {
    connect(left, Connective::Implies, "==>", right)
}

pub(crate) fn iff(left: &Said, right: &Said) -> Said {
    let text = format!("({}) <==> ({})", left.text, right.text);
    let kind = TermKind::Connective(Connective::Iff, boxed(left.clone()), boxed(right.clone()));
    said(kind, Sort::Boolean, text)
}

pub(crate) fn has_no_null_elements(array: &Said) -> Said {
    let text = format!("\\nonnullelements({})", array.text);
    said(TermKind::NonNullElements(boxed(array.clone())), Sort::Boolean, text)
}

fn objects() -> Sort {
    Sort::Relation(vec![Column::Objects])
}

/// The objects of a class that are reached from a reference through these fields, itself included.
fn reach(program: &Program, from: &Said, class: ClassId, fields: &[FieldId]) -> Said {
    let names: Vec<String> = fields.iter().map(|f| program.field(*f).name.to_string()).collect();
    let simple = ir::program::simple(program.class_name(class));
    let text = format!("\\reach({}, {simple}, {})", from.text, names.join(", "));
    let from = boxed(from.clone());
    let kind = TermKind::Reach { from, class: Some(class), fields: fields.to_vec() };
    said(kind, objects(), text)
}

/// That an object is reached from a reference through these fields.
pub(crate) fn is_reached(
    program: &Program,
    object: &Said,
    from: &Said,
    class: ClassId,
    fields: &[FieldId],
) -> Said {
    let reached = reach(program, from, class, fields);
    let text = format!("{}.has({})", reached.text, object.text);
    let one = said(TermKind::Set(boxed(object.clone())), objects(), object.text.clone());
    said(TermKind::In(boxed(one), boxed(reached)), Sort::Boolean, text)
}

/// What holds of every object of a class, or of those of them that are reached.
pub(crate) fn for_all(program: &Program, class: ClassId, range: Option<Said>, body: &Said) -> Said {
    quantified(program, class, &[1], range, body)
}

/// The same with the variable that stands for an owner.
pub(crate) fn for_owner(program: &Program, class: ClassId, body: &Said) -> Said {
    quantified(program, class, &[OWNER], None, body)
}

/// What holds of any two objects of a class.
pub(crate) fn for_any_two(program: &Program, class: ClassId, body: &Said) -> Said {
    let (one, two) = (variable(1, class), variable(2, class));
    let differ = is_not(&is_same(&one, &two));
    quantified(program, class, &[1, 2], Some(differ), body)
}

fn quantified(
    program: &Program,
    class: ClassId,
    numbers: &[u32],
    range: Option<Said>,
    body: &Said,
) -> Said {
    let bound = |number: &u32| Bound {
        number: *number,
        name: format!("o{number}"),
        domain: Domain::Objects { class, nullable: false },
        apart: Vec::new(),
    };
    let variables: Vec<Bound> = numbers.iter().map(bound).collect();
    let names: Vec<&str> = variables.iter().map(|v| v.name.as_str()).collect();
    let simple = ir::program::simple(program.class_name(class));
    let within = range.as_ref().map_or("", |range| range.text.as_str());
    let text = format!("(\\forall {simple} {}; {within}; {})", names.join(", "), body.text);
    let quantification = Quantification {
        quantifier: Quantifier::All,
        variables,
        range: range.map(|range| range.term),
        body: body.term.clone(),
    };
    said(TermKind::Quantified(Box::new(quantification)), Sort::Boolean, text)
}

/// An index that a quantifier speaks of.
pub(crate) fn index() -> Said {
    said(TermKind::Variable(Variable::Bound(INDEX)), Sort::Number(Number::Int), "i".into())
}

pub(crate) fn element(program: &Program, array: &Said, index: &Said) -> Option<Said> {
    let Sort::Reference(class) = array.term.sort else { return None };
    let element = program.class(class).ok()?.element?;
    let text = format!("{}[{}]", array.text, index.text);
    let kind = TermKind::Element(boxed(array.clone()), boxed(index.clone()));
    Some(said(kind, sort(element), text))
}

/// What holds of so many elements of an array, by their indices.
pub(crate) fn for_indices(array: &Said, count: &Said, body: &Said) -> Said {
    let i = index();
    let above = compare(&number(0, &i), Comparison::LessEqual, &i);
    // Either bound may be the one that is known.
    let within = compare(&i, Comparison::Less, &length(array));
    let range = and(&and(&above, &compare(&i, Comparison::Less, count)), &within);
    let text = format!("(\\forall int i; {}; {})", range.text, body.text);
    let variable = Bound {
        number: INDEX,
        name: "i".into(),
        domain: Domain::Numbers(Number::Int),
        apart: Vec::new(),
    };
    let quantification = Quantification {
        quantifier: Quantifier::All,
        variables: vec![variable],
        range: Some(range.term),
        body: body.term.clone(),
    };
    said(TermKind::Quantified(Box::new(quantification)), Sort::Boolean, text)
}

/// The product of two ints, as Java computes it.
pub(crate) fn product(left: &Said, right: &Said) -> Said {
    let text = format!("{} * {}", left.text, right.text);
    let kind =
        TermKind::Arithmetic(Arithmetic::Multiply, boxed(left.clone()), boxed(right.clone()));
    said(kind, Sort::Number(Number::Int), text)
}

/// That no object is reached both from one of some references and from one of others.
pub(crate) fn are_apart(
    program: &Program,
    ours: &[Said],
    theirs: &[Said],
    class: ClassId,
    fields: &[FieldId],
) -> Option<Said> {
    let all = |from: &[Said]| {
        from.iter().map(|from| reach(program, from, class, fields)).reduce(|left, right| {
            let text = format!("({} + {})", left.text, right.text);
            said(TermKind::Combine(Combination::Union, boxed(left), boxed(right)), objects(), text)
        })
    };
    let (ours, theirs) = (all(ours)?, all(theirs)?);
    let text = format!("no ({} & {})", ours.text, theirs.text);
    let kind = TermKind::Combine(Combination::Intersection, boxed(ours), boxed(theirs));
    let common = said(kind, objects(), String::new());
    Some(said(TermKind::Multiplicity(Multiplicity::No, boxed(common)), Sort::Boolean, text))
}

/// That an object is not reached from a reference through these fields.
pub(crate) fn is_not_reached(
    program: &Program,
    object: &Said,
    from: &Said,
    class: ClassId,
    fields: &[FieldId],
) -> Said {
    let reached = is_reached(program, object, from, class, fields);
    let text = format!("!{}", reached.text);
    said(TermKind::Not(boxed(reached)), Sort::Boolean, text)
}

/// That a number is how many objects are reached.
pub(crate) fn counts_reached(
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
