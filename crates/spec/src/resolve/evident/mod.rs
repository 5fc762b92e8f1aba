//! Fields that the code itself shows to be nullable: a constructor leaves them null, or a method sets them to
//! null or compares them with it.
//!
//! JML takes a reference without a word as non-null. Nobody who writes a linked list without
//! `nullable` means that, so with [`Defaults::Shown`](crate::resolve::Defaults) such fields count as
//! nullable. Whatever is decided here is sound: what is taken as non-null is also checked.

mod flow;
mod left;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ir::{Body, ClassId, Code, FieldId, MethodId, Program};

use crate::core::Taken;
use crate::resolve::{Defaults, Home, World, nullness};
use crate::span::Span;

/// What the code does with a field that cannot be null; the first is the best reason to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    Left,
    Set,
    Compared,
}

/// Fields that are taken as nullable.
pub(crate) type Evident = HashMap<FieldId, Why>;

/// The fields about which nothing is written and which are evidently nullable, and what is to be said of them.
pub(crate) fn fields(world: &World<'_>) -> (Evident, Vec<Taken>) {
    let (mut evident, mut taken) = (Evident::new(), Vec::new());
    if world.defaults != Defaults::Shown {
        return (evident, taken);
    }
    for home in world.homes() {
        let open = nullness::open_fields(&home);
        let wanted: BTreeSet<FieldId> = open.iter().map(|(field, _)| *field).collect();
        if wanted.is_empty() {
            continue;
        }
        let found = of_class(world.program, home.class(), &nest(&home), &wanted);
        taken.extend(said(&home, &open, &found));
        evident.extend(found);
    }
    (evident, taken)
}

/// The classes of the file: they see each other's private fields.
fn nest(home: &Home<'_>) -> Vec<ClassId> {
    let index = home.world.files.iter().position(|file| std::ptr::eq(file, home.file));
    let found = index.and_then(|index| home.world.found.get(index));
    let mut classes: Vec<ClassId> =
        found.into_iter().flatten().flatten().map(|f| f.class).collect();
    classes.sort();
    classes.dedup();
    classes
}

fn of_class(
    program: &Program,
    class: ClassId,
    nest: &[ClassId],
    wanted: &BTreeSet<FieldId>,
) -> Evident {
    let mut found: BTreeMap<FieldId, Why> = BTreeMap::new();
    let mut see = |field: FieldId, why: Why| {
        let known = found.entry(field).or_insert(why);
        *known = why.min(*known);
    };
    for field in left::null(program, class, wanted) {
        see(field, Why::Left);
    }
    for (method, body) in nest.iter().flat_map(|class| bodies(program, *class)) {
        let is_first = ["<init>", "<clinit>"].contains(&&*program.method(method).name);
        flow::shown(program, body, wanted, &mut |field, why| match why {
            Why::Set if is_first => see(field, Why::Left),
            Why::Left | Why::Set | Why::Compared => see(field, why),
        });
    }
    found.into_iter().collect()
}

/// The code of a class.
fn bodies(program: &Program, class: ClassId) -> impl Iterator<Item = (MethodId, &Body)> {
    let methods = program.class(class).map_or(&[][..], |c| &c.methods);
    methods.iter().filter_map(|id| Some((*id, body(program, *id)?)))
}

fn body(program: &Program, method: MethodId) -> Option<&Body> {
    match program.code(method) {
        Code::Body(body) => Some(body),
        Code::Intrinsic(_) | Code::Abstract | Code::Unsupported(_) => None,
    }
}

/// One sentence for a class.
fn said(home: &Home<'_>, open: &[(FieldId, Span)], evident: &Evident) -> Option<Taken> {
    let program = home.program();
    let first = open.iter().find(|(field, _)| evident.contains_key(field))?;
    let mut reasons = Vec::new();
    for why in [Why::Left, Why::Set, Why::Compared] {
        let fields = open.iter().filter(|(field, _)| evident.get(field) == Some(&why));
        let names: Vec<&str> = fields.map(|(field, _)| &*program.field(*field).name).collect();
        if !names.is_empty() {
            reasons.push((names.join(", "), reason(why, names.len() == 1)));
        }
    }
    let is_one = open.iter().filter(|(field, _)| evident.contains_key(field)).count() == 1;
    let class = ir::program::simple(program.class_name(home.class()));
    let are = if is_one { "is" } else { "are" };
    let what = match &reasons[..] {
        [(names, reason)] => format!("{names} of {class} {are} taken as nullable: {reason}"),
        several => {
            let each = several.iter().map(|(names, reason)| format!("{names} ({reason})"));
            let each = each.collect::<Vec<_>>().join(", ");
            format!("fields of {class} are taken as nullable: {each}")
        }
    };
    let them = if is_one { "it" } else { "them" };
    let text = format!(
        "{what}; write /*@ nullable @*/ before {them} to say so, or take {them} as non-null with --nullness jml"
    );
    Some(Taken { file: home.file.path.clone(), line: first.1.line, text })
}

fn reason(why: Why, is_one: bool) -> &'static str {
    match (why, is_one) {
        (Why::Left, true) => "a constructor or initialiser leaves it null",
        (Why::Left, false) => "constructors or initialisers leave them null",
        (Why::Set, true) => "the code sets it to null",
        (Why::Set, false) => "the code sets them to null",
        (Why::Compared, true) => "the code compares it with null",
        (Why::Compared, false) => "the code compares them with null",
    }
}
