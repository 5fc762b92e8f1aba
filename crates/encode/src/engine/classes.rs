//! The classes that have been touched, and how their initialisers went; see `exec/init.rs`.

use std::rc::Rc;

use ir::ClassId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The classes that have been touched.
#[derive(Default)]
pub(crate) struct Classes {
    initialised: FxHashMap<ClassId, Initialised>,
    /// In the order in which their initialisers have begun: where these lead to each other, the first one to
    /// begin sees others unfinished.
    order: Vec<ClassId>,
    /// Whether initialisers are late, as far as that was asked; see `late.rs`.
    pub late: FxHashMap<ClassId, bool>,
    /// Those whose initialisers are running, innermost last, with how many objects each has made.
    running: Vec<(ClassId, u32)>,
    /// Those of the user's whose initialisers have asked for what differs from one JVM to the next.
    capricious: FxHashSet<ClassId>,
}

/// How class initialisation went.
#[derive(Clone)]
pub(crate) enum Initialised {
    Running,
    Done,
    /// Could not be run: touching the class is unsupported for this reason.
    Failed(Rc<str>),
}

impl Classes {
    /// Those whose initialisers have run, in their order.
    pub fn done(&self) -> Vec<ClassId> {
        let is_done = |c: &&ClassId| matches!(self.initialised[*c], Initialised::Done);
        self.order.iter().filter(is_done).copied().collect()
    }

    /// Whether a class has been touched.
    pub fn knows(&self, class: ClassId) -> bool {
        self.initialised.contains_key(&class)
    }

    /// Why a class cannot be initialised, if it cannot.
    pub fn failure(&self, class: ClassId) -> Option<Rc<str>> {
        match self.initialised.get(&class)? {
            Initialised::Failed(why) => Some(why.clone()),
            Initialised::Running | Initialised::Done => None,
        }
    }

    pub fn set(&mut self, class: ClassId, how: Initialised) {
        if self.initialised.insert(class, how).is_none() {
            self.order.push(class);
        }
    }

    /// The initialiser of a class begins.
    pub fn enter(&mut self, class: ClassId) {
        self.running.push((class, 0));
    }

    /// The innermost initialiser has ended.
    pub fn leave(&mut self) {
        self.running.pop();
    }

    pub fn is_initialising(&self) -> bool {
        !self.running.is_empty()
    }

    /// The class whose initialiser is running, the innermost one.
    pub fn initialising(&self) -> Option<ClassId> {
        self.running.last().map(|r| r.0)
    }

    /// The class whose initialiser makes an object now, and the object's number there.
    pub fn next_constant(&mut self) -> Option<(ClassId, u32)> {
        let (class, count) = self.running.last_mut()?;
        *count += 1;
        Some((*class, *count))
    }

    /// A running initialiser asks for what differs from one JVM to the next.
    pub fn note_caprice(&mut self, is_ours: impl Fn(ClassId) -> bool) {
        let running = self.running.iter().map(|r| r.0);
        self.capricious.extend(running.filter(|class| is_ours(*class)));
    }

    pub fn is_capricious(&self, class: ClassId) -> bool {
        self.capricious.contains(&class)
    }
}
