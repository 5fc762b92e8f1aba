//! Inheritance: which methods a method overrides, and what it takes over from their contracts.

use std::collections::HashMap;

use ir::{Class, Method, MethodId, Nullness, Program};

use crate::core::{
    Assignable, Case, Contract, Ends, Location, Site, Sort, Term, TermKind, Variable,
};

/// What is said about a method where it is declared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    pub contract: Contract,
    /// Where it is said to be pure.
    pub pure: Option<Site>,
}

/// All methods of super-types that a method overrides, nearest first.
pub(crate) fn overridden(program: &Program, id: MethodId) -> Vec<MethodId> {
    let method = program.method(id);
    let is_alone = method.is_static || method.is_private || method.name.starts_with('<');
    let Some(class) = program.class(method.class).ok().filter(|_| !is_alone) else {
        return Vec::new();
    };
    let mut descriptors = vec![method.descriptor.as_str()];
    descriptors.extend(bridges(program, class, method));
    let mut found = Vec::new();
    for supertype in class.supertypes().iter().skip(1) {
        let Ok(supertype) = program.class(*supertype) else {
            continue;
        };
        for descriptor in &descriptors {
            let Some(above) = program.declared_method(supertype, &method.name, descriptor) else {
                continue;
            };
            let declared = program.method(above);
            let is_hidden = declared.is_package_private
                && package(program, declared) != package(program, method);
            if !declared.is_static && !declared.is_private && !is_hidden && !declared.is_bridge {
                found.push(above);
            }
        }
    }
    found
}

/// The descriptors under which a method can also be called: those of the bridges to it.
fn bridges<'p>(
    program: &'p Program,
    class: &'p Class,
    method: &'p Method,
) -> impl Iterator<Item = &'p str> {
    let leads_here = move |bridge: &&Method| {
        bridge.is_bridge
            && bridge.name == method.name
            && bridge.params.len() == method.params.len()
            && bridge.params.iter().zip(&method.params).all(|(wide, narrow)| {
                match (wide.class(), narrow.class()) {
                    (Some(wide), Some(narrow)) => program.is_subtype(narrow, wide),
                    _ => wide == narrow,
                }
            })
    };
    let methods = class.methods.iter().map(|m| program.method(*m));
    methods.filter(leads_here).map(|bridge| bridge.descriptor.as_str())
}

fn package<'p>(program: &'p Program, method: &Method) -> &'p str {
    let name = program.class_name(method.class);
    name.rfind('.').map_or("", |dot| &name[..dot])
}

/// The whole contract of a method: its own, and what it inherits. `None` if nothing is said.
pub(crate) fn whole(
    program: &Program,
    id: MethodId,
    own: &HashMap<MethodId, Own>,
) -> Option<Contract> {
    let Own { mut contract, mut pure } = own.get(&id).cloned().unwrap_or_default();
    let params = program.method(id).params.len();
    contract.parameter_nullness.resize(params, Nullness::Unspecified);
    contract.parameter_sites.resize(params, None);
    let above = overridden(program, id);
    for inherited in above.iter().filter_map(|above| own.get(above)) {
        contract.cases.extend(inherited.contract.cases.iter().filter(|c| !c.is_code).cloned());
        contract.gaps.extend(inherited.contract.gaps.iter().cloned());
        contract.documented.extend(&inherited.contract.documented);
        let says = &inherited.contract;
        let says = says.parameter_nullness.iter().zip(&says.parameter_sites);
        let mine = contract.parameter_nullness.iter_mut().zip(&mut contract.parameter_sites);
        for ((mine, my_site), (theirs, their_site)) in mine.zip(says) {
            // A caller that knows the super-type only may pass what that admits.
            if *mine == Nullness::Unspecified || *theirs == Nullness::Nullable {
                *mine = *theirs;
                my_site.clone_from(their_site);
            }
        }
        let promised = |c: &Contract| {
            c.result_nullness.as_ref().is_some_and(|n| n.nullness == Nullness::NonNull)
        };
        if contract.result_nullness.is_none() || promised(&inherited.contract) {
            contract.result_nullness.clone_from(&inherited.contract.result_nullness);
        }
        pure = pure.or_else(|| inherited.pure.clone());
    }
    if let Some(site) = pure {
        contract.is_pure = true;
        assign_nothing(program, id, &mut contract, &site);
    }
    is_something(&contract).then_some(contract)
}

/// A pure method assigns nothing, except that a constructor fills its object.
fn assign_nothing(program: &Program, id: MethodId, contract: &mut Contract, site: &Site) {
    let method = program.method(id);
    let locations = if method.name == "<init>" {
        let kind = TermKind::Variable(Variable::This);
        let this = Term { kind, sort: Sort::Reference(method.class), span: site.span };
        vec![Location::Fields(this)]
    } else {
        Vec::new()
    };
    let assignable =
        Assignable { locations: Some(locations), is_strict: false, site: site.clone() };
    if contract.cases.is_empty() {
        contract.cases.push(empty_case(site.clone()));
    }
    for case in &mut contract.cases {
        case.assignable.push(assignable.clone());
    }
}

/// A case that says nothing yet.
pub(crate) fn empty_case(site: Site) -> Case {
    Case {
        requires: Vec::new(),
        ensures: Vec::new(),
        signals: Vec::new(),
        signals_only: None,
        assignable: Vec::new(),
        accessible: Vec::new(),
        callable: Vec::new(),
        measured_by: Vec::new(),
        is_code: false,
        ends: Ends::Anyhow,
        site,
    }
}

fn is_something(contract: &Contract) -> bool {
    let says_nullness = contract.parameter_nullness.iter().any(|n| *n != Nullness::Unspecified);
    !contract.cases.is_empty()
        || !contract.gaps.is_empty()
        || !contract.documented.is_empty()
        || contract.is_pure
        || contract.is_helper
        || says_nullness
        || contract.result_nullness.is_some()
}
