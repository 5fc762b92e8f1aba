//! What only specifications declare and other clauses name: model methods, data groups, and the
//! names of what is not supported, so that nothing suffers but the clauses that use it.

use std::collections::{HashMap, HashSet};

use ir::{ClassId, FieldData, FieldId, Nullness, Program, SpecField, Type};

use crate::core::{Clause, Location, ModelBody, Sort, Term, TermKind, Variable};
use crate::jml::ast::{self, Expr, Ident, ModifierKind, TypeClauseKind};
use crate::resolve::expr::{Terms, term};
use crate::resolve::frame;
use crate::resolve::scope::{Scope, sort_of};
use crate::resolve::trouble::{Resolved, mistake, undecidable};
use crate::resolve::types::{self, Named};
use crate::resolve::{Home, Notes, World, has};
use crate::span::Span;

/// Data groups that the usual specifications of the library declare: by their classes.
const LIBRARY_GROUPS: [(&str, &str); 2] =
    [("java.lang.AutoCloseable", "autocloseableContent"), ("java.lang.Object", "objectState")];

/// The type of model fields that are nothing but data groups.
pub(crate) const DATA_GROUP: &str = "JMLDataGroup";

/// Declarations that other clauses name.
#[derive(Default)]
pub(crate) struct Specified {
    /// Why a declared name cannot be used.
    pub refused: HashMap<(ClassId, String), String>,
    /// The members of data groups, as locations of `this`.
    pub groups: HashMap<FieldId, Vec<Location>>,
    /// Model fields that are sets of locations.
    pub location_sets: HashSet<FieldId>,
    pub methods: HashMap<(ClassId, String), Vec<Model>>,
}

/// A model method.
#[derive(Clone)]
pub(crate) struct Model {
    /// The same for what overrides it.
    pub number: u32,
    pub is_static: bool,
    pub parameters: Vec<Named>,
    pub result: Named,
    /// Why calls of it mean nothing.
    pub refused: Option<String>,
}

/// Defines the data groups of the library that some file names.
pub(crate) fn library_groups(world: &World<'_>) -> Vec<((ClassId, String), FieldId)> {
    let program = world.program;
    let is_named = |name: &str| world.files.iter().any(|file| file.text.contains(name));
    let named = LIBRARY_GROUPS.iter().filter(|(_, name)| is_named(name));
    let define = |(class, name): &(&str, &str)| {
        let class = program.class_id(class);
        program.class(class).ok()?;
        let field = program.define_field(class, data_group(program, name, false));
        Some(((class, (*name).to_string()), field))
    };
    named.filter_map(define).collect()
}

/// A model field without a value.
pub(crate) fn data_group(program: &Program, name: &str, is_static: bool) -> FieldData {
    FieldData {
        name: name.into(),
        ty: Type::Ref(program.class_id("java.lang.Object")),
        is_static,
        is_final: false,
        is_private: false,
        is_public: true,
        is_synthetic: false,
        is_volatile: false,
        constant: None,
        nullness: Nullness::Nullable,
        is_generic: false,
        signature: None,
        specified: Some(SpecField::Model),
    }
}

/// Declares the model methods of all types. What overrides another has its number.
pub(crate) fn model_methods(world: &World<'_>) -> HashMap<(ClassId, String), Vec<Model>> {
    let mut numbers: HashMap<(String, Vec<Named>), u32> = HashMap::new();
    let mut found: HashMap<(ClassId, String), Vec<Model>> = HashMap::new();
    for home in world.homes() {
        for method in home.ty.model_methods.iter().filter_map(|m| m.content.as_ref().ok()) {
            let name = method.name.name.clone();
            let mut model = declared(&home, method);
            let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let key = (name.clone(), model.parameters.clone());
            model.number = *numbers.entry(key).or_insert(count);
            found.entry((home.class(), name)).or_default().push(model);
        }
    }
    found
}

fn declared(home: &Home<'_>, method: &ast::ModelMethod) -> Model {
    let is_interface = home.program().class(home.class()).is_ok_and(|c| c.is_interface);
    let is_static = has(&method.modifiers, ModifierKind::Static);
    let setting = home.setting(is_static && !is_interface);
    let of = |ty: &ast::TypeName| types::named(&setting.scope, ty);
    let parameters: Resolved<Vec<Named>> = method.parameters.iter().map(|p| of(&p.0)).collect();
    let result = of(&method.ty);
    let name = &method.name.name;
    let refused = match (&method.body, &parameters, &result) {
        (Err(_), ..) => Some(format!(
            "the model method `{name}` has no body that is a single `return`, so nothing says what \
             it is"
        )),
        (_, Err(_), _) | (_, _, Err(_)) => {
            Some(format!("a type of the model method `{name}` is not supported"))
        }
        _ => None,
    };
    Model {
        number: 0,
        is_static,
        parameters: parameters.unwrap_or_default(),
        result: result.unwrap_or(Named::Big),
        refused,
    }
}

/// Resolves the bodies of the model methods of a type.
pub(crate) fn model_bodies(home: &Home<'_>, notes: &mut Notes) {
    for clause in &home.ty.model_methods {
        let method = match &clause.content {
            Ok(method) => method,
            Err(gap) => {
                let gap = home.gap_at(gap, clause.span);
                notes.class(home).gaps.push(gap);
                continue;
            }
        };
        if let Some(case) = method.spec.cases.first() {
            let message = format!(
                "not checked: what is specified about the model method `{}`, whose body says what \
                 it is",
                method.name.name
            );
            notes.warn(home, case.span, message);
        }
        let (Ok(body), Some(model)) = (&method.body, model_of(home, method)) else {
            continue;
        };
        let site = home.site(body.span);
        match model_body(home, method, &model, body) {
            Ok((parameters, term)) => {
                let value = Clause { term, site };
                let bodies = &mut notes.class(home).model_methods;
                bodies.insert(model.number, ModelBody { parameters, value });
            }
            Err(trouble) => notes.class_gap(home, body.span, *trouble),
        }
    }
}

fn model_of(home: &Home<'_>, method: &ast::ModelMethod) -> Option<Model> {
    let key = (home.class(), method.name.name.clone());
    let wanted = declared(home, method);
    let all = home.world.specified.methods.get(&key)?;
    all.iter().find(|m| m.refused.is_none() && m.parameters == wanted.parameters).cloned()
}

fn model_body(
    home: &Home<'_>,
    method: &ast::ModelMethod,
    model: &Model,
    body: &Expr,
) -> Resolved<(Vec<u32>, Term)> {
    let mut setting = home.setting(model.is_static);
    setting.scope.math = home.math(&method.modifiers);
    let mut terms = Terms::new(&setting);
    let mut numbers = Vec::new();
    for ((_, name), ty) in method.parameters.iter().zip(&model.parameters) {
        let number = terms.next_bound;
        terms.next_bound += 1;
        terms.bound.push((name.name.clone(), number, ty.sort()));
        numbers.push(number);
    }
    let value = terms.scalar(body)?;
    Ok((numbers, terms.taken(value, model.result)?))
}

impl Terms<'_, '_> {
    /// A value where a variable of this type takes it.
    pub fn taken(&self, value: Term, ty: Named) -> Resolved<Term> {
        match ty {
            Named::Java(ty) => self.assigned(value, ty),
            Named::Big => {
                let value = types::unbox(self.scope().program, value);
                match value.sort {
                    Sort::Number(number) if !types::is_floating(number) => {
                        Ok(self.converted(value, crate::core::Number::Big))
                    }
                    _ => mistake(
                        value.span,
                        format!("an integer is needed here, but this is {}", self.a(&value)),
                    ),
                }
            }
        }
    }

    /// A call of a model method, if the class has one that fits.
    pub fn model_call(
        &self,
        class: ClassId,
        receiver: Option<Term>,
        method: &Ident,
        arguments: &[Term],
        span: Span,
    ) -> Resolved<Option<Term>> {
        let supertypes = self.scope().program.class(class).map_or(&[][..], |c| c.supertypes());
        let specified = self.scope().specified;
        let named =
            supertypes.iter().filter_map(|c| specified.methods.get(&(*c, method.name.clone())));
        let fits = |model: &&Model| {
            model.parameters.len() == arguments.len()
                && arguments
                    .iter()
                    .zip(&model.parameters)
                    .all(|(a, ty)| self.taken(a.clone(), *ty).is_ok())
        };
        let Some(model) = named.flatten().find(fits) else {
            return Ok(None);
        };
        if let Some(reason) = &model.refused {
            return undecidable(reason.clone());
        }
        let receiver = match (model.is_static, receiver) {
            (true, _) => None,
            (false, Some(receiver)) => Some(receiver),
            (false, None) => {
                let message = format!("`{}` is a method of objects, not of the class", method.name);
                return mistake(method.span, message);
            }
        };
        let mut passed: Vec<Term> = receiver.into_iter().collect();
        if model.is_static {
            // The class whose method it is.
            let kind = TermKind::TypeLiteral(Type::Ref(class));
            passed.push(term(kind, Sort::Type, span));
        }
        for (argument, ty) in arguments.iter().zip(&model.parameters) {
            passed.push(self.taken(argument.clone(), *ty)?);
        }
        let kind =
            TermKind::Model { method: model.number, is_static: model.is_static, arguments: passed };
        Ok(Some(term(kind, model.result.sort(), span)))
    }
}

impl Named {
    /// The sort of its values.
    pub fn sort(self) -> Sort {
        match self {
            Named::Java(ty) => sort_of(ty),
            Named::Big => Sort::Number(crate::core::Number::Big),
        }
    }
}

/// The model fields that are sets of locations.
pub(crate) fn location_sets(world: &World<'_>) -> HashSet<FieldId> {
    let mut found = HashSet::new();
    for home in world.homes() {
        for variable in home.ty.variables.iter().filter_map(|v| v.content.as_ref().ok()) {
            let key = (home.class(), variable.name.name.clone());
            if is_location_set(variable) {
                found.extend(world.spec_fields.get(&key));
            }
        }
    }
    found
}

pub(crate) fn is_location_set(variable: &ast::SpecVariable) -> bool {
    variable.is_model && variable.ty.name == "\\locset" && variable.ty.dimensions == 0
}

/// The members of all data groups.
pub(crate) fn groups(world: &World<'_>, notes: &mut Notes) -> HashMap<FieldId, Vec<Location>> {
    let mut groups: HashMap<FieldId, Vec<Location>> = HashMap::new();
    for home in world.homes() {
        for variable in &home.ty.variables {
            let is_group = |v: &&ast::SpecVariable| v.is_model && is_data_group(&v.ty);
            if let Some(group) = variable.content.as_ref().ok().filter(is_group) {
                let key = (home.class(), group.name.name.clone());
                if let Some(field) = world.spec_fields.get(&key) {
                    groups.entry(*field).or_default();
                }
            }
        }
        for clause in &home.ty.clauses {
            let Ok(content) = &clause.content else {
                continue;
            };
            let members = match &content.kind {
                TypeClauseKind::In(of) => members_before(&home, clause.span).map(|m| (m, of)),
                TypeClauseKind::Maps { location, groups } => {
                    frame::named(&home, location).map(|m| (m, groups))
                }
                _ => continue,
            };
            let added = members.and_then(|(members, of)| {
                for group in of {
                    let field = super::class::group(&home, group)?;
                    let others = members.iter().filter(|member| !is_field(member, field));
                    groups.entry(field).or_default().extend(others.cloned());
                }
                Ok(())
            });
            if let Err(trouble) = added {
                notes.class_gap(&home, clause.span, *trouble);
            }
        }
    }
    // They have no members but those that are said to be.
    for (class, name) in LIBRARY_GROUPS {
        let key = (world.program.class_id(class), name.to_string());
        if let Some(field) = world.spec_fields.get(&key) {
            groups.entry(*field).or_default();
        }
    }
    groups
}

pub(crate) fn is_data_group(ty: &ast::TypeName) -> bool {
    ty.name == "\\datagroup" || ty.name.rsplit('.').next() == Some(DATA_GROUP)
}

/// The fields of the declaration that stands last before a place.
fn members_before(home: &Home<'_>, place: Span) -> Resolved<Vec<Location>> {
    let java = home.ty.fields.iter().map(|field| (field.span.start, field.names.clone()));
    let own = home
        .ty
        .variables
        .iter()
        .filter_map(|v| Some((v.span.start, vec![v.content.as_ref().ok()?.name.name.clone()])));
    let before = java.chain(own).filter(|(start, _)| *start < place.start);
    let Some((_, names)) = before.max_by_key(|(start, _)| *start) else {
        return mistake(place, "no field stands before `in` that could belong to the data group");
    };
    let setting = home.setting(false);
    let fields = names.iter().filter_map(|name| setting.scope.field(home.class(), name));
    Ok(fields.map(|field| member(&setting.scope, field, place)).collect())
}

/// Whether a member is the field itself, which is in its own group anyway.
fn is_field(member: &Location, field: FieldId) -> bool {
    match member {
        Location::Static(own) => *own == field,
        Location::Field(object, own) => {
            *own == field && matches!(object.kind, TermKind::Variable(Variable::This))
        }
        _ => false,
    }
}

fn member(scope: &Scope<'_>, field: FieldId, span: Span) -> Location {
    if scope.program.field(field).is_static {
        return Location::Static(field);
    }
    let kind = TermKind::Variable(Variable::This);
    Location::Field(term(kind, Sort::Reference(scope.class), span), field)
}

/// A location with data groups replaced by what belongs to them: the field itself if it is one of Java, and
/// what is said to be in it. A model field that nothing is said to belong to stands for all fields of its
/// object.
pub(crate) fn expanded(scope: &Scope<'_>, location: Location) -> Resolved<Vec<Location>> {
    let mut found = Vec::new();
    expand(scope, location, &mut HashSet::new(), &mut found)?;
    Ok(found)
}

fn expand(
    scope: &Scope<'_>,
    location: Location,
    inside: &mut HashSet<FieldId>,
    found: &mut Vec<Location>,
) -> Resolved<()> {
    let program = scope.program;
    let is_set = |field: &FieldId| scope.specified.location_sets.contains(field);
    if let Location::Field(_, field) | Location::Static(field) = &location
        && is_set(field)
    {
        let span = Span::default();
        let kind = match location {
            Location::Field(object, field) => TermKind::Field(Box::new(object), field),
            _ => TermKind::Static(*field),
        };
        found.push(Location::Members(term(kind, Sort::Locations, span)));
        return Ok(());
    }
    let group = match &location {
        Location::Field(_, field) | Location::Static(field) => Some(*field),
        _ => None,
    };
    let Some(group) = group else {
        found.push(location);
        return Ok(());
    };
    let is_model = program.field(group).specified == Some(SpecField::Model);
    if !is_model {
        found.push(location.clone());
    }
    let Some(members) = scope.specified.groups.get(&group) else {
        if !inside.is_empty() || !is_model {
            return Ok(());
        }
        found.push(match location {
            Location::Field(object, _) => Location::Fields(object),
            _ => Location::Statics(program.field(group).class),
        });
        return Ok(());
    };
    if !inside.insert(group) {
        return undecidable(format!(
            "the data group `{}` belongs to itself through `maps`, which is not supported; name \
             the locations instead",
            program.field(group).name
        ));
    }
    for member in members {
        let member = match &location {
            Location::Field(object, _) => member.of(object),
            _ => {
                matches!(member, Location::Static(_) | Location::Statics(_)).then(|| member.clone())
            }
        };
        match member {
            Some(member) => expand(scope, member, inside, found)?,
            None => return undecidable("such a member of a data group is not supported"),
        }
    }
    inside.remove(&group);
    Ok(())
}
