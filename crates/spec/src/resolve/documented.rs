//! What the documentation of a method says, resolved: exceptions that may leave it, parameters that may be
//! null, and preconditions. What cannot be resolved is not heard: prose is no specification.

use ir::{ClassId, Nullness};

use crate::core::{Clause, Contract, Taken};
use crate::docs;
use crate::jml::ast;
use crate::resolve::Home;
use crate::resolve::expr::Setting;
use crate::resolve::find::{self, Found};
use crate::resolve::inherit::empty_case;
use crate::specs::MethodSpecs;

/// Adds to a contract what is documented; the sentences tell what was heard. What is specified, and what
/// annotations say of null, goes before prose.
pub(crate) fn add(
    (home, method, found): (&Home<'_>, &MethodSpecs, Found),
    setting: &Setting<'_>,
    contract: &mut Contract,
) -> Vec<Taken> {
    let mut heard = Vec::new();
    let name = home.program().method_name(found.id);
    let mut hear = |line: u32, what: String| {
        heard.push(Taken { file: home.file.path.clone(), line, text: format!("{name}: {what}") });
    };
    for written in &method.documented {
        if let Some(class) = exception(setting, &written.name) {
            contract.documented.push(class);
            hear(written.span.line, format!("{} may leave it, as documented", written.name));
        }
    }
    let declared = home.program().method(found.id);
    for (index, written) in find::parameters(home.ty, method).iter().enumerate() {
        let at = found.hidden + index;
        let is_said = declared.param_nullness.get(at) != Some(&Nullness::Unspecified);
        let place = contract.parameter_nullness.get_mut(at);
        let is_default = |said: &Nullness| {
            *said == Nullness::Unspecified
                || written.modifiers.is_empty() && home.file.specs.has_jml
        };
        if let (Some(place), false) = (place.filter(|said| is_default(said)), is_said)
            && let Some(nullness) = written.documented.map(of_reference)
            && *place != nullness
        {
            *place = nullness;
            if let Some(site) = contract.parameter_sites.get_mut(at) {
                *site = None;
            }
            let may = if nullness == Nullness::Nullable { "may" } else { "must not" };
            hear(written.span.line, format!("{} {may} be null, as documented", written.name));
        }
        for annotation in &written.annotations {
            let text = docs::condition(annotation, written);
            let resolved = text.and_then(|text| {
                let parsed = crate::parse_expression(&text).ok()?;
                Some((setting.condition(&parsed).ok()?, text))
            });
            if let Some((term, text)) = resolved {
                let said = format!("{text} (@{})", annotation.name);
                hear(written.span.line, format!("requires {said}"));
                let site = home.site_saying(written.span, format!("requires {said}"));
                require(contract, Clause { term, site });
            }
        }
    }
    heard
}

fn of_reference(said: ast::Nullness) -> Nullness {
    match said {
        ast::Nullness::Nullable => Nullness::Nullable,
        ast::Nullness::NonNull => Nullness::NonNull,
    }
}

fn exception(setting: &Setting<'_>, name: &str) -> Option<ClassId> {
    let program = setting.scope.program;
    let class = setting.scope.class_named(name)?;
    program.is_subtype(class, program.class_id("java.lang.Throwable")).then_some(class)
}

/// A caller has to keep it in every case.
fn require(contract: &mut Contract, clause: Clause) {
    if contract.cases.is_empty() {
        contract.cases.push(empty_case(clause.site.clone()));
    }
    for case in &mut contract.cases {
        case.requires.push(clause.clone());
    }
}
