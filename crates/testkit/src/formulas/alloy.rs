//! Random Alloy-style formulas: what they are, how they are written, and which there are.

use super::world::Class;
use crate::generate::random::Random;

/// What stands in the columns of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Nodes,
    Roots,
    /// Objects of any class.
    Objects,
    Ints,
    NodeNode,
    RootNode,
    NodeInt,
    Pairs,
}

/// A relation.
#[derive(Clone, Debug)]
pub enum Rel {
    Name(String),
    /// A field, and whether of the state after.
    Field(&'static str, bool),
    Objects(Class, bool),
    Universe,
    Identity,
    Empty,
    Null,
    Unary(char, Box<Rel>),
    Binary(&'static str, Box<Rel>, Box<Rel>),
    /// `f[x]`
    Box(Box<Rel>, Box<Rel>),
    Comprehension(Vec<Declaration>, Box<Formula>),
    IfElse(Box<Formula>, Box<Rel>, Box<Rel>),
    Let(String, Box<Rel>, Box<Rel>),
}

/// `disj x, y: e`; without a bound over all objects.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub disjoint: bool,
    pub names: Vec<String>,
    pub bound: Option<Rel>,
}

#[derive(Clone, Debug)]
pub enum Num {
    Int(i32),
    K,
    Size(Box<Rel>),
    Compute(&'static str, Box<Num>, Box<Num>),
    /// The number in a set.
    In(Box<Rel>),
    IfElse(Box<Formula>, Box<Num>, Box<Num>),
}

#[derive(Clone, Debug)]
pub enum Formula {
    Truth(bool),
    /// The truth value in a set.
    Holds(Box<Rel>),
    Count(&'static str, Box<Rel>),
    Relate(&'static str, Box<Rel>, Box<Rel>),
    Compare(&'static str, Box<Num>, Box<Num>),
    Not(Box<Formula>),
    Connect(&'static str, Box<Formula>, Box<Formula>),
    IfElse(Box<Formula>, Box<Formula>, Box<Formula>),
    Quantified(&'static str, Vec<Declaration>, Box<Formula>),
    Let(String, Box<Rel>, Box<Formula>),
}

fn declared(declarations: &[Declaration]) -> String {
    let one = |d: &Declaration| {
        let disjoint = if d.disjoint { "disj " } else { "" };
        let bound = d.bound.as_ref().map(|b| format!(": {}", b.text())).unwrap_or_default();
        format!("{disjoint}{}{bound}", d.names.join(", "))
    };
    declarations.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl Rel {
    /// The relation as it is written.
    pub fn text(&self) -> String {
        let tick = |primed: &bool| if *primed { "'" } else { "" };
        match self {
            Rel::Name(name) => name.clone(),
            Rel::Field(field, primed) => format!("{field}{}", tick(primed)),
            Rel::Objects(class, primed) => format!("{}{}", class.name(), tick(primed)),
            Rel::Universe => "univ".into(),
            Rel::Identity => "iden".into(),
            Rel::Empty => "none".into(),
            Rel::Null => "null".into(),
            Rel::Unary(op, of) => format!("({op}{})", of.text()),
            Rel::Binary(op, a, b) if *op == "." => format!("({}.{})", a.text(), b.text()),
            Rel::Binary(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Rel::Box(of, at) => format!("({}[{}])", of.text(), at.text()),
            Rel::Comprehension(declarations, body) => {
                format!("{{{} | {}}}", declared(declarations), body.text())
            }
            Rel::IfElse(c, a, b) => format!("({} => {} else {})", c.text(), a.text(), b.text()),
            Rel::Let(name, value, body) => {
                format!("(let {name} = {} | {})", value.text(), body.text())
            }
        }
    }
}

impl Num {
    fn text(&self) -> String {
        match self {
            Num::Int(n) => n.to_string(),
            Num::K => "k".into(),
            Num::Size(of) => format!("(#{})", of.text()),
            Num::Compute(op @ ("+" | "-"), a, b) => format!("({} {op} {})", a.text(), b.text()),
            Num::Compute(op, a, b) => format!("{op}[{}, {}]", a.text(), b.text()),
            Num::In(of) => of.text(),
            Num::IfElse(c, a, b) => format!("({} => {} else {})", c.text(), a.text(), b.text()),
        }
    }
}

impl Formula {
    /// The formula as it is written.
    pub fn text(&self) -> String {
        match self {
            Formula::Truth(b) => b.to_string(),
            Formula::Holds(of) => of.text(),
            Formula::Count(word, of) => format!("({word} {})", of.text()),
            Formula::Relate(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Formula::Compare(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Formula::Not(of) => format!("(! {})", of.text()),
            Formula::Connect(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Formula::IfElse(c, a, b) => {
                format!("({} => {} else {})", c.text(), a.text(), b.text())
            }
            Formula::Quantified(word, declarations, body) => {
                format!("({word} {} | {})", declared(declarations), body.text())
            }
            Formula::Let(name, value, body) => {
                format!("(let {name} = {} | {})", value.text(), body.text())
            }
        }
    }

    /// Smaller formulas that may show the same.
    pub fn parts(&self) -> Vec<Formula> {
        match self {
            Formula::Not(of) => vec![(**of).clone()],
            Formula::Connect(_, a, b) => vec![(**a).clone(), (**b).clone()],
            Formula::IfElse(c, a, b) => [c, a, b].into_iter().map(|f| (**f).clone()).collect(),
            Formula::Let(name, value, body) => {
                let again = |b| Formula::Let(name.clone(), value.clone(), Box::new(b));
                body.parts().into_iter().map(again).collect()
            }
            Formula::Quantified(word, declarations, body) => {
                let again = |b| Formula::Quantified(word, declarations.clone(), Box::new(b));
                body.parts().into_iter().map(again).collect()
            }
            Formula::Count(word, of) => {
                operands(of).into_iter().map(|r| Formula::Count(word, Box::new(r))).collect()
            }
            Formula::Relate(op, a, b) => {
                let left = operands(a).into_iter().map(|r| (Box::new(r), b.clone()));
                let right = operands(b).into_iter().map(|r| (a.clone(), Box::new(r)));
                left.chain(right).map(|(a, b)| Formula::Relate(op, a, b)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Operands of the same shape.
fn operands(of: &Rel) -> Vec<Rel> {
    match of {
        Rel::Binary("+" | "-" | "&" | "++", a, b) => vec![(**a).clone(), (**b).clone()],
        Rel::Binary("<:", _, b) => vec![(**b).clone()],
        Rel::Binary(":>", a, _) => vec![(**a).clone()],
        Rel::IfElse(_, a, b) => vec![(**a).clone(), (**b).clone()],
        Rel::Unary(_, a) => vec![(**a).clone()],
        _ => Vec::new(),
    }
}

/// Makes random formulas.
pub struct Maker<'r> {
    pub random: &'r mut Random,
    bound: Vec<(String, Shape)>,
    next: usize,
    /// Whether fields that are no references are of the state after only.
    only_after: bool,
}

impl Maker<'_> {
    /// A formula about a method that allocates or does not.
    pub fn make(random: &mut Random, depth: usize, allocates: bool) -> Formula {
        let only_after =
            allocates && super::is_known("a scalar field of a new object in the state before");
        Maker { random, bound: Vec::new(), next: 0, only_after }.formula(depth)
    }

    fn scalar(&mut self, field: &'static str) -> Rel {
        Rel::Field(field, self.only_after || self.random.one_in(2))
    }

    fn variable(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn named(&mut self, shape: Shape) -> Option<Rel> {
        let known: Vec<&(String, Shape)> = self.bound.iter().filter(|b| b.1 == shape).collect();
        if known.is_empty() {
            return None;
        }
        Some(Rel::Name(known[self.random.below(known.len())].0.clone()))
    }

    fn boxed(&mut self, shape: Shape, depth: usize) -> Box<Rel> {
        Box::new(self.relation(shape, depth))
    }

    fn binary(&mut self, op: &'static str, a: Shape, b: Shape, depth: usize) -> Rel {
        Rel::Binary(op, self.boxed(a, depth), self.boxed(b, depth))
    }

    fn field(&mut self, names: &[&'static str]) -> Rel {
        let name: &'static str = names[self.random.below(names.len())];
        Rel::Field(name, self.random.one_in(2))
    }

    fn relation(&mut self, shape: Shape, depth: usize) -> Rel {
        if depth == 0 {
            return self.leaf(shape);
        }
        let depth = depth - 1;
        match self.random.below(14) {
            0 => return self.leaf(shape),
            1 => return self.binary("+", shape, shape, depth),
            2 => return self.binary("-", shape, shape, depth),
            3 => return self.binary("&", shape, shape, depth),
            4 => {
                let condition = Box::new(self.formula(depth));
                return Rel::IfElse(condition, self.boxed(shape, depth), self.boxed(shape, depth));
            }
            5 => {
                let inner = *self.random.pick(&[Shape::Nodes, Shape::NodeNode]);
                let value = self.boxed(inner, depth);
                let name = self.variable();
                self.bound.push((name.clone(), inner));
                let body = self.boxed(shape, depth);
                self.bound.pop();
                return Rel::Let(name, value, body);
            }
            _ => {}
        }
        use Shape::{Ints, NodeInt, NodeNode, Nodes, Objects, Pairs, RootNode, Roots};
        match (shape, self.random.below(8)) {
            (Nodes, 0..=2) => self.binary(".", Nodes, NodeNode, depth),
            (Nodes, 3) => self.binary(".", Roots, RootNode, depth),
            (Nodes, 4) => self.binary(".", NodeNode, Nodes, depth),
            (Nodes, 5) => {
                let of = Box::new(self.field(&["next", "other"]));
                Rel::Box(of, self.boxed(Nodes, depth))
            }
            (Nodes, 6) => {
                let bound = self.relation(Nodes, depth);
                let name = self.variable();
                self.bound.push((name.clone(), Nodes));
                let body = Box::new(self.formula(depth));
                self.bound.pop();
                let one = Declaration { disjoint: false, names: vec![name], bound: Some(bound) };
                Rel::Comprehension(vec![one], body)
            }
            (Nodes, _) => {
                let pairs = self.boxed(Pairs, depth);
                let reached = Rel::Binary(".", self.start(Roots, depth), pairs);
                Rel::Binary("&", Box::new(reached), self.boxed(Nodes, depth))
            }
            (Roots, _) => self.binary(".", RootNode, Nodes, depth),
            (Objects, 0..=3) => {
                let from = self.start(Objects, depth);
                Rel::Binary(".", from, self.boxed(Pairs, depth))
            }
            (Objects, _) => self.binary("+", Nodes, Roots, depth),
            (Ints, _) => self.binary(".", Nodes, NodeInt, depth),
            (NodeNode, 0) => Rel::Unary('~', self.boxed(NodeNode, depth)),
            (NodeNode, 1) => Rel::Unary('^', self.boxed(NodeNode, depth)),
            (NodeNode, 2) => Rel::Unary('*', self.boxed(NodeNode, depth)),
            (NodeNode, 3) => self.binary(".", NodeNode, NodeNode, depth),
            (NodeNode, 4) => self.binary("->", Nodes, Nodes, depth),
            (NodeNode, 5) => self.binary("<:", Nodes, NodeNode, depth),
            (NodeNode, 6) => self.binary(":>", NodeNode, Nodes, depth),
            (NodeNode, _) => self.binary("++", NodeNode, NodeNode, depth),
            (RootNode, 0..=2) => self.binary(".", RootNode, NodeNode, depth),
            (RootNode, 3) => self.binary(":>", RootNode, Nodes, depth),
            (RootNode, 4) => self.binary("++", RootNode, RootNode, depth),
            (RootNode, _) => self.binary("->", Roots, Nodes, depth),
            (NodeInt, 0..=2) => self.binary(".", NodeNode, NodeInt, depth),
            (NodeInt, 3) => self.binary("++", NodeInt, NodeInt, depth),
            (NodeInt, _) => self.binary("<:", Nodes, NodeInt, depth),
            (Pairs, 0..=2) => {
                let op = *self.random.pick(&['*', '^', '~']);
                Rel::Unary(op, self.boxed(Pairs, depth))
            }
            (Pairs, _) => self.binary("+", RootNode, NodeNode, depth),
        }
    }

    /// What stands in front of fields of several classes.
    fn start(&mut self, shape: Shape, depth: usize) -> Box<Rel> {
        match super::is_known("fields of several classes behind a dot") {
            true => Box::new(self.binary("+", Shape::Roots, Shape::Nodes, depth.min(1))),
            false => self.boxed(shape, depth),
        }
    }

    fn leaf(&mut self, shape: Shape) -> Rel {
        if self.random.one_in(2)
            && let Some(found) = self.named(shape)
        {
            return found;
        }
        let primed = self.random.one_in(2);
        match shape {
            Shape::Nodes => match self.random.below(9) {
                0 => Rel::Objects(Class::Node, primed),
                1 => Rel::Objects(Class::Leaf, primed),
                2 | 3 => Rel::Name("result".into()),
                4 => {
                    let field = Box::new(self.field(&["first", "second"]));
                    Rel::Binary(".", Box::new(Rel::Name("r".into())), field)
                }
                5 => {
                    let field = Box::new(self.field(&["next", "other"]));
                    Rel::Binary(".", Box::new(Rel::Name("n".into())), field)
                }
                _ => Rel::Name("n".into()),
            },
            Shape::Roots if self.random.one_in(4) => Rel::Objects(Class::Root, primed),
            Shape::Roots => Rel::Name("r".into()),
            Shape::Objects => Rel::Universe,
            Shape::Ints => {
                let field = Box::new(self.scalar("val"));
                Rel::Binary(".", self.boxed(Shape::Nodes, 0), field)
            }
            Shape::NodeNode => self.field(&["next", "other"]),
            Shape::RootNode => self.field(&["first", "second"]),
            Shape::NodeInt => self.scalar("val"),
            Shape::Pairs if self.random.one_in(2) => Rel::Identity,
            Shape::Pairs => {
                let (a, b) = (self.field(&["first"]), self.field(&["next", "other"]));
                Rel::Binary("+", Box::new(a), Box::new(b))
            }
        }
    }

    fn num(&mut self, depth: usize) -> Num {
        if depth == 0 {
            return match self.random.below(5) {
                0 => Num::K,
                1 => Num::Int(*self.random.pick(&[i32::MIN, i32::MAX, -1, 7])),
                2 => Num::In(Box::new(self.single())),
                _ => Num::Int(self.random.below(4) as i32),
            };
        }
        let depth = depth - 1;
        match self.random.below(8) {
            0 | 1 => {
                let shape = *self.random.pick(&SHAPES);
                Num::Size(self.boxed(shape, depth))
            }
            2 | 3 => {
                let op = *self.random.pick(&["plus", "minus", "mul", "div", "rem", "add", "sub"]);
                let (a, b) = (self.num(depth), self.num(depth));
                Num::Compute(op, Box::new(a), Box::new(b))
            }
            4 => {
                let op = *self.random.pick(&["+", "-"]);
                let (a, b) = (self.num(depth), Num::Int(self.random.below(3) as i32));
                Num::Compute(op, Box::new(a), Box::new(b))
            }
            5 => {
                let condition = Box::new(self.formula(depth));
                let (a, b) = (self.num(depth), self.num(depth));
                Num::IfElse(condition, Box::new(a), Box::new(b))
            }
            _ => Num::In(Box::new(self.single())),
        }
    }

    /// A set that often holds one number.
    fn single(&mut self) -> Rel {
        if let Some(found) = self.named(Shape::Ints).filter(|_| self.random.one_in(2)) {
            return found;
        }
        match self.random.below(4) {
            0 => {
                let root = Box::new(Rel::Name("r".into()));
                Rel::Binary(".", root, Box::new(self.scalar("size")))
            }
            _ => {
                let field = Box::new(self.scalar("val"));
                Rel::Binary(".", self.boxed(Shape::Nodes, 0), field)
            }
        }
    }

    fn formula(&mut self, depth: usize) -> Formula {
        let shape = *self.random.pick(&SHAPES);
        if depth == 0 {
            return match self.random.below(6) {
                0 => Formula::Truth(self.random.one_in(2)),
                1 => Formula::Relate("=", self.boxed(Shape::Nodes, 0), Box::new(Rel::Null)),
                2 => Formula::Compare("<", Box::new(self.num(0)), Box::new(self.num(0))),
                3 => Formula::Holds(Box::new(self.mark(0))),
                _ => {
                    Formula::Relate("in", self.boxed(Shape::Nodes, 0), self.boxed(Shape::Nodes, 0))
                }
            };
        }
        let depth = depth - 1;
        match self.random.below(18) {
            0 | 1 => {
                let op = *self.random.pick(&["&&", "||", "=>", "<=>"]);
                let (a, b) = (self.formula(depth), self.formula(depth));
                Formula::Connect(op, Box::new(a), Box::new(b))
            }
            2 => Formula::Not(Box::new(self.formula(depth))),
            3 => {
                let (c, a) = (self.formula(depth), self.formula(depth));
                // Truth values as such would be a relation.
                let a = Formula::Not(Box::new(a));
                Formula::IfElse(Box::new(c), Box::new(a), Box::new(self.formula(depth)))
            }
            4..=6 => {
                let word = *self.random.pick(&["some", "no", "one", "lone"]);
                Formula::Count(word, self.boxed(shape, depth))
            }
            7..=10 => {
                let op = *self.random.pick(&["in", "=", "!=", "!in"]);
                let empty = self.random.one_in(8);
                let right = if empty { Box::new(Rel::Empty) } else { self.boxed(shape, depth) };
                Formula::Relate(op, self.boxed(shape, depth), right)
            }
            11 | 12 => {
                let op = *self.random.pick(&["<", "<=", ">", ">=", "=", "!="]);
                let (a, b) = (self.num(depth), self.num(depth));
                Formula::Compare(op, Box::new(a), Box::new(b))
            }
            13 => Formula::Holds(Box::new(self.mark(depth))),
            14 => {
                let value = self.boxed(shape, depth);
                let name = self.variable();
                self.bound.push((name.clone(), shape));
                let body = self.formula(depth);
                self.bound.pop();
                Formula::Let(name, value, Box::new(body))
            }
            _ => self.quantified(depth),
        }
    }

    fn mark(&mut self, depth: usize) -> Rel {
        let field = Box::new(self.scalar("mark"));
        Rel::Binary(".", self.boxed(Shape::Nodes, depth), field)
    }

    fn quantified(&mut self, depth: usize) -> Formula {
        let word = *self.random.pick(&["all", "some", "no", "one", "lone"]);
        let mut declarations = Vec::new();
        let outer = self.bound.len();
        let count = 1 + self.random.below(2);
        for _ in 0..count {
            let shapes = [Shape::Nodes, Shape::Nodes, Shape::Nodes, Shape::Ints, Shape::Roots];
            let shape = *self.random.pick(&shapes);
            let bound = self.relation(shape, depth.min(2));
            let several = self.random.one_in(4);
            let names: Vec<String> = (0..=usize::from(several)).map(|_| self.variable()).collect();
            for name in &names {
                self.bound.push((name.clone(), shape));
            }
            let disjoint = several && self.random.one_in(2);
            declarations.push(Declaration { disjoint, names, bound: Some(bound) });
        }
        if self.random.one_in(6) {
            let names = vec![self.variable()];
            self.bound.truncate(outer);
            self.bound.push((names[0].clone(), Shape::Objects));
            declarations = vec![Declaration { disjoint: false, names, bound: None }];
        }
        let body = self.formula(depth);
        self.bound.truncate(outer);
        Formula::Quantified(word, declarations, Box::new(body))
    }
}

const SHAPES: [Shape; 10] = [
    Shape::Nodes,
    Shape::Nodes,
    Shape::Nodes,
    Shape::Roots,
    Shape::Objects,
    Shape::Ints,
    Shape::NodeNode,
    Shape::NodeNode,
    Shape::NodeInt,
    Shape::Pairs,
];
