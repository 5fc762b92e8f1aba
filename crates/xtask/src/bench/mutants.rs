//! Small faults for a method of Java: each mutant differs from the source in one operator, operand,
//! condition, constant, statement or field.
//!
//! It works on tokens and knows of types only what declarations in the same source say, so some
//! mutants do not compile; whoever uses them has to leave those out. Comments, and with them
//! specifications, are never changed.

mod tokens;

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use tokens::{Kind, Token, closing, is_primitive, text, tokens};

/// A source with one fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The operator and a number, as in `ROR_3`; the same for the same source and lines.
    pub name: String,
    /// Where the fault is.
    pub line: usize,
    /// The line or lines as they were, and as they are now.
    pub before: String,
    pub after: String,
    pub source: String,
}

/// All mutants of the method that stands in these lines, operator by operator.
pub fn mutants(source: &str, lines: RangeInclusive<usize>) -> Vec<Mutant> {
    let tokens = tokens(source);
    let Some(method) = Method::of(source, &tokens, &lines) else {
        return Vec::new();
    };
    let mut mutants = Vec::new();
    for (name, operator) in operators() {
        let mut edits = Vec::new();
        operator(&method, &mut edits);
        for (number, edit) in (1..).zip(edits) {
            mutants.push(edit.apply(source, format!("{name}_{number}")));
        }
    }
    mutants
}

/// The lines of the first method of this name that has a body.
pub fn method_lines(source: &str, name: &str) -> Option<RangeInclusive<usize>> {
    let tokens = tokens(source);
    let is_declared = |at: usize| {
        let before = at.checked_sub(1).map(|b| &tokens[b]);
        before.is_some_and(|t| t.is_name() || is_primitive(t.text) || ["]", ">"].contains(&t.text))
    };
    (0..tokens.len()).find_map(|at| {
        if tokens[at].text != name || text(&tokens, at + 1) != "(" || !is_declared(at) {
            return None;
        }
        let closed = closing(&tokens, at + 1)?;
        let stop = (closed..tokens.len()).find(|t| ["{", ";"].contains(&tokens[*t].text))?;
        let end = (tokens[stop].text == "{").then(|| closing(&tokens, stop)).flatten()?;
        Some(tokens[at].line..=tokens[end].line)
    })
}

type Operator<'s> = fn(&Method<'s>, &mut Vec<Edit>);

/// Arithmetic replaced; `++` and `--` inserted; minus inserted; relations replaced; `&&` and `||`
/// replaced; conditions negated; operands inverted; constants replaced; statements deleted; fields
/// replaced by others of the same class and type.
fn operators<'s>() -> [(&'static str, Operator<'s>); 10] {
    [
        ("AOR", Method::replace_arithmetic),
        ("AOIS", Method::insert_steps),
        ("AOIU", Method::insert_minus),
        ("ROR", Method::replace_relations),
        ("COR", Method::replace_connectives),
        ("COI", Method::negate_conditions),
        ("LOI", Method::invert_operands),
        ("CRP", Method::replace_constants),
        ("SDL", Method::delete_statements),
        ("FSW", Method::swap_fields),
    ]
}

/// A piece of the source and what comes in its place.
struct Edit {
    place: Range<usize>,
    text: String,
}

impl Edit {
    fn apply(self, source: &str, name: String) -> Mutant {
        let Range { start, end } = self.place;
        let from = source[..start].rfind('\n').map_or(0, |n| n + 1);
        let to = source[end..].find('\n').map_or(source.len(), |n| end + n);
        let (head, tail) = (&source[from..start], &source[end..to]);
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Mutant {
            name,
            line: source[..start].matches('\n').count() + 1,
            before: one_line(&source[from..to]),
            after: one_line(&format!("{head}{}{tail}", self.text)),
            source: format!("{}{}{}", &source[..start], self.text, &source[end..]),
        }
    }
}

/// A method to be changed: the tokens of the whole source, which of them are its body, and what is
/// known about names.
struct Method<'s> {
    source: &'s str,
    tokens: &'s [Token<'s>],
    /// Without its braces.
    body: Range<usize>,
    /// Types of parameters and local variables.
    locals: BTreeMap<&'s str, &'s str>,
    fields: Vec<Field<'s>>,
}

struct Field<'s> {
    name: &'s str,
    class: usize,
    kind: &'s str,
    /// Whether the method can name it without an object.
    is_near: bool,
}

impl<'s> Method<'s> {
    fn of(
        source: &'s str,
        tokens: &'s [Token<'s>],
        lines: &RangeInclusive<usize>,
    ) -> Option<Method<'s>> {
        let first = tokens.iter().position(|t| lines.contains(&t.line))?;
        let open = (first..tokens.len()).find(|t| tokens[*t].text == "{")?;
        let close = closing(tokens, open)?;
        let locals = (first..close).filter_map(|at| {
            let (kind, name) = (&tokens[at], tokens.get(at + 1)?);
            let is_type = kind.is_name() || is_primitive(kind.text);
            let ends = ["=", ";", ",", ")", ":"].contains(&text(tokens, at + 2));
            (is_type && name.is_name() && ends).then_some((name.text, kind.text))
        });
        let (body, locals) = (open + 1..close, locals.collect());
        Some(Method { source, tokens, fields: fields(tokens, open), body, locals })
    }

    fn text(&self, at: usize) -> &'s str {
        text(self.tokens, at)
    }

    fn place(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end()
    }

    /// An edit that writes something in front of tokens and behind them.
    fn enclose(&self, tokens: Range<usize>, front: &str, back: &str) -> Edit {
        let place = self.place(tokens);
        let text = format!("{front}{}{back}", &self.source[place.clone()]);
        Edit { place, text }
    }

    fn replace(&self, edits: &mut Vec<Edit>, at: usize, text: &str) {
        edits.push(Edit { place: self.place(at..at + 1), text: text.to_string() });
    }

    fn replace_arithmetic(&self, edits: &mut Vec<Edit>) {
        const BINARY: [&str; 5] = ["+", "-", "*", "/", "%"];
        for at in self.body.clone() {
            match self.text(at) {
                "++" => self.replace(edits, at, "--"),
                "--" => self.replace(edits, at, "++"),
                "+=" => self.replace(edits, at, "-="),
                "-=" => self.replace(edits, at, "+="),
                sign if BINARY.contains(&sign) && self.ends_operand(at - 1) => {
                    for other in BINARY.into_iter().filter(|other| *other != sign) {
                        self.replace(edits, at, other);
                    }
                }
                _ => {}
            }
        }
    }

    fn insert_steps(&self, edits: &mut Vec<Edit>) {
        for path in self.read_paths("int") {
            for (front, back) in [("", "++"), ("", "--"), ("(++", ")"), ("(--", ")")] {
                edits.push(self.enclose(path.clone(), front, back));
            }
        }
    }

    fn insert_minus(&self, edits: &mut Vec<Edit>) {
        self.prefix(edits, "int", "-");
    }

    fn invert_operands(&self, edits: &mut Vec<Edit>) {
        self.prefix(edits, "int", "~");
        self.prefix(edits, "boolean", "!");
    }

    fn prefix(&self, edits: &mut Vec<Edit>, kind: &str, sign: &str) {
        for path in self.read_paths(kind) {
            edits.push(self.enclose(path, &format!("({sign}"), ")"));
        }
    }

    fn replace_relations(&self, edits: &mut Vec<Edit>) {
        const ALL: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
        for at in self.body.clone() {
            let relation = self.text(at);
            let is_order = ["<", "<=", ">", ">="].contains(&relation);
            for other in ALL.into_iter().filter(|other| *other != relation) {
                let is_same_kind = ["==", "!="].contains(&other);
                let is_equality = ["==", "!="].contains(&relation);
                if is_order || is_equality && (is_same_kind || self.compares_numbers(at)) {
                    self.replace(edits, at, other);
                }
            }
        }
    }

    fn replace_connectives(&self, edits: &mut Vec<Edit>) {
        for at in self.body.clone() {
            match self.text(at) {
                "&&" => self.replace(edits, at, "||"),
                "||" => self.replace(edits, at, "&&"),
                _ => {}
            }
        }
    }

    fn negate_conditions(&self, edits: &mut Vec<Edit>) {
        for at in self.body.clone() {
            let word = self.text(at);
            let Some(close) = ["if", "while", "for"]
                .contains(&word)
                .then(|| closing(self.tokens, at + 1))
                .flatten()
            else {
                continue;
            };
            let mut inside = at + 2..close;
            if word == "for" {
                let mut ends = inside.clone().filter(|t| self.text(*t) == ";");
                let (Some(first), Some(second)) = (ends.next(), ends.next()) else {
                    continue;
                };
                inside = first + 1..second;
            }
            if !inside.is_empty() {
                edits.push(self.enclose(inside, "!(", ")"));
            }
        }
    }

    fn replace_constants(&self, edits: &mut Vec<Edit>) {
        for at in self.body.clone() {
            match self.text(at) {
                "true" => self.replace(edits, at, "false"),
                "false" => self.replace(edits, at, "true"),
                number if self.tokens[at].kind == Kind::Number => {
                    let Ok(value) = number.parse::<i64>() else {
                        continue;
                    };
                    self.replace(edits, at, &(value + 1).to_string());
                    match value {
                        0 => self.replace(edits, at, "(-1)"),
                        _ => self.replace(edits, at, &(value - 1).to_string()),
                    }
                }
                _ => {}
            }
        }
    }

    fn delete_statements(&self, edits: &mut Vec<Edit>) {
        const COMPOUND: [&str; 11] = [
            "if", "while", "for", "do", "switch", "try", "else", "case", "default", "catch",
            "finally",
        ];
        let mut depth = 0_usize;
        for at in self.body.clone() {
            match self.text(at) {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let (before, first) = (self.text(at - 1), &self.tokens[at]);
            let begins = [";", "{", "}", "else"].contains(&before) || self.ends_header(at - 1);
            let is_simple = first.kind == Kind::Word && !COMPOUND.contains(&first.text)
                || ["++", "--"].contains(&first.text);
            let declares = (first.is_name() || is_primitive(first.text) || first.text == "final")
                && self.tokens[at + 1].kind == Kind::Word;
            if depth > 0 || !begins || !is_simple || declares {
                continue;
            }
            if let Some(end) = self.body.clone().find(|t| *t >= at && self.text(*t) == ";") {
                edits.push(Edit { place: self.place(at..end + 1), text: ";".into() });
            }
        }
    }

    fn swap_fields(&self, edits: &mut Vec<Edit>) {
        for at in self.body.clone() {
            let token = &self.tokens[at];
            let is_qualified = self.text(at - 1) == ".";
            let is_hidden = !is_qualified && self.locals.contains_key(token.text);
            if !token.is_name() || self.text(at + 1) == "(" || is_hidden {
                continue;
            }
            let mut others: Vec<&str> = Vec::new();
            let meant = |f: &&Field<'_>| f.name == token.text && (is_qualified || f.is_near);
            for field in self.fields.iter().filter(meant) {
                let alike = |f: &&Field<'_>| {
                    f.class == field.class && f.kind == field.kind && f.name != field.name
                };
                others.extend(self.fields.iter().filter(alike).map(|f| f.name));
            }
            for other in others {
                self.replace(edits, at, other);
            }
        }
    }

    /// Paths such as `a` or `a.b.c` of a type that are read, and neither called nor assigned.
    fn read_paths(&self, kind: &str) -> Vec<Range<usize>> {
        const ASSIGN: [&str; 8] = ["=", "+=", "-=", "*=", "/=", "%=", "++", "--"];
        let mut paths = Vec::new();
        let mut at = self.body.start;
        while at < self.body.end {
            let start = at;
            at += 1;
            if !self.tokens[start].is_name() && self.text(start) != "this" {
                continue;
            }
            while self.text(at) == "." && self.tokens[at + 1].is_name() {
                at += 2;
            }
            let (before, after) = (&self.tokens[start - 1], self.text(at));
            let is_part = before.text == "." || before.is_name() || is_primitive(before.text);
            let is_type = before.text == "new" || self.tokens[at].kind == Kind::Word;
            let is_written = ASSIGN.contains(&after) || ["++", "--"].contains(&before.text);
            let is_fit = self.kind_of(start..at) == Some(kind);
            if is_fit && !is_part && !is_type && !is_written && !["(", "["].contains(&after) {
                paths.push(start..at);
            }
        }
        paths
    }

    /// The type of a path, by the declarations of its last name.
    fn kind_of(&self, path: Range<usize>) -> Option<&'s str> {
        let last = self.text(path.end - 1);
        match self.locals.get(last) {
            Some(kind) if path.len() == 1 => Some(kind),
            _ => self.fields.iter().find(|f| f.name == last).map(|f| f.kind),
        }
    }

    /// Is one side of the relation here a number, as far as is known?
    fn compares_numbers(&self, at: usize) -> bool {
        let (mut first, mut last) = (at - 1, at + 1);
        while self.text(first - 1) == "." {
            first -= 2;
        }
        while self.text(last + 1) == "." {
            last += 2;
        }
        let is_literal = |at: usize| self.tokens[at].kind == Kind::Number;
        is_literal(at - 1)
            || is_literal(at + 1)
            || self.kind_of(first..at) == Some("int")
            || self.text(last + 1) != "(" && self.kind_of(at + 1..last + 1) == Some("int")
    }

    fn ends_operand(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        token.is_name() || token.kind == Kind::Number || [")", "]"].contains(&token.text)
    }

    /// Is this the bracket that ends `if (…)` or the like?
    fn ends_header(&self, at: usize) -> bool {
        let header = |open: &usize| {
            ["if", "while", "for"].contains(&self.text(open - 1))
                && closing(self.tokens, *open) == Some(at)
        };
        self.text(at) == ")" && (self.body.start + 1..at).any(|open| header(&open))
    }
}

/// The fields that the classes of the source declare. `body` is where a method's body opens.
fn fields<'s>(tokens: &[Token<'s>], body: usize) -> Vec<Field<'s>> {
    let mut fields = Vec::new();
    for class in (0..tokens.len()).filter(|at| text(tokens, *at) == "class") {
        let Some(open) = (class..tokens.len()).find(|at| text(tokens, *at) == "{") else {
            continue;
        };
        let close = closing(tokens, open).unwrap_or(tokens.len());
        let is_near = (open..close).contains(&body);
        // What stands between braces inside is no field of this class, nor are parameters.
        let mut at = open + 1;
        while at < close {
            match text(tokens, at) {
                "{" | "(" => at = closing(tokens, at).unwrap_or(close),
                "=" => at = (at..close).find(|t| text(tokens, *t) == ";").unwrap_or(close),
                name => {
                    let kind = &tokens[at - 1];
                    let is_type = kind.is_name() || is_primitive(kind.text);
                    let ends = ["=", ";"].contains(&text(tokens, at + 1));
                    if tokens[at].is_name() && is_type && ends {
                        fields.push(Field { name, class, kind: kind.text, is_near });
                    }
                }
            }
            at += 1;
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"
class List {
    static class Node {
        int value;
        /*@ nullable @*/ Node next;
        /*@ nullable @*/ Node prev;
    }
    Node head;
    int size;

    //@ requires index >= 0 && index < size;
    int remove(int index) {
        // if (index > 1) size--;
        Node n = head;
        for (int i = 0; i < index; i++) {
            n = n.next;
        }
        if (n == null || n.value != size + 1) {
            throw new IllegalStateException("a < b");
        }
        size--;
        /*@ assert size >= 0; @*/
        return n.value;
    }

    void other() {
        size++;
    }
}
"#;

    fn all() -> Vec<Mutant> {
        mutants(LIST, method_lines(LIST, "remove").unwrap())
    }

    /// What becomes of the lines that an operator changes.
    fn after(operator: &str) -> Vec<String> {
        let of = |m: &Mutant| m.name.rsplit_once('_').is_some_and(|(name, _)| name == operator);
        all().into_iter().filter(of).map(|m| m.after).collect()
    }

    #[test]
    fn a_method_is_found_by_its_name() {
        assert_eq!(method_lines(LIST, "remove"), Some(12..=24));
        assert_eq!(method_lines(LIST, "other"), Some(26..=28));
        assert_eq!(method_lines(LIST, "size"), None);
        let call = "class A { void a() { b(); } void b() { }\n}";
        assert_eq!(method_lines(call, "b"), Some(1..=1));
    }

    #[test]
    fn names_are_stable_and_differ() {
        let names: Vec<String> = all().into_iter().map(|m| m.name).collect();
        assert_eq!(names, all().into_iter().map(|m| m.name).collect::<Vec<_>>());
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len());
        assert!(names.contains(&"ROR_3".to_string()));
    }

    #[test]
    fn each_differs_in_the_lines_that_it_says() {
        for mutant in all() {
            let changed = LIST.lines().zip(mutant.source.lines()).position(|(a, b)| a != b);
            assert_eq!(changed, Some(mutant.line - 1), "{mutant:?}");
            assert_ne!(mutant.before, mutant.after);
            assert!((12..=24).contains(&mutant.line));
        }
    }

    #[test]
    fn comments_and_strings_stay() {
        for mutant in all() {
            for kept in [
                "//@ requires index >= 0 && index < size;",
                "// if (index > 1) size--;",
                "/*@ assert size >= 0; @*/",
                "/*@ nullable @*/ Node prev;",
                "\"a < b\"",
                "void other() {\n        size++;",
            ] {
                let has = mutant.source.contains(kept);
                // A statement that is deleted takes its strings with it.
                assert!(has || mutant.name.starts_with("SDL") && kept.contains("a < b"));
            }
        }
    }

    #[test]
    fn relations_are_replaced_as_types_allow() {
        let all = after("ROR");
        let of = |begin: &str| all.iter().filter(|m| m.starts_with(begin)).count();
        assert_eq!(of("for (int i = 0; i"), 5);
        // References are equal or not, numbers may be compared in every way.
        assert_eq!(of("if ("), 1 + 5);
        assert!(all.contains(&"if (n != null || n.value != size + 1) {".to_string()));
    }

    #[test]
    fn arithmetic_is_replaced() {
        assert_eq!(
            after("AOR"),
            [
                "for (int i = 0; i < index; i--) {",
                "if (n == null || n.value != size - 1) {",
                "if (n == null || n.value != size * 1) {",
                "if (n == null || n.value != size / 1) {",
                "if (n == null || n.value != size % 1) {",
                "size++;",
            ]
        );
    }

    #[test]
    fn numbers_that_are_read_get_signs_and_steps() {
        assert_eq!(
            after("AOIU"),
            [
                "for (int i = 0; (-i) < index; i++) {",
                "for (int i = 0; i < (-index); i++) {",
                "if (n == null || (-n.value) != size + 1) {",
                "if (n == null || n.value != (-size) + 1) {",
                "return (-n.value);",
            ]
        );
        assert_eq!(after("AOIS").len(), 4 * 5);
        assert!(after("AOIS").contains(&"return (--n.value);".to_string()));
        assert_eq!(after("LOI").len(), 5);
    }

    #[test]
    fn conditions_are_negated_and_joined_otherwise() {
        assert_eq!(
            after("COI"),
            ["for (int i = 0; !(i < index); i++) {", "if (!(n == null || n.value != size + 1)) {",]
        );
        assert_eq!(after("COR"), ["if (n == null && n.value != size + 1) {"]);
    }

    #[test]
    fn constants_become_their_neighbours() {
        assert_eq!(
            after("CRP"),
            [
                "for (int i = 1; i < index; i++) {",
                "for (int i = (-1); i < index; i++) {",
                "if (n == null || n.value != size + 2) {",
                "if (n == null || n.value != size + 0) {",
            ]
        );
    }

    #[test]
    fn statements_go_but_declarations_stay() {
        // The loop's step, the throw, the decrement and the return.
        assert_eq!(after("SDL"), [";"; 4]);
        let bare = "class A { void a(int i) { if (i > 0) i--; else i++; } }";
        let gone: Vec<String> = mutants(bare, 1..=1)
            .into_iter()
            .filter(|m| m.name.starts_with("SDL"))
            .map(|m| m.source)
            .collect();
        assert_eq!(
            gone,
            [
                "class A { void a(int i) { if (i > 0) ; else i++; } }",
                "class A { void a(int i) { if (i > 0) i--; else ; } }",
            ]
        );
    }

    #[test]
    fn fields_are_replaced_by_their_like() {
        assert_eq!(after("FSW"), ["n = n.prev;"]);
    }

    #[test]
    fn without_a_method_there_is_nothing_to_change() {
        assert_eq!(mutants("class A { int a; }", 5..=9), []);
    }
}
