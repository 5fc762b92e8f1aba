//! What tight bounds depend on, as one text in names. Inputs with the same text have the same bounds,
//! so that a bound can be kept for the next method, and for the next run.
//!
//! Terms and bodies are printed by their derived `Debug`, in which nothing can be forgotten; ids
//! become names, and places in the source are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write};

use ir::{
    ClassId, Code, FieldId, FieldRefId, MethodId, MethodRefId, Nullness, Program, SpecField, Type,
};
use spec::core::{Clause, Contract, Term};

use crate::engine::Engine;
use crate::engine::layout::Survey;
use crate::layout::portable;
use crate::state::atom::Name;

/// To be raised whenever the numbering of canonical heaps changes, or what is assumed of them.
const ENCODING_VERSION: u32 = 4;

/// The text, and what else it is about.
pub struct Fingerprint {
    pub text: String,
    /// Whether the bounds depend on code: then on that of libraries too.
    pub reads_code: bool,
}

/// What a term or a type has that makes its value depend on code.
const CODE: [&str; 4] = ["Call", "Static", "Text", "Array"];

impl Engine<'_> {
    /// What the bounds of an input depend on that was surveyed without invariants.
    pub fn fingerprint(&self, survey: &Survey) -> Fingerprint {
        let mut text = format!(
            "jarosite {} encoding {ENCODING_VERSION}\nscope {:?}\n",
            env!("CARGO_PKG_VERSION"),
            self.scope,
        );
        let mut namer = Namer::new(self.program);
        for row in survey.to_portable(self.program) {
            let _ = writeln!(text, "{row:?}");
        }
        for case in self.binding_contract().map_or(&[][..], |contract| &contract.cases) {
            let _ = writeln!(text, "requires {}", terms(&case.requires, &mut namer));
        }
        let names = survey.references.iter().flat_map(|r| r.1.iter().map(|e| &e.0));
        let made_by_code =
            |name: &Name| !matches!(name, Name::Null | Name::Input(..) | Name::Constructed);
        namer.reads_code |= names.clone().any(made_by_code);
        let names = names.chain(&survey.objects).filter_map(|name| match name {
            Name::Input(class, _) => Some(*class),
            _ => None,
        });
        let mut work: BTreeSet<ClassId> = names.collect();
        work.insert(self.program.method(self.run.method).class);
        work.extend(self.candidates.relevant.iter().chain(self.candidates.asked_about.iter()));
        // Classes of libraries that are specified are few.
        work.extend(self.contracts.classes.keys().filter(|c| !self.is_given(**c)));
        let relevant = self.candidates.relevant.iter().chain(self.candidates.asked_about.iter());
        let relevant: BTreeSet<&str> = relevant.map(|c| self.program.class_name(*c)).collect();
        let _ = writeln!(text, "relevant {relevant:?}");
        let variables = self.candidates.instances.variables.text(self.program);
        let _ = writeln!(text, "variables {variables}");
        let mut classes = self.described(work.clone(), &mut namer);
        if namer.reads_code {
            work.extend(self.candidates.given);
            classes = self.described(work, &mut namer);
            text.push_str(&self.code(&mut namer));
        }
        for described in classes.values() {
            text.push_str(described);
        }
        Fingerprint { text, reads_code: namer.reads_code }
    }

    fn is_given(&self, class: ClassId) -> bool {
        self.program.class(class).is_ok_and(|c| c.is_given())
    }

    /// Each class that an object may have which invariants can come to, by name.
    fn described(
        &self,
        work: BTreeSet<ClassId>,
        namer: &mut Namer<'_>,
    ) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut work: Vec<ClassId> = work.into_iter().collect();
        while let Some(class) = work.pop() {
            let name = self.program.class_name(class).trim_end_matches("[]").to_string();
            let class = self.program.class_id(&name);
            if found.contains_key(&name) {
                continue;
            }
            let described = self.describe_class(class, namer);
            found.insert(name, described);
            if let Ok(loaded) = self.program.class(class) {
                work.extend(loaded.supertypes());
                let fields = loaded.fields.iter().filter(|_| loaded.is_given());
                namer.mentioned.extend(fields.filter_map(|f| self.program.field(*f).ty.class()));
            }
            for mentioned in std::mem::take(&mut namer.mentioned) {
                work.extend(self.below(mentioned));
            }
        }
        found
    }

    /// A class and the given classes below it. What `Object` may be is relevant anyway.
    fn below(&self, class: ClassId) -> Vec<ClassId> {
        let base = self.program.class_id(self.program.class_name(class).trim_end_matches("[]"));
        if base == self.known.object {
            return Vec::new();
        }
        let below =
            self.candidates.given.iter().copied().filter(|c| self.program.is_subtype(*c, base));
        below.chain([base]).collect()
    }

    fn describe_class(&self, class: ClassId, namer: &mut Namer<'_>) -> String {
        let program = self.program;
        let mut text = format!("class {}", program.class_name(class));
        if let Ok(loaded) = program.class(class) {
            let supertypes: Vec<&str> =
                loaded.supertypes().iter().map(|c| program.class_name(*c)).collect();
            let _ = writeln!(
                text,
                " {supertypes:?} given {} interface {} abstract {} enum {} record {} synthetic {} {:?}",
                loaded.is_given(),
                loaded.is_interface,
                loaded.is_abstract,
                loaded.is_enum,
                loaded.is_record,
                loaded.is_synthetic,
                loaded.signature,
            );
            let fields = if loaded.is_given() { &loaded.fields[..] } else { &[] };
            for field in fields {
                let declared = program.field(*field);
                let _ = writeln!(text, "  {} {:?}", namer.field(*field), declared.constant);
                // An object that an initialiser made.
                let constant = declared.is_static && declared.is_final && !declared.is_synthetic;
                let is_object = matches!(declared.ty, Type::Ref(_));
                namer.reads_code |= constant && is_object && declared.constant.is_none();
                if let Some(nullness) = self.contracts.fields.get(field) {
                    let _ = writeln!(text, "    {}", nullness_text(*nullness));
                }
            }
            namer.reads_code |= loaded.is_given() && loaded.is_enum;
        }
        text.push('\n');
        let Some(contract) = self.contracts.classes.get(&class) else {
            return text;
        };
        for (field, first) in &contract.ghosts {
            let first = first.as_ref().map(|first| namer.show(&first.term));
            let is_final = program.field(*field).is_final;
            let _ = writeln!(text, "  ghost {} final {is_final} {first:?}", namer.field(*field));
        }
        namer.reads_code |= !contract.static_invariants.is_empty();
        for clause in &contract.invariants {
            let _ = writeln!(text, "  invariant {}", namer.show(&clause.term));
        }
        for clause in &contract.static_invariants {
            let _ = writeln!(text, "  static invariant {}", namer.show(&clause.term));
        }
        let mut represented: Vec<String> = Vec::new();
        for (field, clause) in &contract.represents {
            represented.push(format!("{} by {}", namer.field(*field), namer.show(&clause.term)));
        }
        represented.sort();
        for line in represented {
            let _ = writeln!(text, "  represents {line}");
        }
        for access in &contract.access {
            let (field, condition) = (namer.field(access.field), &access.condition.term);
            let _ = writeln!(text, "  {} {field} if {}", access.writes, namer.show(condition));
        }
        for (number, body) in &contract.model_methods {
            let value = namer.show(&body.value.term);
            let _ = writeln!(text, "  model {number} {:?} {value}", body.parameters);
        }
        for (methods, is_static, clause) in &contract.constraints_for {
            let (methods, clause) = (namer.show(methods), namer.show(&clause.term));
            let _ = writeln!(text, "  constraint {is_static} {clause} for {methods}");
        }
        for gap in &contract.gaps {
            let _ = writeln!(text, "  gap {:?}", gap.reason);
        }
        text
    }

    /// All code of the given classes, with its contracts.
    fn code(&self, namer: &mut Namer<'_>) -> String {
        let mut methods = BTreeMap::new();
        for class in self.candidates.given.iter().filter_map(|c| self.program.class(*c).ok()) {
            for method in &class.methods {
                let mut text = match self.program.code(*method) {
                    Code::Body(body) => namer.show(body),
                    other => format!("{other:?}"),
                };
                if let Some(contract) = self.contracts.methods.get(method) {
                    text.push_str(&contract_text(contract, namer));
                }
                let declared = self.program.method(*method);
                let _ = write!(
                    text,
                    "\nstatic {} bridge {} private {} throws {}",
                    declared.is_static,
                    declared.is_bridge,
                    declared.is_private,
                    namer.show(&declared.throws),
                );
                methods.insert(namer.method(*method), text);
            }
        }
        let mut marks: Vec<_> = self.contracts.marks.iter().collect();
        marks.sort_unstable_by_key(|m| m.0);
        let mut all = String::new();
        for (name, text) in methods {
            let _ = writeln!(all, "method {name} {text}");
        }
        for (number, mark) in marks {
            let _ = writeln!(all, "mark {number} {}", namer.show(mark));
        }
        all
    }
}

fn nullness_text(nullness: Nullness) -> &'static str {
    match nullness {
        Nullness::Nullable => "nullable",
        Nullness::NonNull => "non-null",
        Nullness::Unspecified => "unspecified",
    }
}

/// What a contract says; it stands for methods without code.
fn terms(clauses: &[Clause], namer: &mut Namer<'_>) -> String {
    let terms: Vec<&Term> = clauses.iter().map(|c| &c.term).collect();
    namer.show(&terms)
}

fn contract_text(contract: &Contract, namer: &mut Namer<'_>) -> String {
    let mut text = format!(
        "\npure {} helper {} {:?} {:?}",
        contract.is_pure,
        contract.is_helper,
        contract.parameter_nullness,
        contract.result_nullness.as_ref().map(|n| n.nullness),
    );
    for case in &contract.cases {
        let _ = write!(
            text,
            "\ncase {:?} requires {} ensures {}",
            case.ends,
            terms(&case.requires, namer),
            terms(&case.ensures, namer)
        );
        for signals in &case.signals {
            let condition = namer.show(&signals.condition.term);
            let _ = write!(text, " signals {} {condition}", namer.show(&signals.exception));
        }
        let only = case.signals_only.as_ref().map(|s| &s.exceptions);
        let _ = write!(text, " only {}", namer.show(&only));
        for assignable in &case.assignable {
            let _ = write!(text, " assignable {}", namer.show(&assignable.locations));
        }
        for accessible in &case.accessible {
            let _ = write!(text, " accessible {}", namer.show(&accessible.locations));
        }
        for callable in &case.callable {
            let _ = write!(text, " callable {}", namer.show(&callable.methods));
        }
        let _ = write!(text, " measured by {}", terms(&case.measured_by, namer));
    }
    let gaps: Vec<&str> = contract.gaps.iter().map(|g| g.reason.as_str()).collect();
    let _ = write!(text, "\ngaps {gaps:?}");
    text
}

/// Prints with names instead of ids, and takes notes.
struct Namer<'a> {
    program: &'a Program,
    reads_code: bool,
    /// Classes that were named.
    mentioned: BTreeSet<ClassId>,
}

impl<'a> Namer<'a> {
    fn new(program: &'a Program) -> Namer<'a> {
        Namer { program, reads_code: false, mentioned: BTreeSet::new() }
    }

    fn field(&mut self, field: FieldId) -> String {
        let declared = self.program.field(field);
        self.mentioned.extend(declared.ty.class());
        let is_given = self.program.class(declared.class).is_ok_and(|c| c.is_given());
        let is_model = declared.specified == Some(SpecField::Model);
        self.reads_code |= is_model || !is_given;
        format!(
            "{}: {} static {} final {} synthetic {} {} {:?} generic {} {:?} {:?}",
            portable::field_text(self.program, field),
            self.program.type_name(declared.ty),
            declared.is_static,
            declared.is_final,
            declared.is_synthetic,
            nullness_text(declared.nullness),
            declared.specified,
            declared.is_generic,
            declared.signature,
            declared.constant.as_ref().map(|c| match c {
                ir::Constant::Class(class) => self.program.class_name(*class).to_string(),
                other => format!("{other:?}"),
            }),
        )
    }

    fn method(&self, method: MethodId) -> String {
        let declared = self.program.method(method);
        let class = self.program.class_name(declared.class);
        format!("{class}.{}{}", declared.name, declared.descriptor)
    }

    /// The `Debug` of something with names for ids, and without spans and lines.
    fn show(&mut self, what: &impl Debug) -> String {
        let debug = format!("{what:?}");
        let mut shown = String::with_capacity(debug.len());
        let mut rest = debug.as_str();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' | '\'' => quoted(rest, first),
                '<' => span(rest),
                c if c.is_alphabetic() || c == '_' => {
                    let is_part = |c: char| c.is_alphanumeric() || c == '_';
                    rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())
                }
                c => c.len_utf8(),
            };
            let (token, after) = rest.split_at(length);
            rest = after;
            match token {
                "line" | "end_line" => {
                    rest = rest.strip_prefix(": ").unwrap_or(rest);
                    rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                }
                _ if first == '<' => {}
                _ => shown.push_str(&self.token(token)),
            }
        }
        shown
    }

    fn token(&mut self, token: &str) -> String {
        self.reads_code |= CODE.contains(&token);
        let digits = token.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let Ok(number) = digits.parse::<u32>() else {
            return token.to_string();
        };
        match &token[..token.len() - digits.len()] {
            "class" => {
                self.mentioned.insert(ClassId(number));
                self.program.class_name(ClassId(number)).to_string()
            }
            "field" => format!("[{}]", self.field(FieldId(number))),
            "method" => {
                self.reads_code = true;
                self.method(MethodId(number))
            }
            "fieldref" => {
                let id = FieldRefId(number);
                let name = self.program.field_ref_name(id);
                format!("{name}:{}", self.program.field_ref_descriptor(id))
            }
            "methodref" => {
                let id = MethodRefId(number);
                let name = self.program.method_ref_name(id);
                format!("{name}{}", self.program.method_ref_descriptor(id))
            }
            _ => token.to_string(),
        }
    }
}

/// The length of a text in quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a span: `<10..20 3:4>`.
fn span(text: &str) -> usize {
    let inside = |c: char| c.is_ascii_digit() || matches!(c, '.' | ':' | ' ' | '<');
    match text.find(|c| !inside(c)) {
        Some(at) if text[at..].starts_with('>') => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_left_out_and_texts_are_kept() {
        assert_eq!(span("<10..20 3:4> x"), 12);
        assert_eq!(span("< y>"), 1);
        assert_eq!(quoted(r#""a\"b" c"#, '"'), 6);
    }
}
