//! A violated clause of JML as a condition in Java, where Java can say it.
//!
//! Values before the call (`\old`) become variables that are set before it; quantifiers over a
//! range of numbers become streams. Anything else that Java has no word for gives up: then the
//! test compares ends instead.

use encode::execution::Datum;
use ir::{Method, Type};
use spec::jml::ast::{BinaryOp, Expr, ExprKind, Literal, Quantified, Quantifier, UnaryOp};
use verify::{Property, ViolatedClause, Violation};

use super::access::{Access, package_of};
use super::build::Builder;
use super::values::primitive;

/// A clause in Java.
pub(super) struct Checked {
    /// Statements that belong before the call.
    pub before: Vec<String>,
    pub condition: String,
    pub reads_result: bool,
}

/// An expression and its type; none for `null`.
type Typed = (String, Option<Type>);

struct Translator<'t, 'a, 'p> {
    builder: &'t mut Builder<'a, 'p>,
    access: Access<'p>,
    violation: &'t Violation,
    method: &'p Method,
    this: Option<(String, String)>,
    /// Quantified variables and their names in Java.
    bound: Vec<(String, String)>,
    before: Vec<String>,
    in_old: bool,
    reads_result: bool,
}

pub(super) fn translate(
    violation: &Violation,
    clause: &ViolatedClause,
    method: &Method,
    builder: &mut Builder<'_, '_>,
) -> Option<Checked> {
    // A clause without a value has none in Java either, but an exception says that badly.
    if clause.note.is_some() {
        return None;
    }
    let access = builder.values.access;
    let keyword = match violation.property {
        Property::Ensures => "ensures",
        Property::Invariant => "invariant",
        _ => return None,
    };
    let text = clause.text.trim().strip_prefix(keyword)?.trim().trim_end_matches(';');
    let expression = spec::parse_expression(text).ok()?;
    let this = match (violation.property, clause.witness.iter().find(|w| w.0 == "this")) {
        (Property::Invariant, Some((_, witness))) => Some(*witness),
        _ => violation.execution.receiver.filter(|_| violation.execution.method != "<init>"),
    };
    let is_constructor = violation.execution.method == "<init>";
    let this = match this.or(violation.execution.receiver) {
        // What a constructor has made is what the test calls its result.
        this if is_constructor && this == violation.execution.receiver => {
            let class = &violation.execution.class;
            access.name(class)?;
            Some(("result".to_string(), class.clone()))
        }
        Some(Datum::Object(index)) => {
            let object = builder.values.objects.get(index)?;
            access.name(&object.class)?;
            Some((builder.values.variables.get(&index)?.clone(), object.class.clone()))
        }
        _ => None,
    };
    let method = access.program.method(method.id);
    let mut translator = Translator {
        builder,
        access,
        violation,
        method,
        this,
        bound: Vec::new(),
        before: Vec::new(),
        in_old: false,
        reads_result: false,
    };
    let (condition, ty) = translator.expression(&expression)?;
    let Translator { before, reads_result, .. } = translator;
    let reads_result = reads_result || is_constructor;
    let condition = without_parentheses(&condition).to_string();
    (ty == Some(Type::Boolean)).then_some(Checked { before, condition, reads_result })
}

impl Translator<'_, '_, '_> {
    fn expression(&mut self, expr: &Expr) -> Option<Typed> {
        match &expr.kind {
            ExprKind::Literal(literal) => literal_text(literal),
            ExprKind::Name(name) => self.name(name),
            // Before it is made there is nothing to look at.
            ExprKind::This if self.in_old && &*self.method.name == "<init>" => None,
            ExprKind::This => {
                let (text, class) = self.this.clone()?;
                Some((text, Some(self.class_type(&class))))
            }
            ExprKind::Result if !self.in_old => {
                self.reads_result = true;
                let ty = self.method.result.filter(|_| !self.method.returns_generic)?;
                self.access.type_name(ty)?;
                Some(("result".into(), Some(ty)))
            }
            ExprKind::Field(of, name) => self.field(of, &name.name),
            ExprKind::Index(array, index) => {
                let (array, ty) = self.expression(array)?;
                let (index, _) = self.expression(index)?;
                let class = self.access.program.class(ty?.class()?).ok()?;
                Some((format!("{array}[{index}]"), Some(class.element?)))
            }
            ExprKind::Call { receiver, method, arguments } => {
                self.call(receiver.as_deref(), &method.name, arguments)
            }
            ExprKind::Unary(op, inner) => self.unary(*op, inner),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Conditional(test, yes, no) => {
                let (test, _) = self.expression(test)?;
                let (yes, ty) = self.expression(yes)?;
                let (no, other) = self.expression(no)?;
                Some((format!("({test} ? {yes} : {no})"), ty.or(other)))
            }
            ExprKind::Old(inner) => self.old(inner),
            ExprKind::Quantified(quantified) => self.quantified(quantified),
            ExprKind::Result
            | ExprKind::Super
            | ExprKind::Cast(..)
            | ExprKind::InstanceOf(..)
            | ExprKind::Fresh(_)
            | ExprKind::NonNullElements(_)
            | ExprKind::TypeOf(_)
            | ExprKind::Type(_)
            | ExprKind::ElemType(_)
            | ExprKind::Reach { .. }
            | ExprKind::BoundedSum(_)
            | ExprKind::InvariantFor(_)
            | ExprKind::StaticInvariantFor(_)
            | ExprKind::Count
            | ExprKind::Touched(..)
            | ExprKind::LocationSet(_)
            | ExprKind::OfLocations(..)
            | ExprKind::OnlyCalled(_)
            | ExprKind::Unsupported(_) => None,
        }
    }

    fn class_type(&self, class: &str) -> Type {
        Type::Ref(self.access.program.class_id(class))
    }

    fn name(&mut self, name: &str) -> Option<Typed> {
        if let Some((_, java)) = self.bound.iter().rev().find(|b| b.0 == name) {
            return Some((java.clone(), Some(Type::Int)));
        }
        let arguments = &self.violation.execution.arguments;
        if let Some(at) = arguments.iter().position(|a| a.0 == name) {
            let value = arguments[at].1;
            let text = match value {
                Datum::Object(_) => self.builder.values.expression(value),
                Datum::Null => {
                    let ty = self.method.params.get(at).and_then(|ty| self.access.type_name(*ty));
                    format!("(({}) null)", ty?)
                }
                _ => primitive(value),
            };
            // Reading `new String(…)` again would make another object.
            let is_fresh = text.starts_with("new ");
            return (!is_fresh).then_some((text, self.method.params.get(at).copied()));
        }
        let class = self.violation.execution.class.clone();
        let is_made = !self.in_old || &*self.method.name != "<init>";
        match self.this.clone().filter(|_| is_made) {
            Some((text, dynamic)) => self.field_of(&text, &dynamic, name),
            None => self.static_field(&class, name),
        }
    }

    fn field(&mut self, of: &Expr, name: &str) -> Option<Typed> {
        if let ExprKind::Name(class) = &of.kind
            && self.name(class).is_none()
        {
            let package = package_of(&self.violation.execution.class);
            let own = if package.is_empty() { class.clone() } else { format!("{package}.{class}") };
            let found = [own, format!("java.lang.{class}")];
            let found = found.into_iter().find(|c| self.access.class(c).is_some())?;
            return self.static_field(&found, name);
        }
        let (text, ty) = self.expression(of)?;
        let class = self.access.program.type_name(ty?).to_string();
        if name == "length" && class.ends_with("[]") {
            return Some((format!("{text}.length"), Some(Type::Int)));
        }
        self.field_of(&text, &class, name)
    }

    fn static_field(&mut self, class: &str, name: &str) -> Option<Typed> {
        let field = self.access.field(class, name).filter(|f| f.is_static)?;
        if field.specified.is_some() || !self.access.can_read(class, name) {
            return None;
        }
        Some((format!("{}.{name}", self.access.name(class)?), Some(field.ty)))
    }

    fn field_of(&mut self, object: &str, class: &str, name: &str) -> Option<Typed> {
        let supertypes = self.access.class(class)?.supertypes();
        let owner = supertypes.iter().find_map(|s| {
            let owner = self.access.program.class_name(*s);
            self.access.field(owner, name).map(|f| (owner, f))
        });
        let (owner, field) = owner?;
        if field.specified.is_some() || field.is_generic {
            return None;
        }
        if field.is_static {
            return self.static_field(owner, name);
        }
        if self.access.can_read(owner, name) {
            return Some((format!("{object}.{name}"), Some(field.ty)));
        }
        let ty = self.access.type_name(field.ty)?;
        let read = format!("(({ty}) JarositeHeap.get({object}, \"{name}\"))");
        Some((read, Some(field.ty)))
    }

    fn call(&mut self, receiver: Option<&Expr>, name: &str, arguments: &[Expr]) -> Option<Typed> {
        let (text, class) = match receiver {
            Some(receiver) => {
                let (text, ty) = self.expression(receiver)?;
                (text, self.access.program.type_name(ty?).to_string())
            }
            None => self.this.clone()?,
        };
        let methods = self.access.methods(&class);
        let mut fitting =
            methods.iter().filter(|m| &*m.name == name && m.params.len() == arguments.len());
        let method = fitting.next()?;
        if fitting.next().is_some() {
            return None;
        }
        let result = method.result.filter(|_| !method.returns_generic)?;
        let mut written = Vec::new();
        for argument in arguments {
            written.push(self.expression(argument)?.0);
        }
        Some((format!("{text}.{name}({})", written.join(", ")), Some(result)))
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr) -> Option<Typed> {
        let (text, ty) = self.expression(inner)?;
        let sign = match op {
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
        };
        let ty = if op == UnaryOp::Not { Type::Boolean } else { promoted(ty?, Type::Int)? };
        Some((format!("{sign}({text})"), Some(ty)))
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Typed> {
        let (a, x) = self.expression(left)?;
        let (b, y) = self.expression(right)?;
        let boolean = Some(Type::Boolean);
        let is_order = matches!(
            op,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual
        );
        if is_order && x == boolean {
            // A chain of comparisons, which Java has not.
            return None;
        }
        let plain = |sign: &str| format!("({a} {sign} {b})");
        Some(match op {
            BinaryOp::And => (plain("&&"), boolean),
            BinaryOp::Or => (plain("||"), boolean),
            BinaryOp::Implies => (format!("(!({a}) || {b})"), boolean),
            BinaryOp::ImpliedBy => (format!("({a} || !({b}))"), boolean),
            BinaryOp::Iff => (plain("=="), boolean),
            BinaryOp::NotIff => (plain("!="), boolean),
            BinaryOp::Less => (plain("<"), boolean),
            BinaryOp::LessEqual => (plain("<="), boolean),
            BinaryOp::Greater => (plain(">"), boolean),
            BinaryOp::GreaterEqual => (plain(">="), boolean),
            BinaryOp::Equal => (plain("=="), boolean),
            BinaryOp::NotEqual => (plain("!="), boolean),
            BinaryOp::Multiply => (plain("*"), Some(promoted(x?, y?)?)),
            BinaryOp::Divide => (plain("/"), Some(promoted(x?, y?)?)),
            BinaryOp::Remainder => (plain("%"), Some(promoted(x?, y?)?)),
            BinaryOp::Add => (plain("+"), Some(promoted(x?, y?)?)),
            BinaryOp::Subtract => (plain("-"), Some(promoted(x?, y?)?)),
            BinaryOp::ShiftLeft => (plain("<<"), Some(promoted(x?, Type::Int)?)),
            BinaryOp::ShiftRight => (plain(">>"), Some(promoted(x?, Type::Int)?)),
            BinaryOp::ShiftRightUnsigned => (plain(">>>"), Some(promoted(x?, Type::Int)?)),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let sign = match op {
                    BinaryOp::BitAnd => "&",
                    BinaryOp::BitOr => "|",
                    _ => "^",
                };
                let both = x == boolean && y == boolean;
                (plain(sign), if both { boolean } else { Some(promoted(x?, y?)?) })
            }
            BinaryOp::Subtype => return None,
        })
    }

    /// A variable that is set before the call.
    fn old(&mut self, inner: &Expr) -> Option<Typed> {
        if self.in_old {
            return self.expression(inner);
        }
        // What depends on a quantified variable is no single value.
        let bound = std::mem::take(&mut self.bound);
        self.in_old = true;
        let found = self.expression(inner);
        self.in_old = false;
        self.bound = bound;
        let (text, ty) = found?;
        let name = self.builder.names.take("old");
        let text = without_parentheses(&text);
        self.before.push(format!("{} {name} = {text};", self.access.type_name(ty?)?));
        Some((name, ty))
    }

    fn quantified(&mut self, quantified: &Quantified) -> Option<Typed> {
        let [variable] = &quantified.variables[..] else {
            return None;
        };
        if quantified.ty.name != "int" || quantified.ty.dimensions > 0 || self.in_old {
            return None;
        }
        let (matching, joined) = match quantified.quantifier {
            Quantifier::Forall => ("allMatch", "||"),
            Quantifier::Exists => ("anyMatch", "&&"),
            _ => return None,
        };
        let java = self.builder.names.take(&variable.name);
        let mut range = Vec::new();
        let mut body = &quantified.body;
        if let Some(stated) = &quantified.range {
            conjuncts(stated, &mut range);
        } else if let (Quantifier::Forall, ExprKind::Binary(BinaryOp::Implies, stated, then)) =
            (quantified.quantifier, &body.kind)
        {
            conjuncts(stated, &mut range);
            body = then;
        }
        let (mut low, mut high) = (None, None);
        let mut others = Vec::new();
        for part in range {
            match self.bound_of(part, &variable.name) {
                Some(Bound::Low(text)) if low.is_none() => low = Some(text),
                Some(Bound::High(text)) if high.is_none() => high = Some(text),
                _ => others.push(part),
            }
        }
        let (low, high) = (low?, high?);
        self.bound.push((variable.name.clone(), java.clone()));
        let mut texts = Vec::new();
        for part in others.into_iter().chain([body]) {
            texts.push(self.expression(part)?.0);
        }
        self.bound.pop();
        let body = texts.pop()?;
        let condition = match (texts.is_empty(), quantified.quantifier) {
            (true, _) => body,
            (false, Quantifier::Forall) => format!("!({}) {joined} {body}", texts.join(" && ")),
            (false, _) => format!("{} {joined} {body}", texts.join(" && ")),
        };
        let stream = format!("IntStream.range({low}, {high}).{matching}({java} -> {condition})");
        Some((stream, Some(Type::Boolean)))
    }

    /// What a comparison with the variable says about where a range starts or ends (exclusive).
    fn bound_of(&mut self, part: &Expr, variable: &str) -> Option<Bound> {
        let ExprKind::Binary(op, left, right) = &part.kind else {
            return None;
        };
        let is_variable = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if n == variable);
        let (op, other) = match (is_variable(left), is_variable(right)) {
            (true, false) => (*op, right),
            (false, true) => {
                let turned = match op {
                    BinaryOp::Less => BinaryOp::Greater,
                    BinaryOp::LessEqual => BinaryOp::GreaterEqual,
                    BinaryOp::Greater => BinaryOp::Less,
                    BinaryOp::GreaterEqual => BinaryOp::LessEqual,
                    _ => return None,
                };
                (turned, left)
            }
            _ => return None,
        };
        let (text, ty) = self.expression(other)?;
        if !matches!(ty?, Type::Int | Type::Short | Type::Byte | Type::Char) {
            return None;
        }
        Some(match op {
            BinaryOp::Less => Bound::High(text),
            BinaryOp::LessEqual => Bound::High(format!("{text} + 1")),
            BinaryOp::Greater => Bound::Low(format!("{text} + 1")),
            BinaryOp::GreaterEqual => Bound::Low(text),
            _ => return None,
        })
    }
}

/// The text without parentheses around the whole of it.
fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0;
    for c in inner.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text;
        }
    }
    if depth == 0 { inner } else { text }
}

enum Bound {
    Low(String),
    High(String),
}

fn conjuncts<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            conjuncts(left, found);
            conjuncts(right, found);
        }
        _ => found.push(expr),
    }
}

fn literal_text(literal: &Literal) -> Option<Typed> {
    Some(match literal {
        Literal::Int(value) => (primitive(Datum::Int(*value)), Some(Type::Int)),
        Literal::Long(value) => (primitive(Datum::Long(*value)), Some(Type::Long)),
        Literal::Float(value) => (primitive(Datum::Float(value.to_bits())), Some(Type::Float)),
        Literal::Double(value) => (primitive(Datum::Double(value.to_bits())), Some(Type::Double)),
        Literal::Char(unit) => (primitive(Datum::Char(*unit)), Some(Type::Char)),
        Literal::Boolean(value) => (value.to_string(), Some(Type::Boolean)),
        Literal::Null => ("null".into(), None),
        Literal::Text(_) => return None,
    })
}

/// The type of arithmetic on two types; none for text.
fn promoted(a: Type, b: Type) -> Option<Type> {
    let rank = |ty: Type| match ty {
        Type::Byte | Type::Char | Type::Short | Type::Int => Some(0),
        Type::Long => Some(1),
        Type::Float => Some(2),
        Type::Double => Some(3),
        Type::Boolean | Type::Ref(_) => None,
    };
    let widest = rank(a)?.max(rank(b)?);
    Some([Type::Int, Type::Long, Type::Float, Type::Double][widest])
}
