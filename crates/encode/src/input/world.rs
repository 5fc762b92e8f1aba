//! What the checked class leads to by name: the world of which an open reference of the input may
//! hold objects.
//!
//! Code and clauses are asked alike: a class, an enum or a constant that only a specification
//! names is in the world as if the code named it. Clauses are those of the classes that are found
//! and of their methods, whether these are checked or only called, and what stands in their bodies.

use std::collections::BTreeSet;
use std::rc::Rc;

use ir::{Class, ClassId, Code, Constant, Op};
use spec::core::Mention;

use crate::engine::Engine;

/// Classes that are found, and those that are still to be looked into.
struct Search {
    found: BTreeSet<ClassId>,
    /// Classes of libraries that were looked into.
    libraries: BTreeSet<ClassId>,
    asked: BTreeSet<ClassId>,
    work: Vec<ClassId>,
}

impl Engine<'_> {
    /// The given classes that `root` can name, directly or through other given classes, and the
    /// boxes among the library classes that they name.
    /// Also the classes that they ask objects about with `instanceof` and are neither.
    pub(crate) fn find_relevant(&self, root: ClassId) -> (Rc<[ClassId]>, Rc<[ClassId]>) {
        let program = self.program;
        let mut search = Search {
            found: BTreeSet::new(),
            libraries: BTreeSet::new(),
            asked: BTreeSet::new(),
            work: vec![root],
        };
        while let Some(class) = search.work.pop() {
            let class = match program.class_name(class).trim_end_matches("[]") {
                base if base.len() == program.class_name(class).len() => class,
                base => program.class_id(base),
            };
            if search.found.contains(&class) {
                continue;
            }
            if self.known.boxed(class).is_some() {
                search.found.insert(class);
                continue;
            }
            let Ok(loaded) = program.class(class) else {
                continue;
            };
            if loaded.is_given() {
                search.found.insert(class);
                self.look_into_code(loaded, &mut search);
                self.look_into_clauses(loaded, &mut search);
            } else if search.libraries.insert(class) {
                self.look_into_clauses(loaded, &mut search);
            }
        }
        (search.found.into_iter().collect(), search.asked.into_iter().collect())
    }

    fn look_into_code(&self, class: &Class, search: &mut Search) {
        let program = self.program;
        let work = &mut search.work;
        work.extend(class.superclass);
        work.extend(&class.interfaces);
        work.extend(class.fields.iter().filter_map(|f| program.field(*f).ty.class()));
        let generic = class.fields.iter().filter_map(|f| program.field(*f).signature.as_deref());
        let methods = class.methods.iter().map(|m| program.method(*m));
        let generic = generic.chain(methods.filter_map(|m| m.signature.as_deref()));
        let generic = generic.chain(class.signature.as_deref());
        work.extend(generic.flat_map(|s| self.named_in(s)));
        for method in &class.methods {
            let method = program.method(*method);
            work.extend(method.params.iter().chain(&method.result).filter_map(|t| t.class()));
            let Code::Body(body) = program.code(method.id) else {
                continue;
            };
            for instr in body.blocks.iter().flat_map(|b| &b.instrs) {
                work.extend(mentioned(program, &instr.op));
                search.asked.extend(self.asked(&instr.op));
                if let Op::Mark { number, .. } = &instr.op
                    && let Some(mark) = self.contracts.marks.get(number)
                {
                    let mentions = mark.statements.iter().flat_map(|s| s.mentions());
                    mentions.for_each(|m| self.look_at(m, work, &mut search.asked));
                }
            }
        }
        let prefix = format!("{}$", class.name);
        let nested = |c: &&ClassId| program.class_name(**c).starts_with(&prefix);
        work.extend(self.candidates.given.iter().filter(nested));
        // A call on one of them can lead into any class below.
        let below = |c: &&ClassId| **c != class.id && program.is_subtype(**c, class.id);
        work.extend(self.candidates.given.iter().filter(below));
    }

    fn look_into_clauses(&self, class: &Class, search: &mut Search) {
        let of_class = self.contracts.classes.get(&class.id);
        let of_methods = class.methods.iter().filter_map(|m| self.contracts.methods.get(m));
        let mentions = of_class.into_iter().flat_map(|c| c.mentions());
        let mentions = mentions.chain(of_methods.flat_map(|c| c.mentions()));
        mentions.for_each(|m| self.look_at(m, &mut search.work, &mut search.asked));
    }

    fn look_at(&self, mention: Mention, work: &mut Vec<ClassId>, asked: &mut BTreeSet<ClassId>) {
        match mention {
            Mention::Class(class) => work.push(class),
            Mention::Asked(class) => {
                work.push(class);
                asked.extend(self.unless_known(class));
            }
            Mention::Cast(class) => {
                work.push(class);
                let is_array = self.program.class_name(class).ends_with("[]");
                asked.extend(is_array.then(|| self.unless_known(class)).flatten());
            }
            Mention::Field(field) => work.push(self.program.field(field).class),
            Mention::Method(method) => work.push(self.program.method(method).class),
        }
    }

    /// The given classes that a generic signature names.
    fn named_in(&self, signature: &str) -> Vec<ClassId> {
        let parts = signature.split(|c: char| "<>;:*+-[()".contains(c));
        let names = parts.filter_map(|part| part.strip_prefix('L'));
        let names: Vec<String> = names.map(|name| name.replace('/', ".")).collect();
        let is_named = |class: &&ClassId| {
            let class = self.program.class_name(**class);
            names.iter().any(|name| name == class)
        };
        self.candidates.given.iter().filter(is_named).copied().collect()
    }

    /// The class of an `instanceof` (or of a cast to an array) that no ordinary candidate of
    /// `Object` has.
    fn asked(&self, op: &Op) -> Option<ClassId> {
        match op {
            Op::InstanceOf { class, .. } => self.unless_known(*class),
            Op::CheckCast { class, .. } if self.program.class_name(*class).ends_with("[]") => {
                self.unless_known(*class)
            }
            _ => None,
        }
    }

    fn unless_known(&self, class: ClassId) -> Option<ClassId> {
        let by_value = [self.known.string, self.program.class_id("java.lang.Integer")];
        let known = self.known.is_shared_by_value(class)
            || by_value.iter().any(|c| self.program.is_subtype(*c, class));
        let loaded = self.program.class(class).ok()?;
        (!known && !loaded.is_given()).then_some(class)
    }
}

/// The class that an operation names.
fn mentioned(program: &ir::Program, op: &Op) -> Option<ClassId> {
    match op {
        Op::New { class, .. }
        | Op::NewArray { class, .. }
        | Op::NewMultiArray { class, .. }
        | Op::InstanceOf { class, .. }
        | Op::CheckCast { class, .. } => Some(*class),
        Op::Const { value: Constant::Class(class), .. } => Some(*class),
        Op::Invoke { method, .. } => Some(program.method_ref_class(*method)),
        Op::GetStatic { field, .. } | Op::PutStatic { field, .. } => {
            Some(program.field_ref_class(*field))
        }
        Op::Const { .. }
        | Op::Move { .. }
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::GetField { .. }
        | Op::PutField { .. }
        | Op::ArrayLength { .. }
        | Op::ArrayLoad { .. }
        | Op::ArrayStore { .. }
        | Op::Concat { .. }
        | Op::NullCheck { .. }
        | Op::Mark { .. }
        | Op::Unsupported { .. } => None,
    }
}
