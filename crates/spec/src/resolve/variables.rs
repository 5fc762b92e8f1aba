//! What type variables stand for in the input of a method, read off the generic signatures of the
//! classes that its receiver and its parameters lead to.
//!
//! The variables of the receiver's class and of the method itself are free: each stands for one
//! type in an input. What another class's variable stands for follows from where objects of that
//! class are held: in `class Tree<T> { Node<T> root; }` a node's variable stands for what the
//! tree's does. Where two signatures disagree (`Pair<A, B> there; Pair<B, A> back;`), or one says
//! nothing (a wildcard without a bound, a raw type), nothing is known of the variable.
//!
//! A wildcard counts as the bound that it extends: what its objects hold fits that too. An object
//! that is only held by references which say nothing of its arguments (`Object`, a variable) is
//! taken to have the arguments that the rest of the input gives to its class.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use ir::{ClassId, Method, Program};

use crate::resolve::signature::{self, Arguments, Generic};

/// What a type variable stands for in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// For whatever the n-th free variable stands for.
    Free(usize),
    /// For a type, arguments aside.
    Class(ClassId),
}

/// What the type variables around one method stand for.
#[derive(Default)]
pub struct TypeVariables {
    /// The free variables: names and bounds. Innermost last.
    free: Arguments,
    /// Of each class that is held, what each of its variables stands for; free variables by number.
    meanings: BTreeMap<(ClassId, String), Generic>,
    parameters: Vec<Generic>,
}

/// A class whose fields are to be looked at, and whether those of its superclasses are too.
type Work = BTreeSet<(ClassId, bool)>;

impl TypeVariables {
    /// Those around a method, where `given` are the classes that objects may have.
    pub fn around(program: &Program, given: &[ClassId], method: &Method) -> TypeVariables {
        let mut found = TypeVariables::default();
        let mut work = Work::new();
        if !method.is_static {
            for (owner, name, bound) in signature::formals_around(program, method.class) {
                let number = Generic::Variable(found.free.len().to_string());
                found.meanings.insert((owner, name.clone()), number);
                found.free.push((name, bound));
            }
            work.insert((method.class, true));
        }
        let ty = signature::of_method(program, method).unwrap_or_default();
        found.free.extend(ty.formals);
        if ty.params.len() == method.params.len() {
            let free = found.free_by_number();
            found.parameters = ty.params.iter().map(|ty| ty.with(&free)).collect();
        }
        for (number, erased) in method.params.iter().enumerate() {
            let said = found.parameters.get(number).cloned();
            found.hold(program, &said.unwrap_or_else(|| Generic::raw(program, *erased)), &mut work);
        }
        let mut seen = Work::new();
        while let Some(next) = work.pop_first() {
            let before = found.meanings.clone();
            if seen.insert(next) {
                found.look_into(program, given, next, &mut work);
            }
            if found.meanings != before {
                // Fields that were looked at may say something else now.
                work.append(&mut seen);
            }
        }
        found
    }

    /// What the elements or the value of a field are, if a type variable says it.
    pub fn of_field(&self, program: &Program, field: ir::FieldId) -> Option<Meaning> {
        let field = program.field(field);
        let said = field.signature.as_deref().filter(|_| field.is_generic)?;
        let said = signature::of_field(program, said);
        meaning(&said.with(&self.inside(program, field.class)))
    }

    /// The same of a parameter.
    pub fn of_parameter(&self, number: u32) -> Option<Meaning> {
        meaning(self.parameters.get(number as usize)?)
    }

    /// The class that a free variable's bound names first, if it says more than `Object`.
    pub fn bound(&self, program: &Program, number: usize) -> Option<ClassId> {
        match self.free.get(number)?.1 {
            Generic::Class(class, _) => {
                Some(class).filter(|c| program.class_name(*c) != "java.lang.Object")
            }
            Generic::Primitive(_) | Generic::Array(_) | Generic::Variable(_) | Generic::Any => None,
        }
    }

    /// Whether a class, as a type argument, is within a free variable's bound.
    pub fn fits(&self, program: &Program, number: usize, class: ClassId) -> bool {
        let Some((name, Generic::Class(bound, demanded))) = self.free.get(number) else {
            return true;
        };
        if !program.is_subtype(class, *bound) {
            return false;
        }
        let own = signature::as_super(program, &of_itself(program, class), *bound);
        let own = own.unwrap_or_default();
        demanded.iter().all(|(parameter, demanded)| {
            let has = own.iter().rev().find(|a| a.0 == *parameter).map(|a| &a.1);
            match (demanded, has) {
                (Generic::Variable(variable), Some(Generic::Class(has, _))) => {
                    variable != name || *has == class
                }
                // A variable of its own is nothing that is known, and never itself.
                (Generic::Variable(variable), Some(Generic::Variable(_))) => variable != name,
                (Generic::Class(demanded, _), Some(Generic::Class(has, _))) => demanded == has,
                // A wildcard, an array, or nothing that is known.
                (..) => true,
            }
        })
    }

    /// All of it in names: equal texts mean the same.
    pub fn text(&self, program: &Program) -> String {
        let mut text = String::new();
        for (name, bound) in &self.free {
            let _ = write!(text, "{name}:{} ", bound.signature(program).unwrap_or_default());
        }
        let mut lines: Vec<String> = Vec::new();
        for ((class, name), meaning) in &self.meanings {
            let meaning = match meaning {
                Generic::Variable(number) => format!("#{number}"),
                other => other.signature(program).unwrap_or_default(),
            };
            lines.push(format!("{}.{name}={meaning}", program.class_name(*class)));
        }
        lines.sort();
        text + &lines.join(" ")
    }

    /// The free variables by number, as what stands in for them.
    fn free_by_number(&self) -> Arguments {
        let numbered = self.free.iter().enumerate();
        numbered.map(|(i, (name, _))| (name.clone(), Generic::Variable(i.to_string()))).collect()
    }

    /// What the variables mean that a class names.
    fn inside(&self, program: &Program, class: ClassId) -> Arguments {
        let formals = signature::formals_around(program, class).into_iter();
        let known = formals.map(|(owner, name, _)| {
            let meaning = self.meanings.get(&(owner, name.clone())).cloned();
            (name, meaning.unwrap_or(Generic::Any))
        });
        known.collect()
    }

    /// What the fields of a class and its supertypes say, and the given classes below it.
    fn look_into(
        &mut self,
        program: &Program,
        given: &[ClassId],
        (class, upward): (ClassId, bool),
        work: &mut Work,
    ) {
        let Ok(loaded) = program.class(class) else {
            return;
        };
        if !loaded.is_given() {
            return;
        }
        let inside = self.inside(program, class);
        for field in &loaded.fields {
            let field = program.field(*field);
            let said = match &field.signature {
                Some(said) => signature::of_field(program, said),
                None => Generic::raw(program, field.ty),
            };
            self.hold(program, &said.with(&inside), work);
        }
        if upward {
            for parent in signature::parents(program, class) {
                self.hold(program, &parent.with(&inside), work);
            }
        }
        for below in given.iter().copied() {
            if below != class && program.is_subtype(below, class) {
                self.hand_down(program, class, below);
                work.insert((below, false));
            }
        }
    }

    /// What a class's variables mean is what those of a class below mean that stand for them.
    fn hand_down(&mut self, program: &Program, class: ClassId, below: ClassId) {
        let formals = signature::formals_around(program, below);
        let own = of_itself(program, below);
        let given = signature::as_super(program, &own, class).unwrap_or_default();
        for (owner, name, _) in formals.into_iter().filter(|f| f.0 == below) {
            let stands = given.iter().find(|a| a.1 == Generic::Variable(name.clone()));
            let meaning = stands.and_then(|a| self.meanings.get(&(class, a.0.clone())).cloned());
            self.mean(owner, name, meaning.unwrap_or(Generic::Any));
        }
    }

    /// A reference of this type holds objects.
    fn hold(&mut self, program: &Program, ty: &Generic, work: &mut Work) {
        match ty {
            Generic::Array(element) => self.hold(program, element, work),
            Generic::Class(class, arguments) => {
                if !program.class(*class).is_ok_and(|c| c.is_given()) {
                    return;
                }
                let formals = signature::formals_around(program, *class);
                for (at, (owner, name, _)) in formals.iter().enumerate() {
                    let is_hidden = formals[at + 1..].iter().any(|f| f.1 == *name);
                    let said = arguments.iter().rev().find(|a| a.0 == *name);
                    // Classes around it count only where the type is that of an inner class.
                    if owner == class || (said.is_some() && !is_hidden) {
                        let said = said.map_or(Generic::Any, |a| a.1.clone());
                        self.mean(*owner, name.clone(), said);
                    }
                }
                work.insert((*class, true));
            }
            Generic::Primitive(_) | Generic::Variable(_) | Generic::Any => {}
        }
    }

    fn mean(&mut self, owner: ClassId, name: String, said: Generic) {
        let known = self.meanings.entry((owner, name)).or_insert_with(|| said.clone());
        if *known != said {
            *known = Generic::Any;
        }
    }
}

/// A class with its own variables as arguments.
fn of_itself(program: &Program, class: ClassId) -> Generic {
    let formals = signature::formals_around(program, class).into_iter();
    let own = formals.map(|(_, name, _)| (name.clone(), Generic::Variable(name)));
    Generic::Class(class, own.collect())
}

/// The meaning of a type that has no variables but free ones, or of what an array of it holds.
fn meaning(ty: &Generic) -> Option<Meaning> {
    match ty {
        Generic::Variable(number) => number.parse().ok().map(Meaning::Free),
        Generic::Class(class, _) => Some(Meaning::Class(*class)),
        Generic::Array(element) => meaning(element),
        Generic::Primitive(_) | Generic::Any => None,
    }
}
