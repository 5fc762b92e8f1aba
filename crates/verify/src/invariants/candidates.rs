//! What may hold of every object of a class: templates over its fields, in the words that decades of looking
//! for likely invariants have kept (Ernst et al., Daikon: one field, two fields, a field and a length), and
//! those of linked structures.
//!
//! Of templates that imply each other only the strongest that is proved is worth saying: they are one
//! [`Candidate::ladder`], strongest first.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::{ClassId, Code, Constant, FieldId, Op, Program, Type};
use spec::Span;
use spec::core::{Clause, Comparison, Number, Site, Sort};

use super::terms::{self, Said};

/// Candidates for one class: more cost more than they are worth.
const MOST: usize = 160;
/// Fields of one kind that are compared with each other.
const MOST_FIELDS: usize = 8;

/// Constants that lengths are compared with, and how large they are.
const MOST_CONSTANTS: usize = 3;
pub(super) const MOST_LENGTH: i32 = 16;

/// The file of a clause that nobody wrote.
pub const NO_FILE: &str = "";

/// Something that may hold of every object of a class.
#[derive(Clone)]
pub(super) struct Candidate {
    pub class: ClassId,
    pub clause: Clause,
    /// The same of all objects at once, where objects of the class may have others in common: what happens
    /// to one of them then matters to another that is not in sight.
    pub of_all: Option<Clause>,
    /// The fields that it reads, of any object.
    pub reads: BTreeSet<FieldId>,
    /// Whether it reads elements of arrays.
    pub elements: bool,
    /// Which candidates of the class imply each other.
    pub ladder: usize,
    /// References that it says something of only where they may be null.
    pub nullable: Vec<FieldId>,
    /// The reference that it says is not null, if that is all.
    pub non_null: Option<FieldId>,
}

impl Candidate {
    /// Whether it speaks of two objects of the class, and of no single one.
    pub fn is_about_pairs(&self) -> bool {
        self.of_all.as_ref().is_some_and(|of_all| of_all.term == self.clause.term)
    }
}

/// The longest array that candidates for these classes speak of by its length.
pub(super) fn longest_array(program: &Program, given: &[ClassId]) -> u32 {
    let constants = given.iter().map(|class| Templates::new(program, *class, 0).constants());
    constants.flatten().max().map_or(0, |longest| longest as u32)
}

/// What may hold of the objects of the given classes.
pub(super) fn all(program: &Program, given: &[ClassId]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for class in given {
        let mut templates = Templates::new(program, *class, found.len());
        templates.add_all();
        found.append(&mut templates.found);
    }
    found
}

/// That neighbours in an owner's structure know each other.
fn self_pairs(
    program: &Program,
    owner: &Said,
    root: FieldId,
    (link, back): (FieldId, FieldId),
) -> Said {
    let node = program.field(link).class;
    let one = terms::variable(1, node);
    let from = terms::field_of(program, owner, root);
    let next = terms::field_of(program, &one, link);
    let same = terms::is_same(&terms::field_of(program, &next, back), &one);
    let pair = terms::implies(&terms::is_not_null(&next), &same);
    let inside = terms::is_reached(program, &one, &from, node, &[link]);
    terms::for_all(program, node, Some(inside), &pair)
}

struct Templates<'a> {
    program: &'a Program,
    class: ClassId,
    /// Candidates of other classes, so that each has a place of its own.
    before: usize,
    ladder: usize,
    found: Vec<Candidate>,
}

impl<'a> Templates<'a> {
    fn new(program: &'a Program, class: ClassId, before: usize) -> Templates<'a> {
        Templates { program, class, before, ladder: 0, found: Vec::new() }
    }

    fn add_all(&mut self) {
        let program = self.program;
        let Ok(class) = program.class(self.class) else { return };
        if class.is_interface || class.is_enum || class.is_synthetic || class.element.is_some() {
            return;
        }
        let fields: Vec<FieldId> =
            class.fields.iter().copied().filter(|f| self.is_own(*f)).collect();
        let of = |kind: fn(Type) -> bool| -> Vec<FieldId> {
            fields
                .iter()
                .copied()
                .filter(|f| kind(program.field(*f).ty))
                .take(MOST_FIELDS)
                .collect()
        };
        let references = of(|ty| ty.class().is_some());
        let numbers = of(|ty| matches!(ty, Type::Int | Type::Long));
        let flags = of(|ty| ty == Type::Boolean);
        let arrays: Vec<FieldId> =
            references.iter().copied().filter(|f| self.element(*f).is_some()).collect();
        references.iter().for_each(|f| self.reference(*f));
        arrays.iter().for_each(|f| self.array(*f));
        numbers.iter().for_each(|f| self.number(*f));
        for (at, a) in numbers.iter().enumerate() {
            numbers[at + 1..].iter().for_each(|b| self.two_numbers(*a, *b));
            arrays.iter().for_each(|array| self.number_and_length(*a, *array));
            arrays.iter().for_each(|array| self.filled(*a, *array));
            references.iter().for_each(|r| self.number_and_reference(*a, *r));
        }
        for (at, a) in references.iter().enumerate() {
            references[at + 1..].iter().for_each(|b| self.two_references(*a, *b));
            flags.iter().for_each(|flag| self.flag_and_reference(*flag, *a));
        }
        for (at, a) in arrays.iter().enumerate() {
            arrays[at + 1..].iter().for_each(|b| self.two_lengths(*a, *b));
            for (at, rows) in numbers.iter().enumerate() {
                numbers[at..].iter().for_each(|columns| self.grid(*a, *rows, *columns));
            }
        }
        self.links(&references, &numbers);
    }

    /// A field of each object that the code alone writes.
    fn is_own(&self, field: FieldId) -> bool {
        let field = self.program.field(field);
        let is_exposed = field.is_public && !field.is_final;
        !field.is_static && !field.is_volatile && !is_exposed && field.specified.is_none()
    }

    /// Small numbers that the constructors of the class name.
    fn constants(&self) -> Vec<i64> {
        let program = self.program;
        let Ok(class) = program.class(self.class) else { return Vec::new() };
        let mut found = BTreeSet::new();
        for method in class.methods.iter().filter(|m| &*program.method(**m).name == "<init>") {
            let Code::Body(body) = program.code(*method) else { continue };
            for instr in body.blocks.iter().flat_map(|block| &block.instrs) {
                if let Op::Const { value: Constant::Int(value @ 2..=MOST_LENGTH), .. } = instr.op {
                    found.insert(i64::from(value));
                }
            }
        }
        found.into_iter().take(MOST_CONSTANTS).collect()
    }

    fn element(&self, field: FieldId) -> Option<Type> {
        let class = self.program.field(field).ty.class()?;
        self.program.class(class).ok()?.element
    }

    fn own(&self, field: FieldId) -> Said {
        terms::field_of(self.program, &terms::this(self.class), field)
    }

    /// The next candidates imply each other, the first one all others.
    fn next_ladder(&mut self) {
        self.ladder += 1;
    }

    fn add(&mut self, said: Said, reads: &[FieldId]) {
        self.push(said, reads, false);
    }

    fn push(&mut self, said: Said, reads: &[FieldId], elements: bool) {
        if self.found.len() >= MOST {
            return;
        }
        let number = (self.before + self.found.len()) as u32;
        let text: Arc<str> = said.text.into();
        // No two clauses stand in one place.
        let span = Span { start: number, end: number, line: 0, column: 0 };
        let site = Site { file: NO_FILE.into(), span, source: text.clone(), text };
        self.found.push(Candidate {
            class: self.class,
            clause: Clause { term: said.term, site },
            of_all: None,
            reads: reads.iter().copied().collect(),
            elements,
            ladder: self.ladder,
            nullable: Vec::new(),
            non_null: None,
        });
    }

    /// Something that says nothing new of references that are never null.
    fn add_of_nulls(&mut self, said: Said, reads: &[FieldId], nullable: &[FieldId]) {
        let before = self.found.len();
        self.add(said, reads);
        for candidate in &mut self.found[before..] {
            candidate.nullable = nullable.to_vec();
        }
    }

    fn reference(&mut self, field: FieldId) {
        self.next_ladder();
        let before = self.found.len();
        self.add(terms::is_not_null(&self.own(field)), &[field]);
        for candidate in &mut self.found[before..] {
            candidate.non_null = Some(field);
        }
    }

    fn array(&mut self, field: FieldId) {
        let array = self.own(field);
        let length = terms::length(&array);
        let exists = terms::is_not_null(&array);
        self.next_ladder();
        let zero = terms::number(0, &length);
        let some = terms::compare(&length, Comparison::Greater, &zero);
        self.add(terms::and(&exists, &some), &[field]);
        for constant in self.constants() {
            self.next_ladder();
            let constant = terms::number(constant, &length);
            for how in [Comparison::Equal, Comparison::GreaterEqual] {
                let compared = terms::compare(&length, how, &constant);
                self.add(terms::and(&exists, &compared), &[field]);
            }
        }
        if self.element(field).is_some_and(|ty| ty.class().is_some()) {
            if let Some(class) = self.program.field(field).ty.class() {
                self.next_ladder();
                let exact = terms::has_class(self.program, &array, class);
                self.add(terms::and(&exists, &exact), &[field]);
            }
            self.next_ladder();
            let whole = terms::has_no_null_elements(&array);
            self.push(terms::and(&exists, &whole), &[field], true);
        }
    }

    fn number(&mut self, field: FieldId) {
        let number = self.own(field);
        self.next_ladder();
        for least in [1, 0, -1] {
            let least = terms::number(least, &number);
            self.add(terms::compare(&number, Comparison::GreaterEqual, &least), &[field]);
        }
    }

    fn two_numbers(&mut self, a: FieldId, b: FieldId) {
        let (left, right) = (self.own(a), self.own(b));
        if left.term.sort != right.term.sort {
            return;
        }
        self.next_ladder();
        for how in [Comparison::Equal, Comparison::Less, Comparison::LessEqual] {
            self.add(terms::compare(&left, how, &right), &[a, b]);
        }
        self.next_ladder();
        for how in [Comparison::Less, Comparison::LessEqual] {
            self.add(terms::compare(&right, how, &left), &[a, b]);
        }
    }

    fn number_and_length(&mut self, number: FieldId, array: FieldId) {
        let (left, array_) = (self.own(number), self.own(array));
        if left.term.sort != Sort::Number(Number::Int) {
            return;
        }
        let exists = terms::is_not_null(&array_);
        let length = terms::length(&array_);
        self.next_ladder();
        for how in [Comparison::Equal, Comparison::Less, Comparison::LessEqual] {
            let compared = terms::compare(&left, how, &length);
            self.add(terms::and(&exists, &compared), &[number, array]);
        }
    }

    fn two_lengths(&mut self, a: FieldId, b: FieldId) {
        let (left, right) = (self.own(a), self.own(b));
        let exist = terms::and(&terms::is_not_null(&left), &terms::is_not_null(&right));
        let (left, right) = (terms::length(&left), terms::length(&right));
        self.next_ladder();
        for how in [Comparison::Equal, Comparison::LessEqual, Comparison::GreaterEqual] {
            self.add(terms::and(&exist, &terms::compare(&left, how, &right)), &[a, b]);
        }
    }

    /// An array that holds a table, row by row.
    fn grid(&mut self, array: FieldId, rows: FieldId, columns: FieldId) {
        let program = self.program;
        if [rows, columns].iter().any(|f| program.field(*f).ty != Type::Int) {
            return;
        }
        let cells = self.own(array);
        let product = terms::product(&self.own(rows), &self.own(columns));
        let length = terms::length(&cells);
        let whole = terms::compare(&length, Comparison::Equal, &product);
        self.next_ladder();
        self.add(terms::and(&terms::is_not_null(&cells), &whole), &[array, rows, columns]);
    }

    /// An array of which a number of elements is in use: these are there, and each may know its place.
    fn filled(&mut self, number: FieldId, array: FieldId) {
        let program = self.program;
        let (count, cells) = (self.own(number), self.own(array));
        let element = terms::element(program, &cells, &terms::index());
        let Some(element) = element.filter(|e| matches!(e.term.sort, Sort::Reference(_))) else {
            return;
        };
        if program.field(number).ty != Type::Int {
            return;
        }
        let fits = terms::compare(&count, Comparison::LessEqual, &terms::length(&cells));
        let fits = terms::and(&terms::is_not_null(&cells), &fits);
        let there = terms::for_indices(&cells, &count, &terms::is_not_null(&element));
        self.next_ladder();
        self.push(terms::and(&fits, &there), &[number, array], true);
        self.places(number, array, &fits);
    }

    /// Elements that know at which index they are.
    fn places(&mut self, number: FieldId, array: FieldId, fits: &Said) {
        let program = self.program;
        let (count, cells) = (self.own(number), self.own(array));
        let element = terms::element(program, &cells, &terms::index());
        let Some(element) = element else { return };
        let Sort::Reference(class) = element.term.sort else { return };
        let Ok(loaded) = program.class(class) else { return };
        if !loaded.is_given() {
            return;
        }
        let exists = terms::is_not_null(&element);
        for field in loaded.fields.iter().filter(|f| program.field(**f).ty == Type::Int) {
            if !self.is_own(*field) {
                continue;
            }
            let place = terms::field_of(program, &element, *field);
            let same = terms::compare(&place, Comparison::Equal, &terms::index());
            let known = terms::for_indices(&cells, &count, &terms::and(&exists, &same));
            self.next_ladder();
            self.push(terms::and(fits, &known), &[number, array, *field], true);
        }
    }

    /// No object exactly where there is nothing to count.
    fn number_and_reference(&mut self, number: FieldId, reference: FieldId) {
        if self.element(reference).is_some() {
            return;
        }
        let count = self.own(number);
        let zero = terms::compare(&count, Comparison::Equal, &terms::number(0, &count));
        let none = terms::is_null(&self.own(reference));
        self.next_ladder();
        self.add_of_nulls(terms::iff(&none, &zero), &[number, reference], &[reference]);
    }

    fn two_references(&mut self, a: FieldId, b: FieldId) {
        let (left, right) = (self.own(a), self.own(b));
        let (no_left, no_right) = (terms::is_null(&left), terms::is_null(&right));
        self.next_ladder();
        self.add_of_nulls(terms::iff(&no_left, &no_right), &[a, b], &[a, b]);
        self.add_of_nulls(terms::implies(&no_left, &no_right), &[a, b], &[a, b]);
        self.next_ladder();
        self.add_of_nulls(terms::implies(&no_right, &no_left), &[a, b], &[a, b]);
    }

    fn flag_and_reference(&mut self, flag: FieldId, reference: FieldId) {
        let flag_ = self.own(flag);
        let exists = terms::is_not_null(&self.own(reference));
        self.next_ladder();
        self.add_of_nulls(terms::implies(&flag_, &exists), &[flag, reference], &[reference]);
        self.next_ladder();
        let unset = terms::is_not(&flag_);
        self.add_of_nulls(terms::implies(&unset, &exists), &[flag, reference], &[reference]);
    }

    /// Fields through which objects of one class form a list or a tree: of the class itself, or of one that
    /// has such fields.
    fn links(&mut self, references: &[FieldId], numbers: &[FieldId]) {
        let program = self.program;
        let class = self.class;
        let own_links = self.links_of(class);
        let this = terms::this(class);
        for field in &own_links {
            self.next_ladder();
            let from = self.own(*field);
            let apart = terms::is_not_reached(program, &this, &from, class, &[*field]);
            self.add(apart, &[*field]);
        }
        for a in &own_links {
            for b in &own_links {
                if a != b {
                    self.next_ladder();
                    let next = self.own(*a);
                    let back = terms::field_of(program, &next, *b);
                    let same = terms::is_same(&back, &this);
                    self.add(terms::implies(&terms::is_not_null(&next), &same), &[*a, *b]);
                }
            }
        }
        let nodes: BTreeSet<ClassId> =
            references.iter().filter_map(|r| program.field(*r).ty.class()).collect();
        for node in nodes.into_iter().filter(|node| *node != class) {
            let of_node = |f: &&FieldId| program.field(**f).ty == Type::Ref(node);
            let roots: Vec<FieldId> = references.iter().filter(of_node).copied().collect();
            self.owned(node, &roots, numbers);
        }
    }

    /// What holds of an object that owns a structure of nodes.
    fn owned(&mut self, node: ClassId, roots: &[FieldId], numbers: &[FieldId]) {
        let program = self.program;
        let links = self.links_of(node);
        if links.is_empty() {
            return;
        }
        let all: Vec<FieldId> = roots.iter().chain(&links).copied().collect();
        let from = |me: &Said| -> Vec<Said> {
            roots.iter().map(|root| terms::field_of(program, me, *root)).collect()
        };
        let (one, other) = (terms::variable(1, self.class), terms::variable(2, self.class));
        if let Some(apart) = terms::are_apart(program, &from(&one), &from(&other), node, &links) {
            let said = terms::for_any_two(program, self.class, &apart);
            self.next_ladder();
            self.add_of_all(said.clone(), said, &all);
        }
        for (root, link) in roots.iter().flat_map(|root| links.iter().map(move |l| (*root, *l))) {
            self.ends(root, link);
            for number in numbers.iter().filter(|n| program.field(**n).ty == Type::Int) {
                self.next_ladder();
                self.add_deep(&[*number, root, link], |me| {
                    let (count, from) =
                        (terms::field_of(program, me, *number), terms::field_of(program, me, root));
                    terms::counts_reached(program, &count, &from, node, &[link])
                });
            }
            for back in links.iter().filter(|back| **back != link) {
                self.next_ladder();
                self.add_deep(&[root, link, *back], |me| {
                    self_pairs(program, me, root, (link, *back))
                });
            }
            for end in roots.iter().filter(|end| **end != root) {
                self.next_ladder();
                self.add_deep(&[root, link, *end], |me| {
                    let (from, end) =
                        (terms::field_of(program, me, root), terms::field_of(program, me, *end));
                    let reached = terms::is_reached(program, &end, &from, node, &[link]);
                    terms::implies(&terms::is_not_null(&end), &reached)
                });
            }
        }
    }

    /// The first and the last node of a list have no neighbour on one side.
    fn ends(&mut self, root: FieldId, link: FieldId) {
        let program = self.program;
        self.next_ladder();
        self.add_deep(&[root, link], |me| {
            let end = terms::field_of(program, me, root);
            let neighbour = terms::is_null(&terms::field_of(program, &end, link));
            terms::implies(&terms::is_not_null(&end), &neighbour)
        });
    }

    /// Something that an object says of objects that it leads to.
    fn add_deep(&mut self, reads: &[FieldId], say: impl Fn(&Said) -> Said) {
        let of_this = say(&terms::this(self.class));
        let one = terms::variable(terms::OWNER, self.class);
        let of_all = terms::for_owner(self.program, self.class, &say(&one));
        self.add_of_all(of_this, of_all, reads);
    }

    fn add_of_all(&mut self, of_this: Said, of_all: Said, reads: &[FieldId]) {
        let before = self.found.len();
        self.add(of_this, reads);
        for candidate in &mut self.found[before..] {
            let site = candidate.clause.site.clone();
            candidate.of_all = Some(Clause { term: of_all.term.clone(), site });
        }
    }

    /// The fields of a given class that lead to objects of the same class.
    fn links_of(&self, class: ClassId) -> Vec<FieldId> {
        let program = self.program;
        let Ok(loaded) = program.class(class) else { return Vec::new() };
        if !loaded.is_given() {
            return Vec::new();
        }
        let leads_back = |f: &FieldId| program.field(*f).ty == Type::Ref(class);
        loaded.fields.iter().copied().filter(|f| self.is_own(*f) && leads_back(f)).collect()
    }
}
