//! Prints terms in one line with every operator in parentheses, for readers who want to see what a
//! clause was understood to say.

use std::fmt::{self, Display, Formatter};

use ir::{ClassId, FieldId, MethodId, Program, Type};

use crate::core::{
    Arithmetic, Bound, Combination, Comparison, Connective, Domain, Location, Multiplicity, Number,
    Quantification, Quantifier, Sort, Term, TermKind, Variable,
};

/// A term that can be printed, because the program gives its parts names.
pub struct Shown<'a> {
    program: &'a Program,
    parameters: &'a [String],
    what: What<'a>,
}

enum What<'a> {
    Term(&'a Term),
    Location(&'a Location),
}

impl Term {
    /// The term for printing. Parameters without a name here are printed by their number.
    pub fn show<'a>(&'a self, program: &'a Program, parameters: &'a [String]) -> Shown<'a> {
        Shown { program, parameters, what: What::Term(self) }
    }
}

impl Location {
    /// The location for printing, as [`Term::show`] does it.
    pub fn show<'a>(&'a self, program: &'a Program, parameters: &'a [String]) -> Shown<'a> {
        Shown { program, parameters, what: What::Location(self) }
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let printer =
            Printer { program: self.program, parameters: self.parameters, bound: Vec::new() };
        f.write_str(&match self.what {
            What::Term(term) => { printer }.term(term),
            What::Location(location) => { printer }.location(location),
        })
    }
}

struct Printer<'a> {
    program: &'a Program,
    parameters: &'a [String],
    bound: Vec<(u32, String)>,
}

impl Printer<'_> {
    fn term(&mut self, term: &Term) -> String {
        match &term.kind {
            TermKind::Boolean(value) => value.to_string(),
            TermKind::Number(value) => number(*value, &term.sort),
            TermKind::Text(units) => format!("{:?}", String::from_utf16_lossy(units)),
            TermKind::Null => "null".into(),
            TermKind::TypeLiteral(ty) => format!("\\type({})", self.ty(*ty)),
            TermKind::Variable(variable) => self.variable(variable),
            TermKind::Field(object, field) => {
                format!("{}.{}", self.term(object), self.field(*field))
            }
            TermKind::Static(field) => self.qualified(*field),
            TermKind::Length(array) => format!("{}.length", self.term(array)),
            TermKind::Element(array, index) => {
                format!("{}[{}]", self.term(array), self.term(index))
            }
            TermKind::Call { method, is_virtual, arguments } => {
                self.call(*method, *is_virtual, arguments)
            }
            TermKind::Array(class, elements) => {
                let elements: Vec<String> = elements.iter().map(|e| self.term(e)).collect();
                format!("new {} {{{}}}", self.class(*class), elements.join(", "))
            }
            TermKind::Cast(ty, operand) => format!("({}) {}", self.ty(*ty), self.term(operand)),
            TermKind::Typed(class, operand) => {
                format!("<{}> {}", self.class(*class), self.term(operand))
            }
            TermKind::Widen(operand) => format!("(\\bigint) {}", self.term(operand)),
            TermKind::Fitted(ty, operand) => {
                format!("fitted {}({})", self.ty(*ty), self.term(operand))
            }
            TermKind::InstanceOf(operand, class) => {
                format!("({} instanceof {})", self.term(operand), self.class(*class))
            }
            TermKind::Not(operand) => format!("!{}", self.term(operand)),
            TermKind::Negate(operand) => format!("-{}", self.term(operand)),
            TermKind::Complement(operand) => format!("~{}", self.term(operand)),
            TermKind::Arithmetic(op, l, r) => self.between(l, arithmetic(*op), r),
            TermKind::Compare(op, l, r) => self.between(l, comparison(*op), r),
            TermKind::Connective(op, l, r) => self.between(l, connective(*op), r),
            TermKind::Same(l, r) => self.between(l, "===", r),
            TermKind::SameType(l, r) | TermKind::Equal(l, r) => self.between(l, "=", r),
            TermKind::Subtype(l, r) => self.between(l, "<:", r),
            TermKind::Conditional(condition, then, other) => {
                let condition = self.term(condition);
                format!("({condition} ? {} : {})", self.term(then), self.term(other))
            }
            TermKind::Old(operand) => self.word("\\old", operand),
            TermKind::Quantified(quantification) => self.quantification(quantification),
            TermKind::Fresh(operand) => self.word("\\fresh", operand),
            TermKind::NonNullElements(operand) => self.word("\\nonnullelements", operand),
            TermKind::TypeOf(operand) => self.word("\\typeof", operand),
            TermKind::ElementType(operand) => self.word("\\elemtype", operand),
            TermKind::Model { method, arguments, .. } => {
                let arguments: Vec<String> = arguments.iter().map(|a| self.term(a)).collect();
                format!("model{method}({})", arguments.join(", "))
            }
            TermKind::InvariantsOf(operand) => self.word("\\invariant_for", operand),
            TermKind::StaticInvariantsOf(class) => {
                format!("\\static_invariant_for({})", self.class(*class))
            }
            TermKind::Unchanged(locations) => self.touched("\\not_modified", locations),
            TermKind::OnlyChanged(locations) => self.touched("\\only_assigned", locations),
            TermKind::LocationSet(locations) => self.touched("\\locset", locations),
            TermKind::OfLocations(op, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                format!("{op:?}({left}, {right})")
            }
            TermKind::OnlyRead(locations) => self.touched("\\only_accessed", locations),
            TermKind::OnlyCalled(methods) => {
                let names: Vec<&str> =
                    methods.iter().map(|m| &*self.program.method(*m).name).collect();
                format!("\\only_called({})", names.join(", "))
            }
            _ => self.relation(term),
        }
    }

    fn touched(&mut self, word: &str, locations: &[Location]) -> String {
        let locations: Vec<String> = locations.iter().map(|l| self.location(l)).collect();
        format!("{word}({})", locations.join(", "))
    }

    /// Terms about relations.
    fn relation(&mut self, term: &Term) -> String {
        match &term.kind {
            TermKind::Set(operand) => format!("{{{}}}", self.term(operand)),
            TermKind::Scalar(operand) => self.word("scalar", operand),
            TermKind::Objects(class) => self.class(*class),
            TermKind::Universe => "univ".into(),
            TermKind::Identity => "iden".into(),
            TermKind::Empty => "none".into(),
            TermKind::Relation(field) => self.qualified(*field),
            TermKind::Elements(class) => format!("{}.elements", self.class(*class)),
            TermKind::Reach { from, class, fields } => {
                let mut parts = vec![self.term(from)];
                parts.extend(class.map(|class| self.class(class)));
                if !fields.is_empty() {
                    let fields: Vec<String> = fields.iter().map(|f| self.field(*f)).collect();
                    parts.push(format!("[{}]", fields.join(", ")));
                }
                format!("\\reach({})", parts.join(", "))
            }
            TermKind::Transpose(operand) => format!("~{}", self.term(operand)),
            TermKind::Closure(operand) => format!("^{}", self.term(operand)),
            TermKind::ReflexiveClosure(operand) => format!("*{}", self.term(operand)),
            TermKind::Combine(op, l, r) => self.between(l, combination(*op), r),
            TermKind::Comprehension { variables, body } => {
                let outside = self.bound.len();
                let variables = self.declare(variables).join(", ");
                let body = self.term(body);
                self.bound.truncate(outside);
                format!("{{{variables} | {body}}}")
            }
            TermKind::Let { variable, name, value, body } => {
                let value = self.term(value);
                self.bound.push((*variable, name.clone()));
                let body = self.term(body);
                self.bound.pop();
                format!("(let {name} = {value} | {body})")
            }
            TermKind::In(l, r) => self.between(l, "in", r),
            TermKind::Multiplicity(how_many, operand) => {
                let word = match how_many {
                    Multiplicity::No => "no",
                    Multiplicity::Some => "some",
                    Multiplicity::One => "one",
                    Multiplicity::Lone => "lone",
                };
                format!("({word} {})", self.term(operand))
            }
            TermKind::Cardinality(operand) => format!("#{}", self.term(operand)),
            _ => String::new(),
        }
    }

    fn location(&mut self, location: &Location) -> String {
        match location {
            Location::Field(object, field) => {
                format!("{}.{}", self.term(object), self.field(*field))
            }
            Location::Static(field) => self.qualified(*field),
            Location::Element(array, index) => {
                format!("{}[{}]", self.term(array), self.term(index))
            }
            Location::Elements(array, None) => format!("{}[*]", self.term(array)),
            Location::Elements(array, Some((first, last))) => {
                let array = self.term(array);
                format!("{array}[{}..{}]", self.term(first), self.term(last))
            }
            Location::Members(set) => self.term(set),
            Location::Fields(object) => format!("{}.*", self.term(object)),
            Location::Statics(class) => format!("{}.*", self.class(*class)),
        }
    }

    fn word(&mut self, word: &str, operand: &Term) -> String {
        format!("{word}({})", self.term(operand))
    }

    fn between(&mut self, left: &Term, symbol: &str, right: &Term) -> String {
        let left = self.term(left);
        format!("({left} {symbol} {})", self.term(right))
    }

    fn variable(&self, variable: &Variable) -> String {
        match variable {
            Variable::This => "this".into(),
            Variable::Parameter(index) => {
                let name = self.parameters.get(*index as usize);
                name.cloned().unwrap_or_else(|| format!("parameter{index}"))
            }
            Variable::Result => "\\result".into(),
            Variable::Exception => "\\exception".into(),
            Variable::Local(index) => format!("local{index}"),
            Variable::Ghost(index) => format!("ghost{index}"),
            Variable::Bound(index) => {
                let known = self.bound.iter().rev().find(|b| b.0 == *index);
                known.map_or_else(|| format!("bound{index}"), |b| b.1.clone())
            }
        }
    }

    fn call(&mut self, method: MethodId, is_virtual: bool, arguments: &[Term]) -> String {
        let declared = self.program.method(method);
        let owner = self.class(declared.class);
        let mut arguments: Vec<String> = arguments.iter().map(|a| self.term(a)).collect();
        let on = match (declared.is_static, is_virtual) {
            (true, _) => owner,
            (false, true) if !arguments.is_empty() => arguments.remove(0),
            (false, _) if !arguments.is_empty() => format!("{}.{owner}::", arguments.remove(0)),
            (false, _) => owner,
        };
        let dot = if on.ends_with("::") { "" } else { "." };
        format!("{on}{dot}{}({})", declared.name, arguments.join(", "))
    }

    fn quantification(&mut self, quantification: &Quantification) -> String {
        let outside = self.bound.len();
        let variables = self.declare(&quantification.variables).join(", ");
        let range = quantification.range.as_ref().map(|range| self.term(range) + "; ");
        let body = self.term(&quantification.body);
        self.bound.truncate(outside);
        let word = quantifier(quantification.quantifier);
        format!("({word} {variables}; {}{body})", range.unwrap_or_default())
    }

    fn declare(&mut self, variables: &[Bound]) -> Vec<String> {
        let mut declared = Vec::new();
        for variable in variables {
            let name = &variable.name;
            let mut text = match &variable.domain {
                Domain::Numbers(number) => format!("{} {name}", number_name(*number)),
                Domain::Booleans => format!("boolean {name}"),
                Domain::Objects { class, nullable: false } => {
                    format!("{} {name}", self.class(*class))
                }
                Domain::Objects { class, nullable: true } => {
                    format!("nullable {} {name}", self.class(*class))
                }
                Domain::Members(relation) => format!("{name}: {}", self.term(relation)),
                Domain::Everything => name.clone(),
            };
            for other in &variable.apart {
                let other = self.variable(&Variable::Bound(*other));
                text.push_str(&format!(" != {other}"));
            }
            declared.push(text);
            self.bound.push((variable.number, name.clone()));
        }
        declared
    }

    fn ty(&self, ty: Type) -> String {
        ir::program::simple(self.program.type_name(ty)).to_string()
    }

    fn class(&self, class: ClassId) -> String {
        ir::program::simple(self.program.class_name(class)).to_string()
    }

    fn field(&self, field: FieldId) -> String {
        self.program.field(field).name.clone()
    }

    fn qualified(&self, field: FieldId) -> String {
        format!("{}.{}", self.class(self.program.field(field).class), self.field(field))
    }
}

fn number(value: i64, sort: &Sort) -> String {
    match sort {
        Sort::Number(Number::Float) => {
            let bits = u32::try_from(value & 0xffff_ffff).unwrap_or_default();
            format!("{:?}f", f32::from_bits(bits))
        }
        Sort::Number(Number::Double) => format!("{:?}", f64::from_bits(value.cast_unsigned())),
        Sort::Number(Number::Long) => format!("{value}L"),
        Sort::Number(Number::Char) => {
            let unit = u32::try_from(value).ok().and_then(char::from_u32);
            unit.map_or_else(|| value.to_string(), |unit| format!("{unit:?}"))
        }
        _ => value.to_string(),
    }
}

fn number_name(number: Number) -> &'static str {
    match number {
        Number::Byte => "byte",
        Number::Short => "short",
        Number::Char => "char",
        Number::Int => "int",
        Number::Long => "long",
        Number::Float => "float",
        Number::Double => "double",
        Number::Big => "\\bigint",
    }
}

fn arithmetic(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Remainder => "%",
        Arithmetic::And => "&",
        Arithmetic::Or => "|",
        Arithmetic::Xor => "^",
        Arithmetic::ShiftLeft => "<<",
        Arithmetic::ShiftRight => ">>",
        Arithmetic::ShiftRightUnsigned => ">>>",
    }
}

fn comparison(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}

fn connective(op: Connective) -> &'static str {
    match op {
        Connective::And => "&&",
        Connective::Or => "||",
        Connective::Implies => "==>",
        Connective::Iff => "<==>",
        Connective::BothAnd => "&",
        Connective::BothOr => "|",
        Connective::Differ => "<=!=>",
    }
}

fn combination(op: Combination) -> &'static str {
    match op {
        Combination::Union => "+",
        Combination::Difference => "-",
        Combination::Intersection => "&",
        Combination::Product => "->",
        Combination::Join => ".",
        Combination::DomainRestriction => "<:",
        Combination::RangeRestriction => ":>",
        Combination::Override => "++",
    }
}

fn quantifier(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::All => "\\forall",
        Quantifier::Exists => "\\exists",
        Quantifier::No => "no",
        Quantifier::One => "one",
        Quantifier::Lone => "lone",
        Quantifier::Count => "\\num_of",
        Quantifier::Sum => "\\sum",
        Quantifier::Product => "\\product",
        Quantifier::Min => "\\min",
        Quantifier::Max => "\\max",
    }
}
