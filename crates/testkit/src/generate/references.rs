//! Random expressions about objects: references, and numbers and truth values read from them.

use super::expression::Writer;
use super::types::{Kind, NODE_FIELDS};

/// Texts short enough to be equal sometimes.
pub const TEXTS: [&str; 7] =
    ["\"\"", "\"a\"", "\"b\"", "\"ab\"", "\"\\u00e9\"", "\"a\\u4e2d\"", "\"-1\""];

impl Writer<'_> {
    pub(super) fn node(&mut self, depth: u32) -> String {
        self.value(Kind::Node, depth.min(1))
    }

    pub(super) fn text(&mut self, depth: u32) -> String {
        self.value(Kind::Text, depth.min(1))
    }

    /// Without a variable of the kind.
    pub(super) fn simple_reference(&mut self, kind: Kind) -> String {
        let is_null = self.random.one_in(12);
        match kind {
            Kind::Text if !is_null => self.random.pick(&TEXTS).to_string(),
            Kind::Color if !is_null => {
                self.random.pick(&["Color.RED", "Color.GREEN", "Color.BLUE"]).to_string()
            }
            Kind::Node if !is_null && self.is_free() => {
                let own = if self.is_static { "sn" } else { "held" };
                let fresh = ["new Node(1, sn)", "new Leaf(2, sn)", "new Twig(3)"];
                match self.random.below(3) {
                    0 => self.random.pick(&fresh).to_string(),
                    _ => self.random.pick(&["sn", own]).to_string(),
                }
            }
            Kind::Leaf if !is_null => "new Leaf(-3, null)".into(),
            Kind::Shape if !is_null => "new Twig(5)".into(),
            Kind::Pair if !is_null => "new Pair(4, sn)".into(),
            Kind::Boxed if !is_null => {
                let number = *self.random.pick(&["0", "127", "128", "(-128)", "(-129)", "1000"]);
                format!("Integer.valueOf({number})")
            }
            Kind::Object if !is_null => {
                let kind = *self.random.pick(&[Kind::Node, Kind::Text, Kind::Boxed, Kind::Ints]);
                format!("((Object) {})", self.simple(kind))
            }
            Kind::Flags if !is_null => {
                self.random.pick(&["new boolean[2]", "new boolean[] {true}"]).to_string()
            }
            Kind::Ints | Kind::Bytes | Kind::Chars | Kind::Longs if !is_null => {
                let element = kind.element().map_or("int", Kind::java);
                match self.random.below(2) {
                    0 => format!("new {element}[{}]", self.random.below(4)),
                    _ => format!("new {element}[] {{1, 2, 3}}"),
                }
            }
            Kind::Nodes if !is_null => {
                self.random.pick(&["new Node[2]", "new Leaf[2]"]).to_string()
            }
            Kind::Objects if !is_null => {
                self.random.pick(&["new Object[2]", "new Node[1]", "new String[2]"]).to_string()
            }
            _ => format!("(({}) null)", kind.java()),
        }
    }

    /// An expression of a reference kind.
    pub(super) fn reference(&mut self, kind: Kind, depth: u32) -> String {
        if self.random.one_in(4) {
            return self.field_or_cast(kind, depth);
        }
        if self.random.one_in(6) {
            let condition = self.truth(depth);
            let (a, b) = (self.value(kind, depth), self.value(kind, depth));
            return format!("({condition} ? {a} : {b})");
        }
        match kind {
            Kind::Node => match self.random.below(7) {
                0..=1 => format!("{}.next", self.node(depth)),
                2 => {
                    let class = *self.random.pick(&["Node", "Leaf"]);
                    let value = self.value(Kind::Int, depth);
                    format!("new {class}({value}, {})", self.node(depth))
                }
                3 => format!("{}.self()", self.node(depth)),
                4 => format!("{}.b()", self.value(Kind::Pair, depth)),
                5 => {
                    let maker = *self.random.pick(&[
                        "Node::new",
                        "Leaf::new",
                        "(v, n) -> n.next",
                        "(v, n) -> v > 0 ? n : null",
                    ]);
                    let (v, n) = (self.value(Kind::Int, depth), self.node(depth));
                    format!("((Maker) {maker}).make({v}, {n})")
                }
                _ => self.simple(kind),
            },
            Kind::Text => self.new_text(depth),
            Kind::Boxed => match self.random.below(3) {
                0 => format!("((Integer) ({}))", self.value(Kind::Int, depth)),
                1 => format!("{}.boxed", self.node(depth)),
                _ => format!("Integer.valueOf({})", self.value(Kind::Byte, depth)),
            },
            Kind::Ints => match self.random.below(4) {
                0 => format!("new int[({}) & 3]", self.value(Kind::Int, depth)),
                1 => format!("new int[({}) % 4]", self.value(Kind::Int, depth)),
                2 => {
                    let (a, b) = (self.value(Kind::Int, depth), self.value(Kind::Int, depth));
                    format!("new int[] {{{a}, {b}}}")
                }
                _ => format!("{}.data", self.node(depth)),
            },
            Kind::Objects => {
                let (a, b) = (self.value(Kind::Object, depth), self.node(depth));
                format!("new Object[] {{{a}, {b}}}")
            }
            Kind::Pair => {
                format!("new Pair({}, {})", self.value(Kind::Int, depth), self.node(depth))
            }
            Kind::Object => {
                let kinds = [Kind::Node, Kind::Text, Kind::Boxed, Kind::Ints, Kind::Color];
                let kind = *self.random.pick(&kinds);
                format!("((Object) {})", self.value(kind, depth))
            }
            _ => self.simple(kind),
        }
    }

    fn field_or_cast(&mut self, kind: Kind, depth: u32) -> String {
        let fields: Vec<_> = NODE_FIELDS.iter().filter(|f| f.1 == kind).collect();
        match fields.first() {
            Some(field) if self.random.one_in(2) => format!("{}.{}", self.node(depth), field.0),
            _ if self.random.one_in(8) => {
                format!("(({}) {})", kind.java(), self.value(Kind::Object, depth))
            }
            _ => self.simple(kind),
        }
    }

    fn new_text(&mut self, depth: u32) -> String {
        match self.random.below(7) {
            6 => {
                let (a, b) = (self.text(depth), self.text(depth));
                match self.random.below(2) {
                    0 => format!("new Longest().best({a}, {b})"),
                    _ => format!("((Chooser<String>) new Longest()).best({a}, {b})"),
                }
            }
            0..=1 => {
                let kinds = [Kind::Text, Kind::Char, Kind::Boolean, Kind::Boxed, Kind::Color];
                let kind = *self.random.pick(&kinds);
                format!("({} + {})", self.text(depth), self.value(kind, depth))
            }
            2 => format!("({} + (({}) & 15))", self.text(depth), self.value(Kind::Int, depth)),
            3 => format!("{}.substring({})", self.text(depth), self.index(depth)),
            4 => format!("String.valueOf({})", self.value(Kind::Char, depth)),
            _ => format!("{}.text", self.node(depth)),
        }
    }

    /// An int that comes from objects, arrays or calls.
    pub(super) fn int_of_objects(&mut self, depth: u32) -> String {
        let node = self.node(depth);
        match self.random.below(30) {
            26 => {
                let (a, b) = (self.value(Kind::Boxed, depth), self.value(Kind::Boxed, depth));
                format!("(int) new Nearest().best({a}, {b})")
            }
            27 => {
                let (a, b) = (self.value(Kind::Int, depth), self.value(Kind::Int, depth));
                format!("(int) new Box<>({a}, new Box<>({b}, null)).most()")
            }
            28 => {
                let (a, b) = (self.text(depth), self.text(depth));
                format!("(int) new Box<>({a}, new Box<>({b}, null)).map(String::length).most()")
            }
            29 => {
                let fields = [
                    "Early.AFTER",
                    "Early.ONLY.seen",
                    "Middle.SECOND",
                    "Base.NAME.length()",
                    "Base.TABLE[1]",
                    "Middle.TABLE.length",
                ];
                self.random.pick(&fields).to_string()
            }
            20 => {
                let (a, b) = (self.text(depth), self.text(depth));
                let call = *self.random.pick(&["indexOf", "compareTo", "lastIndexOf"]);
                format!("{a}.{call}({b})")
            }
            21 => format!("{}.hashCode()", self.text(depth)),
            22 => {
                let (a, b) = (self.value(Kind::Int, depth), self.value(Kind::Int, depth));
                format!("Help.id({a}) + Help.<Integer>id({b})")
            }
            23 => {
                let (i, j) = (self.index(depth), self.index(depth));
                format!("(new int[2][{}])[{i}][{j}]++", 1 + self.random.below(2))
            }
            24 => {
                let number = self.value(Kind::Int, depth);
                let call = *self.random.pick(&["bitCount", "signum", "reverse", "highestOneBit"]);
                format!("Integer.{call}({number})")
            }
            25 => {
                let (a, b) = (self.value(Kind::Long, depth), self.value(Kind::Long, depth));
                let call = *self.random.pick(&["Long.compare", "Help.order"]);
                format!("{call}({a}, {b})")
            }
            0..=1 => format!("{node}.val"),
            2 => format!("{node}.get()"),
            3 => {
                let shape = *self.random.pick(&[Kind::Shape, Kind::Node]);
                let call = *self.random.pick(&["area", "twice"]);
                let shape = self.value(shape, depth);
                format!("{shape}.{call}({})", self.value(Kind::Int, depth))
            }
            4 => format!("{}.length()", self.text(depth)),
            5 => format!("({}).length", self.value(Kind::Ints, depth)),
            6..=7 => format!("({})[{}]", self.value(Kind::Ints, depth), self.index(depth)),
            8 => {
                let (a, b) = (self.value(Kind::Int, depth), self.value(Kind::Int, depth));
                let name = *self.random.pick(&["Help.mix", "plus", "Math.max", "Math.min"]);
                format!("{name}({a}, {b})")
            }
            9 => {
                let (n, b) = (self.value(Kind::Int, depth), self.value(Kind::Int, depth));
                format!("Help.down(({n}) & 3, {b})")
            }
            10 => format!("(int) {}", self.value(Kind::Boxed, depth)),
            11 => {
                let color = self.value(Kind::Color, depth);
                match self.random.below(3) {
                    0 => format!("{color}.ordinal()"),
                    1 => format!("{color}.code"),
                    _ => format!("{color}.mix({})", self.value(Kind::Int, depth)),
                }
            }
            12 => {
                let call = *self.random.pick(&["a", "sum"]);
                format!("{}.{call}()", self.value(Kind::Pair, depth))
            }
            13 => self.switch_value(depth),
            14 => format!("{node}.new Inner().look({})", self.value(Kind::Int, depth)),
            15 => {
                let (a, c) = (self.value(Kind::Int, depth), self.value(Kind::Long, depth));
                format!("Help.part({a}, {c}, {})", self.value(Kind::Byte, depth))
            }
            16 => self.lambda(depth),
            17 if !self.is_static => {
                let call = *self.random.pick(&["count", "own", "tiny"]);
                match call {
                    "own" => format!("own({})", self.value(Kind::Int, depth)),
                    field => field.to_string(),
                }
            }
            18 => {
                let (a, b) = (self.value(Kind::Int, depth), self.value(Kind::Int, depth));
                format!("Help.sum({a}, {b})")
            }
            _ => self.random.pick(&["si", "LIMIT", "(int) sl"]).to_string(),
        }
    }

    fn switch_value(&mut self, depth: u32) -> String {
        let value = |w: &mut Self| w.value(Kind::Int, depth);
        let (a, b, c) = (value(self), value(self), value(self));
        match self.random.below(3) {
            0 => {
                let color = self.value(Kind::Color, depth);
                format!("switch ({color}) {{ case RED -> {a}; case BLUE -> {b}; default -> {c}; }}")
            }
            1 => {
                let on = value(self);
                format!(
                    "switch (({on}) & 7) {{ case 0, 3 -> {a}; case 5 -> {b}; default -> {c}; }}"
                )
            }
            _ => {
                let text = self.text(depth);
                format!(
                    "switch ({text}) {{ case \"a\" -> {a}; case \"ab\" -> {b}; default -> {c}; }}"
                )
            }
        }
    }

    /// A function object, called at once.
    fn lambda(&mut self, depth: u32) -> String {
        let (a, b) = (self.value(Kind::Int, depth), self.value(Kind::Int, depth));
        match self.random.below(5) {
            0 => {
                let inside =
                    self.alone(&[("x", Kind::Int), ("y", Kind::Int)], |w| w.value(Kind::Int, 2));
                format!("((Operation) (x, y) -> {inside}).apply({a}, {b})")
            }
            1 => {
                let target = *self.random.pick(&["Help::mix", "Math::max", "Integer::compare"]);
                format!("((Operation) {target}).apply({a}, {b})")
            }
            2 => format!("((IntUnaryOperator) {}::area).applyAsInt({a})", self.node(depth)),
            3 => {
                let node = self.node(depth);
                format!("((ToIntFunction<Node>) Node::get).applyAsInt({node})")
            }
            _ => {
                let inside = self.alone(&[("x", Kind::Int)], |w| w.value(Kind::Int, 2));
                let anonymous =
                    format!("new Shape() {{ public int area(int x) {{ return {inside}; }} }}");
                let call = *self.random.pick(&["area", "twice"]);
                format!("{anonymous}.{call}({a})")
            }
        }
    }

    /// A truth value about objects.
    pub(super) fn truth_of_objects(&mut self, depth: u32) -> String {
        match self.random.below(11) {
            8 => format!("{}.isEmpty()", self.text(depth)),
            9 => {
                let kind = *self.random.pick(&[Kind::Text, Kind::Node, Kind::Boxed, Kind::Color]);
                let (a, b) = (self.value(kind, depth), self.value(kind, depth));
                format!("Objects.equals({a}, {b})")
            }
            10 => {
                let (a, b) = (self.value(Kind::Pair, depth), self.value(Kind::Pair, depth));
                format!("{a}.equals({b})")
            }
            0..=1 => {
                let kind = *self.random.pick(&[Kind::Node, Kind::Object, Kind::Text, Kind::Boxed]);
                let operator = *self.random.pick(&["==", "!="]);
                let (a, b) = (self.value(kind, depth), self.value(kind, depth));
                format!("({a} {operator} {b})")
            }
            2 => {
                let classes = ["Leaf", "Node", "String", "Integer", "int[]", "Shape", "Twig"];
                let class = *self.random.pick(&classes);
                format!("({} instanceof {class})", self.value(Kind::Object, depth))
            }
            3 => {
                let bound = self.fresh("t");
                let object = self.value(Kind::Object, depth);
                format!("({object} instanceof Leaf {bound} && {bound}.extra > 0)")
            }
            4 => format!("({} == null)", self.node(depth)),
            5 => format!("{}.equals({})", self.text(depth), self.text(depth)),
            6 => format!(
                "{}.equals({})",
                self.value(Kind::Boxed, depth),
                self.value(Kind::Object, depth)
            ),
            _ => format!("{}.startsWith({})", self.text(depth), self.text(depth)),
        }
    }
}
