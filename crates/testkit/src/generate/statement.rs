//! Random statements. Loops have their own counters, which nothing else assigns, so that every
//! method ends.

use super::Statement;
use super::expression::{Writer, literal};
use super::types::Kind;

impl Writer<'_> {
    pub fn statements(&mut self, count: usize, depth: u32) -> Vec<Statement> {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn some(&mut self, depth: u32) -> Vec<Statement> {
        let count = 1 + self.random.below(3);
        self.statements(count, depth)
    }

    fn statement(&mut self, depth: u32) -> Statement {
        if depth == 0 || self.random.one_in(2) {
            return Statement::Line(self.line());
        }
        let depth = depth - 1;
        match self.random.below(11) {
            0..=2 => self.branch(depth),
            3..=4 => self.repeat(depth),
            5 => self.switch(depth),
            6..=9 => self.protect(depth),
            _ => self.collection(),
        }
    }

    fn line(&mut self) -> String {
        match self.random.below(14) {
            0..=3 => {
                let (name, kind) = self.any_variable();
                format!("{name} = {};", self.value(kind, 3))
            }
            4..=5 => {
                let kinds =
                    [Kind::Int, Kind::Node, Kind::Long, Kind::Object, Kind::Ints, Kind::Text];
                let kind = *self.random.pick(&kinds);
                match self.place(kind, 1) {
                    Some(place) => format!("{place} = {};", self.value(kind, 2)),
                    None => format!("si = {};", self.value(Kind::Int, 2)),
                }
            }
            6..=7 => self.compound_line(),
            8 => {
                let kind = *self.random.pick(&[Kind::Int, Kind::Long, Kind::Byte, Kind::Char]);
                match self.place(kind, 1) {
                    Some(place) => {
                        format!("{place}{};", self.random.pick(&["++", "--"]))
                    }
                    None => "si++;".into(),
                }
            }
            9 => format!("{}.set({});", self.node(1), self.value(Kind::Int, 2)),
            10 => self.leave(),
            11 => self.throwing(),
            12 => self.captured(),
            _ => match self.variable(Kind::Objects) {
                Some(array) => {
                    let index = self.index(1);
                    format!("{array}[{index}] = {};", self.value(Kind::Object, 2))
                }
                None if self.random.one_in(5) => format!("assert {};", self.truth(2)),
                None => format!("sn = {};", self.value(Kind::Node, 2)),
            },
        }
    }

    /// Compound assignments narrow by themselves: the right side may be wider.
    fn compound_line(&mut self) -> String {
        let kinds = [Kind::Int, Kind::Long, Kind::Byte, Kind::Char, Kind::Short, Kind::Int];
        let kind = *self.random.pick(&kinds);
        let wide = *self.random.pick(&[Kind::Int, Kind::Long, Kind::Char]);
        match self.place(kind, 1) {
            Some(place) => format!("{place} {} {};", self.compound(), self.value(wide, 2)),
            None => format!("sl {} {};", self.compound(), self.value(wide, 2)),
        }
    }

    /// `break`, `continue` or `return`, behind a condition.
    fn leave(&mut self) -> String {
        let condition = self.truth(2);
        let way = self.random.below(4);
        let label = match self.loops.is_empty() {
            true => None,
            false => Some(self.random.pick(&self.loops).clone()),
        };
        match (way, label) {
            (0, Some(_)) => format!("if ({condition}) break;"),
            (1, Some(label)) => format!("if ({condition}) continue {label};"),
            (2, Some(label)) => format!("if ({condition}) break {label};"),
            _ => match self.result {
                Some(kind) => format!("if ({condition}) return {};", self.value(kind, 1)),
                None => format!("if ({condition}) si++;"),
            },
        }
    }

    fn throwing(&mut self) -> String {
        let condition = self.truth(2);
        let number = self.value(Kind::Int, 1);
        let exception = match self.random.below(4) {
            0 => format!("new Oops({number})"),
            1 => format!("new Worse({number})"),
            2 => "new IllegalStateException(\"no\")".into(),
            _ => format!("new ArithmeticException(\"code \" + {number})"),
        };
        format!("if ({condition}) throw {exception};")
    }

    /// A lambda that captures a number and an object.
    fn captured(&mut self) -> String {
        let (k, n, f) = (self.fresh("k"), self.fresh("n"), self.fresh("f"));
        let (number, node) = (self.value(Kind::Int, 1), self.node(1));
        let scope = [("x", Kind::Int), ("y", Kind::Int), (k.as_str(), Kind::Int)];
        let inside = self.alone(&scope, |w| w.value(Kind::Int, 2));
        let (a, b) = (self.value(Kind::Int, 1), self.value(Kind::Int, 1));
        format!(
            "{{ final int {k} = {number}; final Node {n} = {node}; \
             Operation {f} = (x, y) -> {n}.val = {inside}; si = {f}.apply({a}, {b}); }}"
        )
    }

    fn branch(&mut self, depth: u32) -> Statement {
        let mut parts = vec![(format!("if ({}) {{", self.truth(2)), self.some(depth))];
        if self.random.one_in(3) {
            parts.push((format!("}} else if ({}) {{", self.truth(2)), self.some(depth)));
        }
        if self.random.one_in(2) {
            parts.push(("} else {".into(), self.some(depth)));
        }
        Statement::Block(parts, "}".into())
    }

    fn repeat(&mut self, depth: u32) -> Statement {
        let (counter, label) = (self.fresh("i"), self.fresh("loop"));
        let most = 2 + self.random.below(2);
        let shape = self.random.below(6);
        let bound = match self.random.one_in(2) {
            true => most.to_string(),
            false => format!("(({}) & 3)", self.value(Kind::Int, 1)),
        };
        self.loops.push(label.clone());
        let inside = |w: &mut Self, kind| w.with_constant(&counter, kind, |w| w.some(depth));
        let block = match shape {
            0..=1 => {
                let opening = format!(
                    "{label}: for (int {counter} = 0; {counter} < {bound}; {counter}++) {{"
                );
                Statement::Block(vec![(opening, inside(self, Kind::Int))], "}".into())
            }
            2 => {
                let opening =
                    format!("{label}: for (int {counter} = {most}; --{counter} >= 0; ) {{");
                Statement::Block(vec![(opening, inside(self, Kind::Int))], "}".into())
            }
            3 => {
                let array = self.value(Kind::Ints, 1);
                let opening = format!("{label}: for (int {counter} : {array}) {{");
                Statement::Block(vec![(opening, inside(self, Kind::Int))], "}".into())
            }
            4 => {
                let (condition, walk) = (self.truth(1), self.node(1));
                let opening = format!(
                    "{{ int {counter} = {most}; Node w{counter} = {walk}; \
                     {label}: while ({counter}-- > 0 && w{counter} != null) {{ \
                     if ({condition}) w{counter} = w{counter}.next;"
                );
                Statement::Block(vec![(opening, inside(self, Kind::Int))], "} }".into())
            }
            _ => {
                let opening = format!("{{ int {counter} = 0; {label}: do {{");
                let condition = self.truth(1);
                let end = format!("}} while (++{counter} < {most} && {condition}); }}");
                Statement::Block(vec![(opening, inside(self, Kind::Int))], end)
            }
        };
        self.loops.pop();
        block
    }

    fn switch(&mut self, depth: u32) -> Statement {
        let (opening, labels): (String, Vec<String>) = match self.random.below(4) {
            0 => {
                let on = self.value(Kind::Int, 2);
                (format!("switch (({on}) & 3) {{"), (0..3).map(|n| n.to_string()).collect())
            }
            1 => {
                let on = self.value(Kind::Int, 2);
                let labels = ["0", "1000", "Integer.MIN_VALUE"].map(str::to_string).to_vec();
                (format!("switch ((int) ({on})) {{"), labels)
            }
            2 => {
                let labels = ["\"a\"", "\"ab\"", "\"\""].map(str::to_string).to_vec();
                (format!("switch ({}) {{", self.text(1)), labels)
            }
            _ => {
                let labels = ["RED", "BLUE"].map(str::to_string).to_vec();
                (format!("switch ({}) {{", self.value(Kind::Color, 1)), labels)
            }
        };
        let mut parts = vec![(opening, Vec::new())];
        let arrows = self.random.one_in(2);
        // Inside an old-style case `break` means the switch, which is fine as well.
        for (number, label) in labels.iter().enumerate() {
            let body = self.some(depth);
            if arrows {
                let before = if number == 0 { "" } else { "} " };
                parts.push((format!("{before}case {label} -> {{"), body));
            } else {
                let falls = self.random.one_in(3) || number == 0;
                let before = if falls { "" } else { "if (si != 1) break; " };
                parts.push((format!("{before}case {label}:"), body));
            }
        }
        if self.random.one_in(2) {
            let opening = if arrows { "} default -> {" } else { "default:" };
            parts.push((opening.into(), self.some(depth)));
        }
        Statement::Block(parts, if arrows { "} }".into() } else { "}".to_string() })
    }

    fn protect(&mut self, depth: u32) -> Statement {
        if self.random.one_in(6) {
            let (door, node) = (self.fresh("d"), self.node(1));
            let opening = format!("try (Door {door} = new Door({node})) {{");
            let mut parts = vec![(opening, self.some(depth))];
            if self.random.one_in(2) {
                let caught = self.fresh("e");
                let opening = format!("}} catch (RuntimeException {caught}) {{");
                parts.push((opening, self.some(depth)));
            }
            return Statement::Block(parts, "}".into());
        }
        if self.random.one_in(8) {
            let opening = format!("synchronized ({}) {{", self.node(1));
            return Statement::Block(vec![(opening, self.some(depth))], "}".into());
        }
        let mut parts = vec![("try {".to_string(), self.some(depth))];
        let exceptions = [
            "NullPointerException",
            "IndexOutOfBoundsException",
            "ArithmeticException",
            "ClassCastException | NegativeArraySizeException",
            "Oops",
            "RuntimeException",
            "RuntimeException",
            "Throwable",
        ];
        let caught = self.fresh("e");
        let first = self.random.below(exceptions.len());
        let with_finally = self.random.one_in(3);
        if !with_finally || !self.random.one_in(3) {
            let exception = exceptions[first];
            let mut body = self.some(depth);
            match (exception, self.random.below(4)) {
                (name, 0) if name != "Throwable" => {
                    let line = format!("if ({}) throw {caught};", self.truth(1));
                    body.push(Statement::Line(line));
                }
                ("Oops", _) => body.push(Statement::Line(format!("si = {caught}.code;"))),
                _ => {}
            }
            parts.push((format!("}} catch ({exception} {caught}) {{"), body));
            if first < 3 && self.random.one_in(3) {
                let other = self.fresh("e");
                parts.push((format!("}} catch (RuntimeException {other}) {{"), self.some(depth)));
            }
        }
        if with_finally || parts.len() == 1 {
            let mut body = self.some(depth);
            let mark = literal(self.random.interesting() as i32);
            body.push(Statement::Line(format!("si ^= {mark};")));
            parts.push(("} finally {".into(), body));
        }
        Statement::Block(parts, "}".into())
    }
}
