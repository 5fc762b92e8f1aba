//! Random expressions of a wanted type: numbers and truth values.

use super::random::Random;
use super::types::{Kind, NODE_FIELDS, OWN_FIELDS, STATICS};

/// Writes expressions and statements over the variables in scope.
pub struct Writer<'r> {
    pub random: &'r mut Random,
    variables: Vec<(String, Kind)>,
    /// Loop counters and the like, which must not be assigned.
    constants: Vec<(String, Kind)>,
    pub is_static: bool,
    /// Code of the world: it assigns nothing and calls nothing.
    is_leaf: bool,
    /// What `return` returns, where it may stand.
    pub result: Option<Kind>,
    /// Labels of the loops around.
    pub loops: Vec<String>,
    fresh: u32,
}

impl<'r> Writer<'r> {
    pub fn new(random: &'r mut Random, is_static: bool) -> Writer<'r> {
        Writer {
            random,
            variables: Vec::new(),
            constants: Vec::new(),
            is_static,
            is_leaf: false,
            result: None,
            loops: Vec::new(),
            fresh: 0,
        }
    }

    /// For expressions without calls and assignments.
    pub fn leaf(random: &'r mut Random) -> Writer<'r> {
        Writer { is_leaf: true, ..Writer::new(random, true) }
    }

    pub fn declare(&mut self, name: String, kind: Kind) {
        match self.is_leaf {
            true => self.constants.push((name, kind)),
            false => self.variables.push((name, kind)),
        }
    }

    /// Runs `write` with a constant in scope.
    pub fn with_constant<T>(
        &mut self,
        name: &str,
        kind: Kind,
        write: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.constants.push((name.to_string(), kind));
        let written = write(self);
        self.constants.pop();
        written
    }

    /// Runs `write` with nothing but these in scope, without side effects.
    pub fn alone<T>(&mut self, scope: &[(&str, Kind)], write: impl FnOnce(&mut Self) -> T) -> T {
        let own = scope.iter().map(|(n, k)| (n.to_string(), *k)).collect();
        let constants = std::mem::replace(&mut self.constants, own);
        let variables = std::mem::take(&mut self.variables);
        let was_leaf = std::mem::replace(&mut self.is_leaf, true);
        let written = write(self);
        (self.constants, self.variables, self.is_leaf) = (constants, variables, was_leaf);
        written
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// A variable of the kind that may be assigned.
    pub fn variable(&mut self, kind: Kind) -> Option<String> {
        let fitting: Vec<&String> =
            self.variables.iter().filter(|v| v.1 == kind).map(|v| &v.0).collect();
        if fitting.is_empty() {
            return None;
        }
        Some(fitting[self.random.below(fitting.len())].clone())
    }

    /// Any variable that may be assigned.
    pub fn any_variable(&mut self) -> (String, Kind) {
        self.random.pick(&self.variables).clone()
    }

    /// Whether side effects and calls may stand here.
    pub fn is_free(&self) -> bool {
        !self.is_leaf
    }

    fn readable(&mut self, kind: Kind) -> Option<String> {
        let all = self.variables.iter().chain(&self.constants);
        let fitting: Vec<&String> = all.filter(|v| v.1 == kind).map(|v| &v.0).collect();
        if fitting.is_empty() {
            return None;
        }
        Some(fitting[self.random.below(fitting.len())].clone())
    }

    /// A place that can be assigned: a variable, field or element.
    pub fn place(&mut self, kind: Kind, depth: u32) -> Option<String> {
        match self.random.below(6) {
            0..=2 => self.variable(kind),
            3 => {
                let fields: Vec<_> = NODE_FIELDS.iter().filter(|f| f.1 == kind).collect();
                let field = fields.get(self.random.below(fields.len().max(1)))?.0;
                Some(format!("{}.{field}", self.node(depth)))
            }
            4 => {
                let own: &[(&str, Kind)] = if self.is_static { &[] } else { &OWN_FIELDS };
                let fields: Vec<_> = STATICS.iter().chain(own).filter(|f| f.1 == kind).collect();
                fields.get(self.random.below(fields.len().max(1))).map(|f| f.0.to_string())
            }
            _ => {
                let array = self.array_of(kind)?;
                let index = self.index(depth);
                Some(format!("{array}[{index}]"))
            }
        }
    }

    fn array_of(&mut self, element: Kind) -> Option<String> {
        let all = self.variables.iter().map(|v| v.1);
        let kinds: Vec<Kind> = all.filter(|k| k.element() == Some(element)).collect();
        let kind = *kinds.first()?;
        self.variable(kind)
    }

    /// An index that is often inside the bounds.
    pub fn index(&mut self, depth: u32) -> String {
        match self.random.below(7) {
            0..=3 => self.random.below(2).to_string(),
            4 => format!("({}) & 1", self.value(Kind::Int, depth.min(1))),
            5 => self.readable(Kind::Int).unwrap_or("1".into()),
            _ => self.value(Kind::Int, depth.saturating_sub(1)),
        }
    }

    /// A literal or variable.
    pub fn simple(&mut self, kind: Kind) -> String {
        if !self.random.one_in(3)
            && let Some(name) = self.readable(kind)
        {
            return name;
        }
        let number = self.random.interesting();
        match kind {
            Kind::Int => literal(number as i32),
            Kind::Long => match number {
                i64::MIN => "Long.MIN_VALUE".into(),
                _ => format!("({number}L)"),
            },
            Kind::Char => match self.random.below(3) {
                0 => format!("(char) {}", number as u16),
                _ => format!("'{}'", self.random.pick(&['a', 'b', '0', 'Z'])),
            },
            Kind::Byte => format!("(byte) ({})", number as i8),
            Kind::Short => format!("(short) ({})", number as i16),
            Kind::Boolean => self.random.one_in(2).to_string(),
            _ => self.simple_reference(kind),
        }
    }

    /// An expression of the kind.
    pub fn value(&mut self, kind: Kind, depth: u32) -> String {
        if depth == 0 || self.random.one_in(6) {
            return self.simple(kind);
        }
        match kind {
            Kind::Int => self.int(depth - 1),
            Kind::Long => self.long(depth - 1),
            Kind::Char | Kind::Byte | Kind::Short => self.narrow(kind, depth - 1),
            Kind::Boolean => self.truth(depth - 1),
            _ => self.reference(kind, depth - 1),
        }
    }

    fn narrow(&mut self, kind: Kind, depth: u32) -> String {
        if self.random.one_in(3)
            && let Some(array) = self.array_of(kind)
        {
            return format!("{array}[{}]", self.index(depth));
        }
        if kind == Kind::Char && self.is_free() && self.random.one_in(3) {
            return format!("{}.charAt({})", self.text(depth), self.index(depth));
        }
        let wide = if self.random.one_in(4) { Kind::Long } else { Kind::Int };
        format!("(({}) ({}))", kind.java(), self.value(wide, depth))
    }

    fn int(&mut self, depth: u32) -> String {
        if self.is_free() && self.random.one_in(2) {
            return self.int_of_objects(depth);
        }
        match self.random.below(9) {
            0..=3 => self.arithmetic(Kind::Int, depth),
            4 => self.shift(Kind::Int, depth),
            5 => self.choice(Kind::Int, depth),
            6 => {
                let sign = self.random.pick(&["-", "~", "+"]);
                format!("({sign} {})", self.value(Kind::Int, depth))
            }
            7 => {
                let from = *self.random.pick(&[Kind::Long, Kind::Char, Kind::Byte, Kind::Short]);
                format!("((int) ({}))", self.value(from, depth))
            }
            _ => match self.is_free() {
                true => self.effect(Kind::Int, depth),
                false => self.arithmetic(Kind::Int, depth),
            },
        }
    }

    fn long(&mut self, depth: u32) -> String {
        match self.random.below(8) {
            0..=2 => self.arithmetic(Kind::Long, depth),
            3 => self.shift(Kind::Long, depth),
            4 => self.choice(Kind::Long, depth),
            5 => format!("((long) ({}))", self.value(Kind::Int, depth)),
            6 if self.is_free() => self.effect(Kind::Long, depth),
            7 if self.is_free() => match self.random.below(3) {
                0 => format!("{}.big", self.node(depth)),
                1 => match self.array_of(Kind::Long) {
                    Some(array) => format!("{array}[{}]", self.index(depth)),
                    None => "sl".into(),
                },
                _ => format!("Math.abs({})", self.value(Kind::Long, depth)),
            },
            _ => self.arithmetic(Kind::Long, depth),
        }
    }

    fn arithmetic(&mut self, kind: Kind, depth: u32) -> String {
        let operator = *self.random.pick(&["+", "-", "*", "&", "|", "^", "+", "-", "/", "%"]);
        let (a, b) = (self.value(kind, depth), self.value(kind, depth));
        format!("({a} {operator} {b})")
    }

    fn shift(&mut self, kind: Kind, depth: u32) -> String {
        let operator = *self.random.pick(&["<<", ">>", ">>>"]);
        let by = if self.random.one_in(4) { Kind::Long } else { Kind::Int };
        let (a, b) = (self.value(kind, depth), self.value(by, depth));
        format!("({a} {operator} {b})")
    }

    fn choice(&mut self, kind: Kind, depth: u32) -> String {
        let condition = self.truth(depth);
        let (a, b) = (self.value(kind, depth), self.value(kind, depth));
        format!("({condition} ? {a} : {b})")
    }

    /// An assignment or step as an expression.
    pub fn effect(&mut self, kind: Kind, depth: u32) -> String {
        let Some(place) = self.place(kind, depth) else {
            return self.simple(kind);
        };
        match self.random.below(5) {
            0 => format!("{place}++"),
            1 => format!("--{place}"),
            2 => format!("({place} = {})", self.value(kind, depth)),
            _ => format!("({place} {} {})", self.compound(), self.value(kind, depth)),
        }
    }

    /// A compound assignment operator.
    pub fn compound(&mut self) -> &'static str {
        self.random
            .pick::<&str>(&["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>="])
    }

    /// A truth value.
    pub fn truth(&mut self, depth: u32) -> String {
        if depth == 0 {
            let (a, b) = (self.simple(Kind::Int), self.simple(Kind::Int));
            return format!("({a} {} {b})", self.comparison());
        }
        let depth = depth - 1;
        let cases = if self.is_free() { 11 } else { 5 };
        match self.random.below(cases) {
            0..=1 => {
                let kind = *self.random.pick(&[Kind::Int, Kind::Int, Kind::Long, Kind::Char]);
                let (a, b) = (self.value(kind, depth), self.value(kind, depth));
                format!("({a} {} {b})", self.comparison())
            }
            2..=3 => {
                let operator = *self.random.pick(&["&&", "||", "&&", "||", "^", "&", "|", "=="]);
                let (a, b) = (self.truth(depth), self.truth(depth));
                format!("({a} {operator} {b})")
            }
            4 => format!("!{}", self.truth(depth)),
            5..=7 => self.truth_of_objects(depth),
            8 => format!("{}.flag", self.node(depth)),
            9 => format!("Help.even(({}) & 3)", self.value(Kind::Int, depth)),
            _ => match self.array_of(Kind::Boolean) {
                Some(array) if self.random.one_in(2) => format!("{array}[{}]", self.index(depth)),
                _ => self.readable(Kind::Boolean).unwrap_or("true".into()),
            },
        }
    }

    fn comparison(&mut self) -> &'static str {
        self.random.pick::<&str>(&["<", "<=", ">", ">=", "==", "!="])
    }
}

/// An int that javac reads.
pub fn literal(value: i32) -> String {
    match value {
        i32::MIN => "Integer.MIN_VALUE".into(),
        0.. => value.to_string(),
        _ => format!("({value})"),
    }
}
