//! Random JML conditions: what they are, how they are written, and which there are.

use super::is_known;
use super::world::Class;
use crate::generate::random::Random;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Truth,
    Int,
    Long,
    Ref(Class),
}

/// The numbers that a variable can range over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Byte,
    Char,
    Int,
    Long,
}

impl Width {
    pub fn name(self) -> &'static str {
        match self {
            Width::Byte => "byte",
            Width::Char => "char",
            Width::Int => "int",
            Width::Long => "long",
        }
    }

    pub fn range(self) -> (i64, i64) {
        match self {
            Width::Byte => (i8::MIN.into(), i8::MAX.into()),
            Width::Char => (0, u16::MAX.into()),
            Width::Int => (i32::MIN.into(), i32::MAX.into()),
            Width::Long => (i64::MIN, i64::MAX),
        }
    }

    fn computed(self) -> Type {
        if self == Width::Long { Type::Long } else { Type::Int }
    }
}

/// What the variables of a quantifier range over.
#[derive(Clone, Debug)]
pub enum Domain {
    /// From one number to another; whether each of them is left out.
    Numbers {
        width: Width,
        low: (Box<Expr>, bool),
        high: (Box<Expr>, bool),
    },
    /// All ints: only the body says which matter.
    Unbounded,
    Truths,
    Objects {
        class: Class,
        nullable: bool,
    },
}

#[derive(Clone, Debug)]
pub struct Reach {
    pub from: Box<Expr>,
    pub class: Option<Class>,
    pub fields: Vec<&'static str>,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    Truth(bool),
    Int(i32),
    Long(i64),
    Null,
    Name(String),
    Field(Box<Expr>, &'static str),
    Length(Box<Expr>),
    Element(Box<Expr>, Box<Expr>),
    Cast(&'static str, Box<Expr>),
    InstanceOf(Box<Expr>, Class),
    HasType(Box<Expr>, Class),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Old(Box<Expr>),
    Quantified {
        quantifier: &'static str,
        variable: String,
        domain: Domain,
        range: Option<Box<Expr>>,
        body: Box<Expr>,
    },
    Fresh(Box<Expr>),
    NonNullElements(Box<Expr>),
    Has(Reach, Box<Expr>),
    Size(Reach),
    SameReach(Reach, Reach),
}

impl Reach {
    fn text(&self) -> String {
        let mut text = format!("\\reach({}", self.from.text());
        if let Some(class) = self.class {
            text.push_str(&format!(", {}", class.name()));
        }
        if !self.fields.is_empty() {
            text.push_str(&format!(", {}", self.fields.join(", ")));
        }
        text + ")"
    }
}

impl Expr {
    /// The expression as it is written.
    pub fn text(&self) -> String {
        match self {
            Expr::Truth(b) => b.to_string(),
            Expr::Int(n) if *n < 0 => format!("({n})"),
            Expr::Int(n) => n.to_string(),
            Expr::Long(n) if *n < 0 => format!("({n}L)"),
            Expr::Long(n) => format!("{n}L"),
            Expr::Null => "null".into(),
            Expr::Name(name) => name.clone(),
            Expr::Field(of, field) => format!("{}.{field}", of.text()),
            Expr::Length(of) => format!("{}.length", of.text()),
            Expr::Element(array, index) => format!("{}[{}]", array.text(), index.text()),
            Expr::Cast(ty, of) => format!("(({ty}) {})", of.text()),
            Expr::InstanceOf(of, class) => format!("({} instanceof {})", of.text(), class.name()),
            Expr::HasType(of, class) => {
                format!("(\\typeof({}) == \\type({}))", of.text(), class.name())
            }
            Expr::Unary(op, of) => format!("({op}{})", of.text()),
            Expr::Binary(op, left, right) => format!("({} {op} {})", left.text(), right.text()),
            Expr::Conditional(c, a, b) => format!("({} ? {} : {})", c.text(), a.text(), b.text()),
            Expr::Old(of) => format!("\\old({})", of.text()),
            Expr::Quantified { quantifier, variable: v, domain, range, body } => {
                let (ty, bounds) = match domain {
                    Domain::Numbers { width, low, high } => {
                        let op = |strict: bool| if strict { "<" } else { "<=" };
                        let (from, to) = (low.0.text(), high.0.text());
                        let bounds = format!("{from} {} {v} && {v} {} {to}", op(low.1), op(high.1));
                        (width.name().to_string(), Some(bounds))
                    }
                    Domain::Unbounded => ("int".into(), None),
                    Domain::Truths => ("boolean".into(), None),
                    Domain::Objects { class, nullable } => {
                        let nullable = if *nullable { "nullable " } else { "" };
                        (format!("{nullable}{}", class.name()), None)
                    }
                };
                let range = range.as_ref().map(|r| r.text());
                let range = match (bounds, range) {
                    (Some(b), Some(r)) => format!("{b} && {r}; "),
                    (Some(r), None) | (None, Some(r)) => format!("{r}; "),
                    (None, None) => String::new(),
                };
                format!("({quantifier} {ty} {v}; {range}{})", body.text())
            }
            Expr::Fresh(of) => format!("\\fresh({})", of.text()),
            Expr::NonNullElements(of) => format!("\\nonnullelements({})", of.text()),
            Expr::Has(reach, of) => format!("{}.has({})", reach.text(), of.text()),
            Expr::Size(reach) => format!("{}.int_size()", reach.text()),
            Expr::SameReach(a, b) => format!("({} == {})", a.text(), b.text()),
        }
    }

    /// The parts that are conditions without free variables.
    pub fn parts(&self) -> Vec<Expr> {
        match self {
            Expr::Unary("!", of) => vec![(**of).clone()],
            Expr::Binary("&&" | "||" | "==>" | "<==>" | "<=!=>" | "&" | "|" | "^", a, b) => {
                vec![(**a).clone(), (**b).clone()]
            }
            Expr::Binary(op @ ("<" | "<=" | ">" | ">=" | "=="), a, b) => {
                let operand = |e: &Expr, other: &Expr| match e {
                    Expr::Binary("+" | "-" | "*" | "/" | "%" | "<<" | ">>" | ">>>", x, y) => {
                        let with = |e: &Expr| {
                            Expr::Binary(op, Box::new(e.clone()), Box::new(other.clone()))
                        };
                        vec![with(x), with(y)]
                    }
                    _ => Vec::new(),
                };
                let mut found = operand(a, b);
                found.extend(operand(b, a));
                found
            }
            Expr::Conditional(c, a, b) => [c, a, b].into_iter().map(|e| (**e).clone()).collect(),
            Expr::Old(of) => of.parts().into_iter().map(|p| Expr::Old(Box::new(p))).collect(),
            Expr::Quantified { quantifier, variable, domain, range, body } => {
                let again = |range: Option<Box<Expr>>, body: Expr| Expr::Quantified {
                    quantifier,
                    variable: variable.clone(),
                    domain: domain.clone(),
                    range,
                    body: Box::new(body),
                };
                let mut found: Vec<Expr> =
                    body.parts().into_iter().map(|b| again(range.clone(), b)).collect();
                if range.is_some() {
                    found.push(again(None, (**body).clone()));
                }
                found
            }
            _ => Vec::new(),
        }
    }
}

/// Makes random expressions.
pub struct Maker<'r> {
    pub random: &'r mut Random,
    /// Variables in force.
    bound: Vec<(String, Type)>,
    next: usize,
    in_old: bool,
}

type Boxed = Box<Expr>;

impl Maker<'_> {
    /// A condition.
    pub fn make(random: &mut Random, depth: usize) -> Expr {
        let mut maker = Maker { random, bound: Vec::new(), next: 0, in_old: false };
        maker.truth(depth)
    }

    fn binary(&mut self, op: &'static str, ty: Type, depth: usize) -> Expr {
        let (a, b) = (self.of(ty, depth), self.of(ty, depth));
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    fn of(&mut self, ty: Type, depth: usize) -> Expr {
        match ty {
            Type::Truth => self.truth(depth),
            Type::Int => self.int(depth),
            Type::Long => self.long(depth),
            Type::Ref(class) => self.reference(class, depth),
        }
    }

    fn boxed(&mut self, ty: Type, depth: usize) -> Boxed {
        Box::new(self.of(ty, depth))
    }

    fn named(&mut self, ty: Type) -> Option<Expr> {
        let known: Vec<&(String, Type)> = self.bound.iter().filter(|b| b.1 == ty).collect();
        if known.is_empty() {
            return None;
        }
        Some(Expr::Name(known[self.random.below(known.len())].0.clone()))
    }

    fn truth(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return match self.random.below(8) {
                0 => Expr::Truth(self.random.one_in(2)),
                1 | 2 => self.binary("==", Type::Ref(Class::Node), 0),
                3 => {
                    let found = self.named(Type::Truth);
                    found.unwrap_or_else(|| self.binary("!=", Type::Ref(Class::Root), 0))
                }
                4 => Expr::Field(self.boxed(Type::Ref(Class::Node), 0), "mark"),
                _ => {
                    let op = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                    self.binary(op, Type::Int, 0)
                }
            };
        }
        let depth = depth - 1;
        match self.random.below(28) {
            0..=2 => self.binary("&&", Type::Truth, depth),
            3 | 4 => self.binary("||", Type::Truth, depth),
            5 | 6 => self.binary("==>", Type::Truth, depth),
            7 => {
                let op = *self.random.pick(&["<==>", "<=!=>", "&", "|", "^", "==", "!="]);
                self.binary(op, Type::Truth, depth)
            }
            8 => Expr::Unary("!", self.boxed(Type::Truth, depth)),
            9..=11 => {
                let op = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let ty = *self.random.pick(&[Type::Int, Type::Int, Type::Long]);
                self.binary(op, ty, depth)
            }
            12 | 13 => {
                let class = *self.random.pick(&[Class::Node, Class::Node, Class::Root]);
                let op = *self.random.pick(&["==", "!="]);
                self.binary(op, Type::Ref(class), depth)
            }
            14 => self.guarded(depth),
            15 => {
                let class = *self.random.pick(&[Class::Leaf, Class::Node]);
                Expr::InstanceOf(self.boxed(Type::Ref(Class::Node), depth), class)
            }
            16 => self.conditional(Type::Truth, depth),
            17 if !self.in_old => Expr::Fresh(self.boxed(Type::Ref(Class::Node), depth)),
            18 => {
                let reach = self.reach(depth);
                Expr::Has(reach, self.boxed(Type::Ref(Class::Node), depth))
            }
            19 => Expr::SameReach(self.reach(depth), self.reach(depth)),
            20 => {
                let class = *self.random.pick(&[Class::Leaf, Class::Node]);
                Expr::HasType(self.boxed(Type::Ref(Class::Node), depth), class)
            }
            21 => Expr::NonNullElements(self.boxed(Type::Ref(Class::Nodes), depth)),
            22 if !self.in_old => self.old(Type::Truth, depth),
            23 if !is_known("a quantifier over numbers without a range") => self.unbounded(),
            24..=27 => self.quantified(depth),
            _ => Expr::Field(self.boxed(Type::Ref(Class::Node), depth), "mark"),
        }
    }

    /// A field behind a check that its object is not null.
    fn guarded(&mut self, depth: usize) -> Expr {
        let object = self.boxed(Type::Ref(Class::Node), depth);
        let field = Expr::Field(object.clone(), "val");
        let there = Expr::Binary("!=", object.clone(), Box::new(Expr::Null));
        let missing = Expr::Binary("==", object, Box::new(Expr::Null));
        let op = *self.random.pick(&["<", "==", ">="]);
        let test = Expr::Binary(op, Box::new(field), self.boxed(Type::Int, 0));
        let (there, missing, test) = (Box::new(there), Box::new(missing), Box::new(test));
        match self.random.below(4) {
            0 => Expr::Binary("&&", there, test),
            1 => Expr::Binary("||", missing, test),
            2 => Expr::Binary("==>", there, test),
            _ => Expr::Conditional(missing, Box::new(Expr::Truth(true)), test),
        }
    }

    fn conditional(&mut self, ty: Type, depth: usize) -> Expr {
        let condition = self.boxed(Type::Truth, depth);
        Expr::Conditional(condition, self.boxed(ty, depth), self.boxed(ty, depth))
    }

    fn old(&mut self, ty: Type, depth: usize) -> Expr {
        self.in_old = true;
        let inside = self.boxed(ty, depth);
        self.in_old = false;
        Expr::Old(inside)
    }

    fn int(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return match self.random.below(6) {
                0 => Expr::Name("k".into()),
                1 => Expr::Int(*self.random.pick(&[i32::MIN, i32::MAX, -1, 1 << 30])),
                2 | 3 => {
                    let found = self.named(Type::Int);
                    found.unwrap_or_else(|| Expr::Int(self.random.below(5) as i32 - 1))
                }
                4 => Expr::Field(self.boxed(Type::Ref(Class::Node), 0), "val"),
                _ => Expr::Int(self.random.below(4) as i32),
            };
        }
        let depth = depth - 1;
        match self.random.below(16) {
            0..=2 => {
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                self.binary(op, Type::Int, depth)
            }
            3 => {
                let op = *self.random.pick(&["/", "%"]);
                let divisor = Expr::Int(*self.random.pick(&[0, 1, -1, 2, 3, -7]));
                let a = self.boxed(Type::Int, depth);
                let zero = self.random.one_in(3);
                let b = if zero { self.boxed(Type::Int, 0) } else { Box::new(divisor) };
                Expr::Binary(op, a, b)
            }
            4 => {
                let op = *self.random.pick(&["<<", ">>", ">>>"]);
                self.binary(op, Type::Int, depth)
            }
            5 => {
                let op = *self.random.pick(&["-", "~"]);
                Expr::Unary(op, self.boxed(Type::Int, depth))
            }
            6 => {
                let to = *self.random.pick(&["int", "byte", "short", "char"]);
                let from = *self.random.pick(&[Type::Int, Type::Long]);
                Expr::Cast(to, self.boxed(from, depth))
            }
            7 => Expr::Field(self.boxed(Type::Ref(Class::Root), depth), "size"),
            8 => {
                let small = Expr::Cast("Leaf", self.boxed(Type::Ref(Class::Node), depth));
                Expr::Field(Box::new(small), "small")
            }
            9 => Expr::Length(self.boxed(Type::Ref(Class::Ints), depth)),
            10 => self.element(Class::Ints, depth),
            11 => Expr::Size(self.reach(depth)),
            12 if !self.in_old => self.old(Type::Int, depth),
            13 => self.conditional(Type::Int, depth),
            14 => self.folded(Type::Int, depth),
            _ => Expr::Field(self.boxed(Type::Ref(Class::Node), depth), "val"),
        }
    }

    fn element(&mut self, class: Class, depth: usize) -> Expr {
        let index = match self.random.below(4) {
            0 => self.int(depth),
            _ => {
                let bound = self.named(Type::Int);
                bound.unwrap_or_else(|| Expr::Int(self.random.below(4) as i32))
            }
        };
        Expr::Element(self.boxed(Type::Ref(class), depth), Box::new(index))
    }

    fn long(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            let most = [i64::MIN, i64::MAX, 0, 1, -1, 1 << 32, i64::from(i32::MAX)];
            let found = self.named(Type::Long);
            return match (self.random.below(3), found) {
                (0, Some(found)) => found,
                (1, _) => Expr::Cast("long", self.boxed(Type::Int, 0)),
                _ => Expr::Long(*self.random.pick(&most)),
            };
        }
        let depth = depth - 1;
        match self.random.below(6) {
            0 => {
                let op = *self.random.pick(&["+", "-", "*", "&", "^"]);
                self.binary(op, Type::Long, depth)
            }
            1 => {
                let op = *self.random.pick(&["<<", ">>", ">>>"]);
                Expr::Binary(op, self.boxed(Type::Long, depth), self.boxed(Type::Int, depth))
            }
            2 => self.folded(Type::Long, depth),
            3 => {
                let leaf = Expr::Cast("Leaf", self.boxed(Type::Ref(Class::Node), depth));
                Expr::Field(Box::new(leaf), "big")
            }
            4 => {
                let (left, right) = (self.boxed(Type::Long, depth), self.boxed(Type::Int, depth));
                Expr::Binary("+", left, right)
            }
            _ => Expr::Cast("long", self.boxed(Type::Int, depth)),
        }
    }

    fn reference(&mut self, class: Class, depth: usize) -> Expr {
        let root = Expr::Name("r".into());
        match class {
            Class::Root if depth == 0 || self.random.one_in(2) => root,
            Class::Root => self.conditional(Type::Ref(class), depth - 1),
            Class::Ints => Expr::Field(Box::new(root), "data"),
            Class::Nodes => Expr::Field(Box::new(root), "nodes"),
            Class::Leaf => Expr::Cast("Leaf", self.boxed(Type::Ref(Class::Node), depth)),
            Class::Node if depth == 0 => match self.random.below(6) {
                0 => Expr::Cast("Node", Box::new(Expr::Null)),
                1 | 2 => self.named(Type::Ref(class)).unwrap_or(Expr::Name("n".into())),
                3 if !self.in_old => Expr::Name("\\result".into()),
                4 => Expr::Field(Box::new(root), "first"),
                _ => Expr::Name("n".into()),
            },
            Class::Node => match self.random.below(10) {
                0 if !self.in_old => self.old(Type::Ref(class), depth - 1),
                1 => self.conditional(Type::Ref(class), depth - 1),
                2 if !is_known("an element of an array of references") => {
                    self.element(Class::Nodes, depth - 1)
                }
                3 => Expr::Field(self.boxed(Type::Ref(Class::Root), 0), "second"),
                4 => Expr::Field(self.boxed(Type::Ref(Class::Root), 0), "first"),
                5 => self.reference(class, 0),
                n => {
                    let field = if n % 2 == 0 { "next" } else { "other" };
                    Expr::Field(self.boxed(Type::Ref(class), depth - 1), field)
                }
            },
        }
    }

    fn reach(&mut self, depth: usize) -> Reach {
        let through: [&[&'static str]; 5] =
            [&["next"], &["other"], &["next", "other"], &["next"], &[]];
        let from_root: [&[&'static str]; 3] = [&["first"], &["nodes"], &[]];
        let class = *self.random.pick(&[Some(Class::Node), Some(Class::Leaf), None]);
        if self.random.one_in(4) {
            let mut fields = self.random.pick(&from_root).to_vec();
            // Where no class is named, only fields of the start are found.
            let class = if fields.is_empty() { class } else { Some(Class::Node) };
            if !fields.is_empty() {
                fields.push("next");
            }
            return Reach { from: self.boxed(Type::Ref(Class::Root), 0), class, fields };
        }
        let fields = self.random.pick(&through).to_vec();
        let class = if fields.is_empty() { class } else { class.or(Some(Class::Node)) };
        Reach { from: self.boxed(Type::Ref(Class::Node), depth), class, fields }
    }

    /// A new name; those of longs begin with `l`.
    fn variable(&mut self, ty: Type) -> String {
        self.next += 1;
        format!("{}{}", if ty == Type::Long { 'l' } else { 'v' }, self.next)
    }

    fn numbers(&mut self) -> (Domain, Type) {
        let widths = [Width::Int, Width::Int, Width::Int, Width::Long, Width::Byte, Width::Char];
        let width = *self.random.pick(&widths);
        let low = match (width, self.random.below(8)) {
            (Width::Byte, 0..=3) => Expr::Int(126),
            (Width::Char, 0..=1) => Expr::Int(65_534),
            (Width::Int, 0) => Expr::Name("k".into()),
            (Width::Int, 1) => Expr::Field(Box::new(Expr::Name("n".into())), "val"),
            _ => Expr::Int(self.random.below(5) as i32 - 2),
        };
        let more = Expr::Int(self.random.below(4) as i32);
        let data = Expr::Field(Box::new(Expr::Name("r".into())), "data");
        let high = match low {
            Expr::Int(n) if n > 2 => Expr::Int(n + self.random.below(4) as i32),
            Expr::Int(_) if self.random.one_in(3) => Expr::Length(Box::new(data)),
            Expr::Int(_) => more,
            _ => Expr::Binary("+", Box::new(low.clone()), Box::new(more)),
        };
        let (low, high) = match (low, high) {
            (Expr::Int(l), high) if is_known("bounds beyond the type of a number") => {
                let (least, most) = width.range();
                let inside = |n: i32| i64::from(n).clamp(least, most) as i32;
                let high = match high {
                    Expr::Int(h) => Expr::Int(inside(h)),
                    other => other,
                };
                (Expr::Int(inside(l)), high)
            }
            unchanged => unchanged,
        };
        let low = (Box::new(low), self.random.one_in(4));
        let high = (Box::new(high), self.random.one_in(2));
        (Domain::Numbers { width, low, high }, width.computed())
    }

    fn domain(&mut self) -> (Domain, Type) {
        match self.random.below(9) {
            0 => (Domain::Truths, Type::Truth),
            1..=4 => self.numbers(),
            n => {
                let nullable = n == 5;
                (Domain::Objects { class: Class::Node, nullable }, Type::Ref(Class::Node))
            }
        }
    }

    fn over(&mut self, quantifier: &'static str, body: Type, depth: usize) -> Expr {
        let (domain, ty) = self.domain();
        let variable = self.variable(ty);
        self.bound.push((variable.clone(), ty));
        let range = self.random.one_in(3).then(|| self.boxed(Type::Truth, 0));
        let body = self.boxed(body, depth);
        self.bound.pop();
        Expr::Quantified { quantifier, variable, domain, range, body }
    }

    fn quantified(&mut self, depth: usize) -> Expr {
        let quantifier = *self.random.pick(&["\\forall", "\\exists"]);
        self.over(quantifier, Type::Truth, depth)
    }

    fn folded(&mut self, ty: Type, depth: usize) -> Expr {
        if ty == Type::Long && self.random.one_in(2) {
            return self.over("\\num_of", Type::Truth, depth);
        }
        let quantifier = *self.random.pick(&["\\sum", "\\min", "\\max", "\\product"]);
        self.over(quantifier, ty, depth)
    }

    /// A quantifier over ints that has no range: what bounds them stands in its body.
    fn unbounded(&mut self) -> Expr {
        let v = self.variable(Type::Int);
        let name = || Box::new(Expr::Name(v.clone()));
        let low = Expr::Binary("<=", Box::new(Expr::Int(0)), name());
        let high = Expr::Binary("<", name(), Box::new(Expr::Int(3)));
        let inside = Expr::Binary("&&", Box::new(low), Box::new(high));
        let other = Expr::Binary("==", name(), Box::new(Expr::Name("k".into())));
        let other = if self.random.one_in(2) { other } else { self.truth(0) };
        let quantifier = *self.random.pick(&["\\forall", "\\exists"]);
        let op = *self.random.pick(&["&&", "==>"]);
        let body = Expr::Binary(op, Box::new(inside), Box::new(other));
        let (variable, body) = (v.clone(), Box::new(body));
        Expr::Quantified { quantifier, variable, domain: Domain::Unbounded, range: None, body }
    }
}
