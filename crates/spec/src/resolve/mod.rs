//! From names to meaning: the trees of both languages, resolved against the program's classes,
//! become contracts over the one core.
//!
//! Nothing here fails as a whole. A clause that makes no sense or is not supported becomes a gap
//! of the method or class it belongs to, and all others keep their meaning.

mod alloy;
mod assigned;
mod body;
mod call;
mod class;
mod documented;
mod evident;
mod expr;
mod find;
mod frame;
mod generic;
mod inherit;
mod method;
mod names;
mod nullness;
mod operator;
mod quantify;
mod scope;
mod signature;
mod specified;
mod touched;
mod trouble;
mod types;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ir::{MethodId, Program};

pub use scope::Math;
pub use signature::{Member, member_type, parameter_arguments};

use crate::core::{ClassContract, Contracts, Gap, Mistake, Site, Taken};
use crate::diagnostic::Diagnostic;
use crate::jml::ast::GapAt;
use crate::jml::ast::{self, Modifier, ModifierKind};
use crate::resolve::evident::Evident;
use crate::resolve::expr::{Around, Setting};
use crate::resolve::find::FoundType;
use crate::resolve::inherit::Own;
use crate::resolve::scope::{Scope, SpecFields, States};
use crate::resolve::specified::Specified;
use crate::resolve::trouble::Trouble;
use crate::span::Span;
use crate::specs::{FileSpecs, TypeSpecs};

/// A source file with its parsed specifications.
pub struct SourceFile {
    pub path: Arc<str>,
    pub text: Arc<str>,
    pub specs: FileSpecs,
    /// Number of the file's first mark (see [`crate::marks::sites`]); none if bodies could not be
    /// marked.
    pub first_mark: Option<u32>,
    /// A `.jml` file: methods are matched by name and parameter types only.
    pub is_jml: bool,
}

/// How files are read where they leave it open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub math: Math,
    pub defaults: Defaults,
}

/// What references are in files with JML if nothing is written about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Defaults {
    /// Non-null, but fields that the code shows to be nullable are so.
    #[default]
    Shown,
    /// Non-null, as the manual of JML has it.
    NonNull,
    Nullable,
}

/// Resolves all specifications of a program. Fields that only specifications know are defined in
/// the program.
pub fn resolve(program: &Program, files: &[SourceFile], reading: Reading) -> Contracts {
    let found = files.iter().map(|file| find::types(program, file)).collect();
    let mut notes = Notes::default();
    let mut world = World {
        program,
        files,
        math: reading.math,
        defaults: reading.defaults,
        evident: Evident::new(),
        found,
        spec_fields: SpecFields::new(),
        specified: Specified::default(),
        pure: HashSet::new(),
    };
    let mut spec_fields = specified::library_groups(&world);
    for home in world.homes() {
        spec_fields.extend(class::define(&home, &mut notes));
    }
    world.spec_fields = spec_fields.into_iter().collect();
    world.specified.refused = std::mem::take(&mut notes.refused);
    world.specified.methods = specified::model_methods(&world);
    world.specified.location_sets = specified::location_sets(&world);
    world.specified.groups = specified::groups(&world, &mut notes);
    let (evident, taken) = evident::fields(&world);
    world.evident = evident;
    world.pure = world.homes().flat_map(|home| method::pure(&home)).collect();
    let mut own: HashMap<MethodId, Own> = HashMap::new();
    let mut contracts = Contracts { taken, ..Contracts::default() };
    for home in world.homes() {
        class::resolve(&home, &mut notes);
        specified::model_bodies(&home, &mut notes);
        for (id, resolved) in method::resolve(&home, &mut notes) {
            match own.get_mut(&id) {
                Some(known) => method::join(known, resolved),
                None => {
                    own.insert(id, resolved);
                }
            }
        }
        contracts.fields.extend(nullness::fields(&home));
        body::resolve(&home, &mut own, &mut contracts.marks, &mut notes);
        assigned::locals(&home, &mut own, &mut contracts.assigned, &mut notes);
    }
    for home in world.homes() {
        let methods = program.class(home.class()).map_or(&[][..], |c| &c.methods);
        for id in methods.iter().filter(|id| !program.method(**id).is_bridge) {
            if let Some(contract) = inherit::whole(program, *id, &own) {
                contracts.methods.insert(*id, contract);
            }
        }
    }
    assigned::parameters(program, &contracts.methods, &mut contracts.assigned);
    contracts.classes = notes.classes;
    contracts.classes.retain(|_, contract| *contract != ClassContract::default());
    contracts.diagnostics = notes.diagnostics;
    contracts.heard = notes.heard;
    let file_of = |m: &Mistake| files.iter().position(|file| file.path == m.file);
    contracts.diagnostics.sort_by_key(|m| (file_of(m), m.diagnostic.span));
    contracts
}

/// What is known before any clause is resolved.
pub(crate) struct World<'p> {
    pub program: &'p Program,
    pub files: &'p [SourceFile],
    pub math: Math,
    pub defaults: Defaults,
    pub evident: Evident,
    /// The types of each file.
    pub found: Vec<Vec<Option<FoundType>>>,
    pub spec_fields: SpecFields,
    pub specified: Specified,
    /// Methods that are said to be pure, or that the compiler has written.
    pub pure: HashSet<MethodId>,
}

impl World<'_> {
    /// The declared types that the program has, in the order of the files.
    pub fn homes(&self) -> impl Iterator<Item = Home<'_>> {
        self.files.iter().zip(&self.found).flat_map(move |(file, found)| {
            let types = file.specs.types.iter().zip(found).enumerate();
            types.filter_map(move |(index, (ty, found))| {
                Some(Home { world: self, file, index, ty, found: found.as_ref()? })
            })
        })
    }
}

/// A type in its file, and what it is in the program.
#[derive(Clone, Copy)]
pub(crate) struct Home<'w> {
    pub world: &'w World<'w>,
    pub file: &'w SourceFile,
    /// Its index in the file.
    pub index: usize,
    pub ty: &'w TypeSpecs,
    pub found: &'w FoundType,
}

impl<'w> Home<'w> {
    pub fn class(&self) -> ir::ClassId {
        self.found.class
    }

    pub fn program(&self) -> &'w Program {
        self.world.program
    }

    /// The setting of a clause of the type itself that speaks of one state.
    pub fn setting(&self, is_static: bool) -> Setting<'w> {
        let scope = Scope {
            program: self.world.program,
            package: &self.file.specs.package,
            imports: &self.file.specs.imports,
            spec_fields: &self.world.spec_fields,
            specified: &self.world.specified,
            class: self.class(),
            is_static,
            variables: Vec::new(),
            generics: Vec::new(),
            result: None,
            states: States::One,
            math: self.math(&[]),
        };
        let pure = &self.world.pure;
        Setting {
            scope,
            pure,
            around: Around::Ordinary,
            before: None,
            later: Vec::new(),
            definitions: Vec::new(),
            counted: None,
        }
    }

    /// How numbers compute in clauses of something with these modifiers.
    pub fn math(&self, modifiers: &[Modifier]) -> Math {
        let said = |modifiers: &[Modifier]| {
            modifiers.iter().find_map(|m| match m.kind {
                ModifierKind::SpecBigintMath => Some(Math::Bigint),
                ModifierKind::SpecSafeMath => Some(Math::Safe),
                ModifierKind::SpecJavaMath => Some(Math::Java),
                _ => None,
            })
        };
        said(modifiers)
            .or_else(|| self.enclosing().find_map(|ty| said(&ty.modifiers)))
            .unwrap_or(self.world.math)
    }

    /// The type and those around it, innermost first.
    pub fn enclosing(&self) -> impl Iterator<Item = &'w TypeSpecs> {
        let types = &self.file.specs.types;
        let mut name = self.ty.name.as_str();
        let mut current = Some(self.ty);
        std::iter::from_fn(move || {
            let found = current?;
            current = loop {
                let Some(cut) = name.rfind('$') else {
                    break None;
                };
                name = &name[..cut];
                if let Some(outer) = types.iter().find(|ty| ty.name == name) {
                    break Some(outer);
                }
            };
            Some(found)
        })
    }

    pub fn site(&self, span: Span) -> Site {
        let source = span.text(&self.file.text);
        let text = readable(source).into();
        Site { file: self.file.path.clone(), span, text, source: source.into() }
    }

    /// A place with other words than those that stand there.
    pub fn site_saying(&self, span: Span, text: impl Into<Arc<str>>) -> Site {
        Site { text: text.into(), ..self.site(span) }
    }

    /// The gap that a part of the file without meaning leaves.
    pub fn gap_at(&self, gap: &ast::Gap, span: Span) -> Gap {
        let reason = match gap {
            ast::Gap::Unsupported(what) => trouble::refusal(what),
            ast::Gap::Broken => {
                let inside =
                    |d: &&Diagnostic| span.start <= d.span.start && d.span.start <= span.end;
                let said = self.file.specs.diagnostics.iter().find(inside);
                said.map_or_else(
                    || format!("{span}: this is not understood"),
                    |d| format!("{}: {}", d.span, d.message),
                )
            }
        };
        Gap { reason, site: self.site(span) }
    }

    pub fn gaps_at<'g>(&self, gaps: impl IntoIterator<Item = &'g GapAt>) -> Vec<Gap> {
        gaps.into_iter().map(|gap| self.gap_at(&gap.gap, gap.span)).collect()
    }
}

/// Whether a modifier is among these.
pub(crate) fn has(modifiers: &[Modifier], kind: ModifierKind) -> bool {
    modifiers.iter().any(|m| m.kind == kind)
}

/// A clause as one line: white space made single spaces, the signs of comments removed.
fn readable(source: &str) -> String {
    let mut words = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let mut line = line.trim();
        if number > 0 {
            line = line.strip_prefix("//").map_or(line, |rest| rest.trim_start_matches('+'));
            line = line.trim_start_matches('@');
        }
        words.extend(line.split_whitespace());
    }
    words.join(" ")
}

/// What is written down on the way.
#[derive(Default)]
pub(crate) struct Notes {
    pub diagnostics: Vec<Mistake>,
    /// What was taken from documentation.
    pub heard: Vec<Taken>,
    pub classes: HashMap<ir::ClassId, ClassContract>,
    /// Declared names that cannot be used, and why.
    pub refused: HashMap<(ir::ClassId, String), String>,
}

impl Notes {
    /// The contract of a type.
    pub fn class(&mut self, home: &Home<'_>) -> &mut ClassContract {
        self.classes.entry(home.class()).or_default()
    }

    /// The gap that trouble leaves at a clause; a mistake is reported too.
    pub fn gap(&mut self, home: &Home<'_>, span: Span, trouble: Trouble) -> Gap {
        let site = home.site(span);
        let reason = match trouble {
            Trouble::Unsupported(reason) => reason,
            Trouble::Mistake(diagnostic) => {
                let reason = format!("{}: {}", diagnostic.span, diagnostic.message);
                self.diagnostics.push(Mistake { file: home.file.path.clone(), diagnostic });
                reason
            }
        };
        Gap { reason, site }
    }

    /// Something that is said to the author and changes nothing.
    pub fn warn(&mut self, home: &Home<'_>, span: Span, message: impl Into<String>) {
        let diagnostic = Diagnostic { span, message: message.into(), suggestion: None };
        self.diagnostics.push(Mistake { file: home.file.path.clone(), diagnostic });
    }

    /// A gap of a type.
    pub fn class_gap(&mut self, home: &Home<'_>, span: Span, trouble: Trouble) {
        let gap = self.gap(home, span, trouble);
        self.class(home).gaps.push(gap);
    }
}
