//! Prints JML back in one canonical form, with no more parentheses than precedence needs. Parsing
//! what is printed gives the same tree.

use std::fmt::{self, Display, Formatter, Write};

use crate::jml::ast::{
    BinaryOp, BoundedSum, Callees, Expr, ExprKind, Frame, Literal, LocationsOp, MethodRef,
    Nullness, Quantified, Quantifier, StoreRef, StoreRefKind, Touching, TypeName, UnaryOp,
};

/// How tightly an expression holds together; the operators of Java are between `OR` and `UNARY`.
const CONDITIONAL: u8 = 0;
const EQUIVALENCE: u8 = 1;
const IMPLICATION: u8 = 2;
const OR: u8 = 3;
const RELATIONAL: u8 = 9;
const UNARY: u8 = 13;
const POSTFIX: u8 = 14;

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print(f, self, CONDITIONAL)
    }
}

/// Prints an expression where one that holds together at least so tightly may stand.
fn print(f: &mut Formatter<'_>, e: &Expr, least: u8) -> fmt::Result {
    if level(&e.kind) >= least {
        return print_kind(f, &e.kind);
    }
    f.write_char('(')?;
    print_kind(f, &e.kind)?;
    f.write_char(')')
}

fn level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Conditional(..) => CONDITIONAL,
        ExprKind::Binary(op, ..) => op.level(),
        ExprKind::InstanceOf(..) => RELATIONAL,
        ExprKind::Unary(..) | ExprKind::Cast(..) => UNARY,
        _ => POSTFIX,
    }
}

fn print_kind(f: &mut Formatter<'_>, kind: &ExprKind) -> fmt::Result {
    match kind {
        ExprKind::Literal(literal) => literal.fmt(f),
        ExprKind::Name(name) => f.write_str(name),
        ExprKind::This => f.write_str("this"),
        ExprKind::Super => f.write_str("super"),
        ExprKind::Result => f.write_str("\\result"),
        ExprKind::Field(of, field) => {
            print_operand(f, of)?;
            write!(f, ".{}", field.name)
        }
        ExprKind::Index(array, index) => {
            print_operand(f, array)?;
            write!(f, "[{index}]")
        }
        ExprKind::Call { receiver, method, arguments } => {
            if let Some(receiver) = receiver {
                print_operand(f, receiver)?;
                f.write_char('.')?;
            }
            write!(f, "{}({})", method.name, List(arguments))
        }
        ExprKind::Cast(ty, operand) => {
            write!(f, "({ty}) ")?;
            print_cast_operand(f, operand)
        }
        ExprKind::InstanceOf(operand, ty) => {
            print(f, operand, RELATIONAL)?;
            write!(f, " instanceof {ty}")
        }
        ExprKind::Unary(op, operand) => print_unary(f, *op, operand),
        ExprKind::Binary(op, left, right) => print_binary(f, *op, left, right),
        ExprKind::Conditional(condition, then, otherwise) => {
            print(f, condition, EQUIVALENCE)?;
            write!(f, " ? {then} : {otherwise}")
        }
        ExprKind::Old(e) => write!(f, "\\old({e})"),
        ExprKind::Quantified(quantified) => quantified.fmt(f),
        ExprKind::Fresh(objects) => write!(f, "\\fresh({})", List(objects)),
        ExprKind::NonNullElements(e) => write!(f, "\\nonnullelements({e})"),
        ExprKind::TypeOf(e) => write!(f, "\\typeof({e})"),
        ExprKind::Type(ty) => write!(f, "\\type({ty})"),
        ExprKind::ElemType(e) => write!(f, "\\elemtype({e})"),
        ExprKind::Reach { from, class, fields } => print_reach(f, from, class.as_ref(), fields),
        ExprKind::BoundedSum(sum) => {
            let BoundedSum { ty, variable, from, to, body } = &**sum;
            write!(f, "(\\bsum {ty} {}; {from}; {to}; {body})", variable.name)
        }
        ExprKind::InvariantFor(e) => write!(f, "\\invariant_for({e})"),
        ExprKind::StaticInvariantFor(ty) => write!(f, "\\static_invariant_for({ty})"),
        ExprKind::Count => f.write_str("\\count"),
        ExprKind::Touched(touching, locations) => write!(f, "{}({locations})", touching.text()),
        ExprKind::LocationSet(locations) if locations.is_empty() => f.write_str("\\empty"),
        ExprKind::LocationSet(locations) => write!(f, "\\locset({})", List(locations)),
        ExprKind::OfLocations(op, left, right) => write!(f, "{}({left}, {right})", op.text()),
        ExprKind::OnlyCalled(callees) => write!(f, "\\only_called({callees})"),
        ExprKind::Unsupported(what) => write!(f, "(* {what} *)"),
    }
}

impl LocationsOp {
    /// The word with its backslash.
    pub fn text(self) -> &'static str {
        match self {
            LocationsOp::Union => "\\set_union",
            LocationsOp::Intersection => "\\intersect",
            LocationsOp::Difference => "\\set_minus",
            LocationsOp::Subset => "\\subset",
            LocationsOp::Disjoint => "\\disjoint",
        }
    }
}

impl Touching {
    /// The word with its backslash.
    pub fn text(self) -> &'static str {
        match self {
            Touching::NotModified => "\\not_modified",
            Touching::NotAssigned => "\\not_assigned",
            Touching::OnlyAssigned => "\\only_assigned",
            Touching::OnlyAccessed => "\\only_accessed",
        }
    }
}

impl Display for Callees {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Callees::Everything => f.write_str("\\everything"),
            Callees::NotSpecified => f.write_str("\\not_specified"),
            Callees::Methods(methods) if methods.is_empty() => f.write_str("\\nothing"),
            Callees::Methods(methods) => List(methods).fmt(f),
        }
    }
}

impl Display for MethodRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.path.iter().map(|name| name.name.as_str()).collect();
        f.write_str(&names.join("."))?;
        match &self.parameters {
            Some(parameters) => write!(f, "({})", List(parameters)),
            None => Ok(()),
        }
    }
}

/// What a selection follows; `1.f` would be a number.
fn print_operand(f: &mut Formatter<'_>, e: &Expr) -> fmt::Result {
    match e.kind {
        ExprKind::Literal(_) => write!(f, "({e})"),
        _ => print(f, e, POSTFIX),
    }
}

/// `(T) -x` would subtract.
fn print_cast_operand(f: &mut Formatter<'_>, e: &Expr) -> fmt::Result {
    match e.kind {
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, _) => write!(f, "({e})"),
        _ => print(f, e, UNARY),
    }
}

/// `--x` would be another operator.
fn print_unary(f: &mut Formatter<'_>, op: UnaryOp, operand: &Expr) -> fmt::Result {
    f.write_str(op.text())?;
    match operand.kind {
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, _) => write!(f, "({operand})"),
        _ => print(f, operand, UNARY),
    }
}

fn print_binary(f: &mut Formatter<'_>, op: BinaryOp, left: &Expr, right: &Expr) -> fmt::Result {
    let level = op.level();
    let (left_least, right_least) = match op {
        BinaryOp::Implies => (level + 1, implied_level(right)),
        BinaryOp::ImpliedBy => (implying_level(left), level + 1),
        // `x instanceof T < y` would begin type arguments.
        BinaryOp::Less if matches!(left.kind, ExprKind::InstanceOf(..)) => (level + 1, level + 1),
        _ => (level, level + 1),
    };
    print(f, left, left_least)?;
    write!(f, " {} ", op.text())?;
    print(f, right, right_least)
}

/// `==>` and `<==` do not chain with each other.
fn implied_level(right: &Expr) -> u8 {
    match right.kind {
        ExprKind::Binary(BinaryOp::ImpliedBy, ..) => OR,
        _ => IMPLICATION,
    }
}

fn implying_level(left: &Expr) -> u8 {
    match left.kind {
        ExprKind::Binary(BinaryOp::Implies, ..) => OR,
        _ => IMPLICATION,
    }
}

fn print_reach(
    f: &mut Formatter<'_>,
    from: &Expr,
    class: Option<&TypeName>,
    fields: &[Expr],
) -> fmt::Result {
    write!(f, "\\reach({from}")?;
    if let Some(class) = class {
        write!(f, ", {class}")?;
    }
    if !fields.is_empty() {
        write!(f, ", [{}]", List(fields))?;
    }
    f.write_char(')')
}

/// Things with commas between them.
struct List<'l, T>(&'l [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}

impl Display for Quantified {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({} ", self.quantifier.text())?;
        match self.nullness {
            Some(Nullness::Nullable) => f.write_str("nullable ")?,
            Some(Nullness::NonNull) => f.write_str("non_null ")?,
            None => {}
        }
        let names: Vec<&str> = self.variables.iter().map(|v| v.name.as_str()).collect();
        write!(f, "{} {}; ", self.ty, names.join(", "))?;
        if let Some(range) = &self.range {
            write!(f, "{range}; ")?;
        }
        write!(f, "{})", self.body)
    }
}

impl Display for TypeName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.arguments.is_empty() {
            write!(f, "<{}>", List(&self.arguments))?;
        }
        f.write_str(&"[]".repeat(self.dimensions))
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Int(value) if *value < 0 => write!(f, "{value:#x}"),
            Literal::Int(value) => write!(f, "{value}"),
            Literal::Long(value) if *value < 0 => write!(f, "{value:#x}L"),
            Literal::Long(value) => write!(f, "{value}L"),
            Literal::Float(value) => write!(f, "{value:?}f"),
            Literal::Double(value) => write!(f, "{value:?}"),
            Literal::Char(unit) => {
                f.write_char('\'')?;
                print_unit(f, *unit)?;
                f.write_char('\'')
            }
            Literal::Text(text) => {
                f.write_char('"')?;
                text.encode_utf16().try_for_each(|unit| print_unit(f, unit))?;
                f.write_char('"')
            }
            Literal::Boolean(value) => write!(f, "{value}"),
            Literal::Null => f.write_str("null"),
        }
    }
}

/// Visible ASCII as it is, the rest as escapes.
fn print_unit(f: &mut Formatter<'_>, unit: u16) -> fmt::Result {
    match u8::try_from(unit) {
        Ok(b'\n') => f.write_str("\\n"),
        Ok(b'\t') => f.write_str("\\t"),
        Ok(b @ (b'\'' | b'"' | b'\\')) => write!(f, "\\{}", b as char),
        Ok(b @ b' '..=b'~') => f.write_char(b as char),
        _ => write!(f, "\\u{unit:04x}"),
    }
}

impl Quantifier {
    /// The keyword with its backslash.
    pub fn text(self) -> &'static str {
        match self {
            Quantifier::Forall => "\\forall",
            Quantifier::Exists => "\\exists",
            Quantifier::NumOf => "\\num_of",
            Quantifier::Sum => "\\sum",
            Quantifier::Product => "\\product",
            Quantifier::Min => "\\min",
            Quantifier::Max => "\\max",
        }
    }
}

impl UnaryOp {
    /// The symbol.
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
        }
    }
}

impl BinaryOp {
    /// The symbol.
    pub fn text(self) -> &'static str {
        self.row().0
    }

    fn level(self) -> u8 {
        self.row().1
    }

    fn row(self) -> (&'static str, u8) {
        match self {
            BinaryOp::Iff => ("<==>", EQUIVALENCE),
            BinaryOp::NotIff => ("<=!=>", EQUIVALENCE),
            BinaryOp::Implies => ("==>", IMPLICATION),
            BinaryOp::ImpliedBy => ("<==", IMPLICATION),
            BinaryOp::Or => ("||", OR),
            BinaryOp::And => ("&&", 4),
            BinaryOp::BitOr => ("|", 5),
            BinaryOp::BitXor => ("^", 6),
            BinaryOp::BitAnd => ("&", 7),
            BinaryOp::Equal => ("==", 8),
            BinaryOp::NotEqual => ("!=", 8),
            BinaryOp::Less => ("<", RELATIONAL),
            BinaryOp::LessEqual => ("<=", RELATIONAL),
            BinaryOp::Greater => (">", RELATIONAL),
            BinaryOp::GreaterEqual => (">=", RELATIONAL),
            BinaryOp::Subtype => ("<:", RELATIONAL),
            BinaryOp::ShiftLeft => ("<<", 10),
            BinaryOp::ShiftRight => (">>", 10),
            BinaryOp::ShiftRightUnsigned => (">>>", 10),
            BinaryOp::Add => ("+", 11),
            BinaryOp::Subtract => ("-", 11),
            BinaryOp::Multiply => ("*", 12),
            BinaryOp::Divide => ("/", 12),
            BinaryOp::Remainder => ("%", 12),
        }
    }
}

impl Display for Frame {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Frame::Nothing => f.write_str("\\nothing"),
            Frame::StrictlyNothing => f.write_str("\\strictly_nothing"),
            Frame::Everything => f.write_str("\\everything"),
            Frame::NotSpecified => f.write_str("\\not_specified"),
            Frame::Locations(locations) => List(locations).fmt(f),
        }
    }
}

impl Display for StoreRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StoreRefKind::Location(e) => e.fmt(f),
            StoreRefKind::Elements(array) => {
                print_operand(f, array)?;
                f.write_str("[*]")
            }
            StoreRefKind::Range { array, first, last } => {
                print_operand(f, array)?;
                write!(f, "[{first}..{last}]")
            }
            StoreRefKind::Fields(of) => {
                print_operand(f, of)?;
                f.write_str(".*")
            }
            StoreRefKind::Unsupported(what) => write!(f, "(* {what} *)"),
        }
    }
}
