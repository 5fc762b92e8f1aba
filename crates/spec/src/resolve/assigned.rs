//! Where bodies assign variables that are said to be non-null: each of these instructions must not
//! assign null.
//!
//! A variable is found in the compiled code by its name and the lines of its scope: Java admits no
//! two variables of one name in scopes that overlap. Parameters have registers of their own.

use std::collections::HashMap;

use ir::{Body, Code, MethodId, Program, Reg};

use crate::core::{Assigned, Contract, Site};
use crate::jml::ast::ModifierKind;
use crate::resolve::inherit::Own;
use crate::resolve::trouble::Trouble;
use crate::resolve::{Home, Notes, has};
use crate::specs::{Assignment, LocalSpecs, MethodSpecs};

type Found = HashMap<MethodId, Vec<Assigned>>;

/// Local variables that are marked. A method with an assignment of which the compiled code has no trace
/// (the compiler does not name a variable that nothing follows) gets a gap.
pub(crate) fn locals(
    home: &Home<'_>,
    own: &mut HashMap<MethodId, Own>,
    found: &mut Found,
    notes: &mut Notes,
) {
    let program = home.program();
    for (written, compiled) in home.ty.methods.iter().zip(&home.found.methods) {
        let marked = written.locals.iter().filter(|l| has(&l.modifiers, ModifierKind::NonNull));
        let marked: Vec<&LocalSpecs> = marked.collect();
        let Some(compiled) = compiled.filter(|_| !marked.is_empty()) else {
            continue;
        };
        let methods = program.class(home.class()).map_or(&[][..], |c| &c.methods);
        let is_lambda = |id: &MethodId| program.method(*id).name.starts_with("lambda$");
        let bodies = methods.iter().copied().filter(is_lambda).chain([compiled.id]);
        let bodies = bodies.filter_map(|id| Some((id, body_of(program, id)?)));
        let bodies: Vec<(MethodId, &Body)> = bodies.collect();
        for local in marked {
            for name in &local.names {
                let site = home.site_saying(local.span, format!("{name} is non-null"));
                let mut lines = Vec::new();
                for (id, body) in &bodies {
                    let stores = stores_to(body, name, local.span.line..=local.last_line);
                    let stores: Vec<Store> = stores.collect();
                    lines.extend(stores.iter().map(|store| store.line));
                    add(found, *id, stores.into_iter(), &site);
                }
                if is_missing(written, local, name, &lines) {
                    let reason =
                        format!("the compiled code does not say where `{name}` is assigned");
                    let gap = notes.gap(home, local.span, Trouble::Unsupported(reason));
                    own.entry(compiled.id).or_default().contract.gaps.push(gap);
                }
            }
        }
    }
}

/// Whether the source assigns a variable more often than the compiled code is known to.
fn is_missing(method: &MethodSpecs, local: &LocalSpecs, name: &str, compiled: &[u32]) -> bool {
    let scope = local.span.line..=local.last_line;
    let here = method.assignments.iter().filter(|a| a.name == name);
    let here: Vec<&Assignment> = here.filter(|a| scope.contains(&a.first_line)).collect();
    here.iter().any(|place| {
        let lines = place.first_line..=place.last_line;
        let inside =
            |a: &&&Assignment| lines.contains(&a.first_line) && lines.contains(&a.last_line);
        let known = compiled.iter().filter(|line| lines.contains(line)).count();
        known < here.iter().filter(inside).count()
    })
}

/// An instruction that writes a variable.
struct Store {
    pc: u32,
    register: Reg,
    line: u32,
}

/// Parameters that are non-null, marked or by default.
pub(crate) fn parameters(
    program: &Program,
    contracts: &HashMap<MethodId, Contract>,
    found: &mut Found,
) {
    for (id, contract) in contracts {
        let Some(body) = body_of(program, *id) else {
            continue;
        };
        let first = usize::from(!program.method(*id).is_static);
        for (index, site) in contract.non_null_parameters() {
            if let Some(register) = body.params.get(first + index).copied() {
                add(found, *id, stores(body, register), site);
            }
        }
    }
}

fn body_of(program: &Program, id: MethodId) -> Option<&Body> {
    match program.code(id) {
        Code::Body(body) => Some(body),
        _ => None,
    }
}

fn add(found: &mut Found, id: MethodId, stores: impl Iterator<Item = Store>, site: &Site) {
    let assigned = |s: Store| Assigned { pc: s.pc, register: s.register, site: site.clone() };
    let stores = stores.map(assigned);
    let stores: Vec<Assigned> = stores.collect();
    if !stores.is_empty() {
        found.entry(id).or_default().extend(stores);
    }
}

fn stores_to(
    body: &Body,
    name: &str,
    lines: std::ops::RangeInclusive<u32>,
) -> impl Iterator<Item = Store> {
    let instrs = body.blocks.iter().flat_map(|block| &block.instrs);
    instrs.filter_map(move |instr| {
        let register = instr.dst()?;
        let variable = body.variable_at(register, instr.pc)?;
        let is_it = *variable.name == *name && lines.contains(&instr.line);
        is_it.then_some(Store { pc: instr.pc, register, line: instr.line })
    })
}

fn stores(body: &Body, register: Reg) -> impl Iterator<Item = Store> {
    let instrs = body.blocks.iter().flat_map(|block| &block.instrs);
    let stores = instrs.filter(move |instr| instr.dst() == Some(register));
    stores.map(move |instr| Store { pc: instr.pc, register, line: instr.line })
}
