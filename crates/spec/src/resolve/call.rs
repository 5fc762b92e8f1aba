//! Calls: which method a call in a specification means, whether it may be called there, and how
//! its arguments are converted.

use ir::{ClassId, MethodId, Type};

use crate::core::{Sort, Term, TermKind};
use crate::jml::ast::{Expr, ExprKind, Ident};
use crate::resolve::expr::{Terms, term};
use crate::resolve::generic::untyped;
use crate::resolve::inherit;
use crate::resolve::names::Denoted;
use crate::resolve::scope::sort_of;
use crate::resolve::trouble::{Resolved, mistake, suggesting, unknown, unsupported};
use crate::resolve::types;
use crate::span::Span;

/// Where a method is looked for.
struct Target {
    class: ClassId,
    on: On,
}

/// How far arguments may be from parameters; what needs less is preferred.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Plain,
    Boxing,
    /// The last arguments become an array.
    Gathering,
}

/// What a method is called on.
enum On {
    Object(Term),
    /// `super.m()`: the class of the object does not decide.
    Super(Term),
    /// `C.m()`
    Class,
    /// `m()`: this object or one around it, if the method needs any.
    Implied,
}

impl Terms<'_, '_> {
    pub fn call(
        &mut self,
        receiver: Option<&Expr>,
        method: &Ident,
        arguments: &[Expr],
        span: Span,
    ) -> Resolved<Term> {
        let target = match receiver {
            None => self.implied_target(method)?,
            Some(Expr { kind: ExprKind::Super, span }) => {
                let this = self.this(*span)?;
                let program = self.scope().program;
                let loaded = program.class(self.scope().class).ok();
                let object = program.class_id("java.lang.Object");
                let class = loaded.and_then(|c| c.superclass).unwrap_or(object);
                Target { class, on: On::Super(this) }
            }
            Some(receiver) => match self.denoted(receiver)? {
                Denoted::Class(class) => Target { class, on: On::Class },
                Denoted::Value(value) => match value.sort {
                    Sort::Relation(_) => return self.set_call(value, method, arguments, span),
                    Sort::Reference(class) => Target { class, on: On::Object(value) },
                    Sort::Type => return unsupported(format!("{} of a type", method.name)),
                    Sort::Boolean | Sort::Number(_) | Sort::Null | Sort::Locations => {
                        let message = format!("{} has no method `{}`", self.a(&value), method.name);
                        return mistake(method.span, message);
                    }
                },
            },
        };
        if let (On::Object(object), "getClass", []) = (&target.on, &*method.name, arguments) {
            let object = Box::new(untyped(object.clone()));
            return Ok(term(TermKind::TypeOf(object), Sort::Type, span));
        }
        let arguments =
            arguments.iter().map(|a| self.scalar(a)).collect::<Resolved<Vec<Term>>>()?;
        if !self.scope().specified.methods.is_empty() {
            let receiver = match &target.on {
                On::Object(object) | On::Super(object) => Some(object.clone()),
                On::Implied => self.object_of(target.class, method.span).ok(),
                On::Class => None,
            };
            let found = self.model_call(target.class, receiver, method, &arguments, span)?;
            if let Some(found) = found {
                return Ok(found);
            }
        }
        let (found, gathers) = self.overload(&target, method, &arguments)?;
        self.check_pure(found, method)?;
        let arguments = match gathers {
            true => self.gathered(found, arguments, span)?,
            false => arguments,
        };
        self.called(target, found, method, arguments, span)
    }

    fn called(
        &self,
        target: Target,
        found: MethodId,
        method: &Ident,
        arguments: Vec<Term>,
        span: Span,
    ) -> Resolved<Term> {
        let declared = self.scope().program.method(found);
        let Some(result) = declared.result else {
            return mistake(method.span, format!("`{}` returns nothing", method.name));
        };
        let object = match target.on {
            _ if declared.is_static => None,
            On::Object(object) => Some((object, !declared.is_private)),
            On::Super(this) => Some((this, false)),
            On::Implied => Some((self.object_of(target.class, method.span)?, !declared.is_private)),
            On::Class => {
                let message = format!("`{}` is a method of objects, not of the class", method.name);
                return mistake(method.span, message);
            }
        };
        let is_virtual = object.as_ref().is_some_and(|o| o.1);
        let mut passed: Vec<Term> = object.into_iter().map(|o| o.0).collect();
        for (argument, ty) in arguments.into_iter().zip(&declared.params) {
            passed.push(self.assigned(argument, *ty)?);
        }
        let kind = TermKind::Call { method: found, is_virtual, arguments: passed };
        let called = term(kind, sort_of(result), span);
        let program = self.scope().program;
        if method.name == "clone" && program.class(target.class).is_ok_and(|c| c.element.is_some())
        {
            // The copy of an array is an array of the same kind.
            let array = Type::Ref(target.class);
            let cast = TermKind::Cast(array, Box::new(called));
            return Ok(term(cast, sort_of(array), span));
        }
        Ok(self.typed(called))
    }

    /// The arguments with the last of them in an array, as the method takes them.
    fn gathered(
        &self,
        method: MethodId,
        mut arguments: Vec<Term>,
        span: Span,
    ) -> Resolved<Vec<Term>> {
        let program = self.scope().program;
        let params = &program.method(method).params;
        let Some((Type::Ref(class), before)) = params.split_last() else {
            return Ok(arguments);
        };
        let Some(element) = program.class(*class).ok().and_then(|c| c.element) else {
            return Ok(arguments);
        };
        let last = arguments.split_off(before.len().min(arguments.len()));
        let elements = last.into_iter().map(|e| self.assigned(e, element));
        let elements = elements.collect::<Resolved<Vec<Term>>>()?;
        arguments.push(term(TermKind::Array(*class, elements), Sort::Reference(*class), span));
        Ok(arguments)
    }

    /// Where a simple name of a method is found: here, in the classes around, or imported.
    fn implied_target(&self, method: &Ident) -> Resolved<Target> {
        let mut around = Some(self.scope().class);
        let mut known = Vec::new();
        while let Some(class) = around {
            if !self.named(class, &method.name).is_empty() || self.has_model(class, &method.name) {
                return Ok(Target { class, on: On::Implied });
            }
            known.extend(self.method_names(class));
            around = self.scope().outer(class);
        }
        for class in self.static_imports(&method.name) {
            if !self.named(class, &method.name).is_empty() {
                return Ok(Target { class, on: On::Class });
            }
        }
        let message = format!("there is no method `{}`", method.name);
        unknown(method.span, message, &method.name, known.iter().map(String::as_str))
    }

    /// Whether a class has a model method of this name, its own or inherited.
    fn has_model(&self, class: ClassId, name: &str) -> bool {
        let methods = &self.scope().specified.methods;
        !methods.is_empty()
            && self.owners(class).into_iter().any(|c| methods.contains_key(&(c, name.to_string())))
    }

    /// The methods of this name that a class has, its own and inherited; of those with the same
    /// parameters the most specific only.
    fn named(&self, class: ClassId, name: &str) -> Vec<MethodId> {
        let program = self.scope().program;
        let mut found: Vec<MethodId> = Vec::new();
        for owner in self.owners(class) {
            let Ok(owner) = program.class(owner) else {
                continue;
            };
            for &id in &owner.methods {
                let method = program.method(id);
                let is_hidden = method.is_bridge || method.is_synthetic || method.name != name;
                let is_known = |f: &MethodId| program.method(*f).params == method.params;
                if !is_hidden && !found.iter().any(is_known) {
                    found.push(id);
                }
            }
        }
        found
    }

    /// A class and its super-types; `Object` is one of every type.
    fn owners(&self, class: ClassId) -> Vec<ClassId> {
        let program = self.scope().program;
        let mut owners = program.class(class).map_or(vec![], |c| c.supertypes().to_vec());
        let object = program.class_id("java.lang.Object");
        if !owners.contains(&object) {
            owners.push(object);
        }
        owners
    }

    fn method_names(&self, class: ClassId) -> Vec<String> {
        let program = self.scope().program;
        let owners = self.owners(class);
        let loaded = owners.iter().filter_map(|c| program.class(*c).ok());
        let methods = loaded.flat_map(|c| &c.methods).map(|m| program.method(*m));
        let callable = methods.filter(|m| !m.is_synthetic && !m.name.starts_with('<'));
        callable.map(|m| m.name.clone()).collect()
    }

    /// The method that a call means, and whether it takes the last arguments in an array.
    fn overload(
        &self,
        target: &Target,
        method: &Ident,
        arguments: &[Term],
    ) -> Resolved<(MethodId, bool)> {
        let program = self.scope().program;
        let named = self.named(target.class, &method.name);
        let class = ir::program::simple(program.class_name(target.class));
        if named.is_empty() {
            let known = self.method_names(target.class);
            let message = format!("`{class}` has no method `{}`", method.name);
            return unknown(method.span, message, &method.name, known.iter().map(String::as_str));
        }
        for phase in [Phase::Plain, Phase::Boxing, Phase::Gathering] {
            let fits = |m: &MethodId| self.is_applicable(*m, arguments, phase);
            let applicable: Vec<MethodId> = named.iter().copied().filter(fits).collect();
            match self.most_specific(&applicable) {
                Some(found) => return Ok((found, phase == Phase::Gathering)),
                None if applicable.is_empty() => {}
                None => {
                    let message = format!("several methods `{}` fit these arguments", method.name);
                    return mistake(method.span, message);
                }
            }
        }
        let given: Vec<&str> = arguments.iter().map(|a| self.type_text(a)).collect();
        let has: Vec<String> =
            named.iter().map(|m| program.signature(program.method(*m))).collect();
        let message = format!(
            "no method `{}` of `{class}` takes ({}); there is `{}`",
            method.name,
            given.join(", "),
            has.join("`, `")
        );
        mistake(method.span, message)
    }

    fn type_text(&self, of: &Term) -> &str {
        match &of.sort {
            Sort::Boolean => "boolean",
            Sort::Number(number) => {
                types::number_type(*number).and_then(Type::keyword).unwrap_or("\\bigint")
            }
            Sort::Reference(class) => ir::program::simple(self.scope().program.class_name(*class)),
            Sort::Null => "null",
            Sort::Type => "\\TYPE",
            Sort::Locations => "\\locset",
            Sort::Relation(_) => "set",
        }
    }

    fn is_applicable(&self, method: MethodId, arguments: &[Term], phase: Phase) -> bool {
        let program = self.scope().program;
        let method = program.method(method);
        let with_boxing = phase != Phase::Plain;
        let fits = |(a, ty): (&Term, &Type)| self.fitted(a.clone(), *ty, with_boxing).is_some();
        if phase != Phase::Gathering {
            let params = &method.params;
            return params.len() == arguments.len() && arguments.iter().zip(params).all(fits);
        }
        let Some((Type::Ref(last), before)) = method.params.split_last() else {
            return false;
        };
        let element = program.class(*last).ok().and_then(|c| c.element);
        let (Some(element), true) = (element, method.is_varargs) else {
            return false;
        };
        arguments.len() >= before.len()
            && arguments.iter().zip(before.iter().chain(std::iter::repeat(&element))).all(fits)
    }

    fn most_specific(&self, applicable: &[MethodId]) -> Option<MethodId> {
        let params = |m: MethodId| &self.scope().program.method(m).params;
        let is_best = |m: &MethodId| {
            applicable.iter().all(|other| {
                params(*m).len() == params(*other).len()
                    && params(*m).iter().zip(params(*other)).all(|(p, q)| self.is_narrower(*p, *q))
            })
        };
        applicable.iter().copied().find(is_best)
    }

    fn is_narrower(&self, one: Type, other: Type) -> bool {
        match (sort_of(one), sort_of(other)) {
            (Sort::Number(one), Sort::Number(other)) => types::widens(one, other),
            (Sort::Reference(one), Sort::Reference(other)) => {
                self.scope().program.is_subtype(one, other)
            }
            (one, other) => one == other,
        }
    }

    fn check_pure(&self, method: MethodId, name: &Ident) -> Resolved<()> {
        let program = self.scope().program;
        let pure = self.setting.pure;
        let declared = program.method(method);
        let Ok(class) = program.class(declared.class) else {
            return Ok(());
        };
        let is_accessor = class.is_record
            && declared.params.is_empty()
            && class.fields.iter().any(|f| program.field(*f).name == declared.name);
        let is_pure = !class.is_given()
            || is_accessor
            || pure.contains(&method)
            || inherit::overridden(program, method).iter().any(|m| pure.contains(m));
        if is_pure {
            return Ok(());
        }
        let message =
            format!("`{}` is not pure; a specification may call only pure methods", name.name);
        suggesting(name.span, message, Some("/*@ pure */".into()))
    }
}
