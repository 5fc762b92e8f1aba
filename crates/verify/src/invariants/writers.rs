//! Who may write a field: over all given code, and over what libraries may call back.
//!
//! A library calls given code only where that overrides a method of a library's type, lambdas included. So a
//! call that leaves the given code may lead to every such method, and to no other. A library writes no field
//! of a given class itself, but it may write the elements of any array that it is passed.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ClassId, Code, FieldId, InvokeKind, MethodId, MethodRefId, Op, Program};

/// What a method may do to the state, over everything that it may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Writes {
    pub fields: BTreeSet<FieldId>,
    /// Whether elements of arrays may be written.
    pub elements: bool,
    /// The classes of objects that it may make.
    pub makes: BTreeSet<ClassId>,
}

/// What one method does itself, and what it may call.
#[derive(Default)]
struct Own {
    writes: Writes,
    calls: BTreeSet<MethodId>,
    /// Whether it calls code that is not given.
    leaves: bool,
}

/// The writes of all given methods.
pub(super) struct Writers {
    all: BTreeMap<MethodId, Writes>,
    /// What initialisers of classes do outside the constructors that they call.
    initialised: Writes,
    /// Private methods that a lambda or a method reference hands out.
    handed_out: BTreeSet<MethodId>,
}

impl Writers {
    pub fn of(program: &Program, given: &[ClassId]) -> Writers {
        let scan = Scan::of(program, given);
        let all = scan.closed(&BTreeSet::new());
        let constructors: BTreeSet<MethodId> = scan.named("<init>").collect();
        let without = scan.closed(&constructors);
        let mut initialised = Writes::default();
        for method in scan.named("<clinit>") {
            initialised.add(&without[&method]);
        }
        // What they make they make through constructors.
        for method in scan.named("<clinit>") {
            initialised.makes.extend(&all[&method].makes);
        }
        let lambdas = scan.own.iter().filter(|(m, _)| scan.is_lambda(program.method(**m).class));
        let handed_out = lambdas.flat_map(|(_, own)| own.calls.iter().copied()).collect();
        Writers { all, initialised, handed_out }
    }

    /// What a method may do.
    pub fn of_method(&self, method: MethodId) -> &Writes {
        static NOTHING: Writes =
            Writes { fields: BTreeSet::new(), elements: false, makes: BTreeSet::new() };
        self.all.get(&method).unwrap_or(&NOTHING)
    }

    pub fn of_initialisers(&self) -> &Writes {
        &self.initialised
    }

    /// Whether code that is not given may call the method although it is private.
    pub fn is_handed_out(&self, method: MethodId) -> bool {
        self.handed_out.contains(&method)
    }
}

impl Writes {
    /// Takes over what a callee does; whether that is anything new.
    fn add(&mut self, callee: &Writes) -> bool {
        let before = (self.fields.len(), self.elements, self.makes.len());
        self.fields.extend(&callee.fields);
        self.elements |= callee.elements;
        self.makes.extend(&callee.makes);
        before != (self.fields.len(), self.elements, self.makes.len())
    }
}

/// All methods of given classes, and of the classes that stand for lambdas in them.
struct Scan<'a> {
    program: &'a Program,
    given: &'a [ClassId],
    lambdas: BTreeSet<ClassId>,
    own: BTreeMap<MethodId, Own>,
    /// The methods that a library may call.
    callbacks: BTreeSet<MethodId>,
}

impl<'a> Scan<'a> {
    fn of(program: &'a Program, given: &'a [ClassId]) -> Scan<'a> {
        let mut scan = Scan {
            program,
            given,
            lambdas: BTreeSet::new(),
            own: BTreeMap::new(),
            callbacks: BTreeSet::new(),
        };
        // Lambdas first: which methods a call may lead to depends on them.
        let mut classes = given.to_vec();
        while let Some(class) = classes.pop() {
            for method in scan.methods(class) {
                for made in scan.made_lambdas(method) {
                    if scan.lambdas.insert(made) {
                        classes.push(made);
                    }
                }
            }
        }
        let all: Vec<ClassId> = given.iter().chain(&scan.lambdas).copied().collect();
        for class in all {
            for method in scan.methods(class) {
                let own = scan.own_writes(method);
                scan.own.insert(method, own);
                if scan.is_callback(method) {
                    scan.callbacks.insert(method);
                }
            }
        }
        scan
    }

    fn methods(&self, class: ClassId) -> Vec<MethodId> {
        self.program.class(class).map(|c| c.methods.clone()).unwrap_or_default()
    }

    fn named(&self, name: &'static str) -> impl Iterator<Item = MethodId> {
        self.own.keys().copied().filter(move |m| &*self.program.method(*m).name == name)
    }

    fn is_lambda(&self, class: ClassId) -> bool {
        self.lambdas.contains(&class)
    }

    fn instructions(&self, method: MethodId) -> impl Iterator<Item = &'a Op> {
        let blocks = match self.program.code(method) {
            Code::Body(body) => &body.blocks[..],
            Code::Intrinsic(_) | Code::Abstract | Code::Unsupported(_) => &[],
        };
        blocks.iter().flat_map(|block| block.instrs.iter().map(|instr| &instr.op))
    }

    /// The classes that stand for the lambdas that a method makes: neither in a file nor given.
    fn made_lambdas(&self, method: MethodId) -> Vec<ClassId> {
        let is_lambda = |class: &ClassId| self.program.class_name(*class).contains("$$Lambda$");
        let made = self.instructions(method).filter_map(|op| match op {
            Op::New { class, .. } => Some(*class),
            Op::Invoke { method, .. } => Some(self.program.method_ref_class(*method)),
            _ => None,
        });
        made.filter(is_lambda).collect()
    }

    fn own_writes(&self, method: MethodId) -> Own {
        let mut own = Own::default();
        for op in self.instructions(method) {
            match op {
                Op::PutField { field, .. } => {
                    own.writes.fields.extend(self.program.resolve_field(*field).ok());
                }
                Op::ArrayStore { .. } => own.writes.elements = true,
                Op::New { class, .. } => {
                    own.writes.makes.insert(*class);
                }
                Op::Invoke { kind, method, .. } => self.call(*kind, *method, &mut own),
                _ => {}
            }
        }
        own
    }

    fn call(&self, kind: InvokeKind, called: MethodRefId, own: &mut Own) {
        let Ok(resolved) = self.program.resolve_method(called) else {
            own.leaves = true;
            return;
        };
        let declared = self.program.method(resolved);
        let is_ours = self.is_ours(declared.class);
        own.leaves |= !is_ours;
        if is_ours {
            own.calls.insert(resolved);
        }
        if matches!(kind, InvokeKind::Static | InvokeKind::Special) {
            return;
        }
        let ours = self.given.iter().chain(&self.lambdas);
        let below = ours.filter(|c| self.program.is_subtype(**c, declared.class));
        own.calls.extend(below.filter_map(|c| self.program.select(resolved, *c).ok()));
    }

    fn is_ours(&self, class: ClassId) -> bool {
        self.is_lambda(class) || self.program.class(class).is_ok_and(|c| c.is_given())
    }

    /// Whether the method overrides one of a library's type.
    fn is_callback(&self, method: MethodId) -> bool {
        let declared = self.program.method(method);
        if declared.is_static || declared.name.starts_with('<') {
            return false;
        }
        let Ok(class) = self.program.class(declared.class) else { return true };
        class.supertypes().iter().filter(|above| !self.is_ours(**above)).any(|above| {
            self.program.class(*above).is_ok_and(|above| {
                let found = self.program.find_method(above, &declared.name, &declared.descriptor);
                found.is_some_and(|m| !self.program.method(m).is_private)
            })
        })
    }

    /// Every method's writes with those of what it calls; nothing is taken over from `except`.
    fn closed(&self, except: &BTreeSet<MethodId>) -> BTreeMap<MethodId, Writes> {
        let mut all: BTreeMap<MethodId, Writes> =
            self.own.iter().map(|(method, own)| (*method, own.writes.clone())).collect();
        // What a call into a library may come to.
        let mut outside = Writes { elements: true, ..Writes::default() };
        let mut changed = true;
        while changed {
            changed = false;
            for method in &self.callbacks {
                changed |= outside.add(&all[method]);
            }
            for (method, own) in &self.own {
                let mut writes = std::mem::take(all.get_mut(method).expect("all are there"));
                for callee in own.calls.iter().filter(|callee| !except.contains(callee)) {
                    if let Some(callee) = all.get(callee) {
                        changed |= writes.add(callee);
                    }
                }
                if own.leaves {
                    changed |= writes.add(&outside);
                }
                all.insert(*method, writes);
            }
        }
        all
    }
}
