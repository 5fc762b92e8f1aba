//! Where class files come from.

use std::sync::Arc;

/// The bytes of a class file, and whether the class is under verification.
#[derive(Clone, Debug)]
pub struct ClassBytes {
    pub bytes: Arc<[u8]>,
    pub given: bool,
}

/// A class path: finds class files by internal name (`java/util/Map$Entry`).
pub trait ClassFiles: Send + Sync {
    /// The file of a class, `None` if there is none. `…/package-info` is asked for too.
    fn read(&self, internal_name: &str) -> Option<ClassBytes>;
}

impl<T: ClassFiles + ?Sized> ClassFiles for Arc<T> {
    fn read(&self, internal_name: &str) -> Option<ClassBytes> {
        (**self).read(internal_name)
    }
}

/// Several class paths, the first that has a class wins.
impl ClassFiles for Vec<Box<dyn ClassFiles>> {
    fn read(&self, internal_name: &str) -> Option<ClassBytes> {
        self.iter().find_map(|files| files.read(internal_name))
    }
}
