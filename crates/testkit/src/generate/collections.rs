//! A few operations on the JDK's own collections and builders, in a block of their own.

use super::Statement;
use super::expression::Writer;
use super::types::Kind;

impl Writer<'_> {
    pub(super) fn collection(&mut self) -> Statement {
        let name = self.fresh("c");
        let (opening, operations) = match self.random.below(4) {
            0 => (format!("{{ ArrayList<Node> {name} = new ArrayList<>();"), self.list(&name)),
            1 => (format!("{{ ArrayDeque<Node> {name} = new ArrayDeque<>();"), self.deque(&name)),
            2 => (format!("{{ HashMap<Integer, Node> {name} = new HashMap<>();"), self.map(&name)),
            _ => (format!("{{ StringBuilder {name} = new StringBuilder();"), self.builder(&name)),
        };
        let lines = operations.into_iter().map(Statement::Line).collect();
        Statement::Block(vec![(opening, lines)], "}".into())
    }

    fn several(&mut self, mut write: impl FnMut(&mut Self) -> String) -> Vec<String> {
        let count = 2 + self.random.below(3);
        (0..count).map(|_| write(self)).collect()
    }

    fn list(&mut self, name: &str) -> Vec<String> {
        self.several(|w| match w.random.below(7) {
            0..=2 => format!("{name}.add({});", w.node(1)),
            3 => format!("sn = {name}.get({});", w.index(1)),
            4 => format!("si = {name}.size();"),
            5 => format!("sn = {name}.remove({});", w.index(0)),
            _ => format!("for (Node each : {name}) si += each.val;"),
        })
    }

    fn deque(&mut self, name: &str) -> Vec<String> {
        self.several(|w| match w.random.below(6) {
            0..=1 => format!("{name}.addLast({});", w.node(1)),
            2 => format!("{name}.push({});", w.node(1)),
            3 => format!("sn = {name}.poll();"),
            4 => format!("sn = {name}.removeLast();"),
            _ => format!("si += {name}.size();"),
        })
    }

    fn map(&mut self, name: &str) -> Vec<String> {
        self.several(|w| {
            let key = w.random.below(3);
            match w.random.below(5) {
                0..=1 => format!("{name}.put({key}, {});", w.node(1)),
                2 => format!("sn = {name}.get({key});"),
                3 => format!("si += {name}.size();"),
                _ => format!("sn = {name}.getOrDefault({key}, {});", w.node(1)),
            }
        })
    }

    fn builder(&mut self, name: &str) -> Vec<String> {
        let mut lines = self.several(|w| match w.random.below(5) {
            0 => format!("{name}.append({});", w.value(Kind::Char, 1)),
            1 => format!("{name}.append({});", w.text(1)),
            2 => format!("{name}.append(({}) & 7);", w.value(Kind::Int, 1)),
            3 => format!("si = {name}.length();"),
            _ => format!("si += {name}.charAt({});", w.index(0)),
        });
        lines.push(format!("st = {name}.toString();"));
        lines
    }
}
