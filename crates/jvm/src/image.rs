//! The JDK's own classes, in its `lib/modules` image.

use std::path::Path;
use std::sync::OnceLock;

use ristretto_jimage::Image;
use rustc_hash::FxHashMap;

use crate::files::{ClassBytes, ClassFiles};

/// An opened module image. Nearly every class that is asked for is in `java.base`; which module
/// holds another package is worked out by one pass over the image when it first matters.
pub struct JdkImage {
    image: Image,
    module_of: OnceLock<FxHashMap<String, Vec<String>>>,
}

const BASE: &str = "java.base";

impl JdkImage {
    /// Opens the image at `path` (`$JAVA_HOME/lib/modules`); `Err` is a sentence.
    pub fn open(path: &Path) -> Result<JdkImage, String> {
        match Image::from_file(path) {
            Ok(image) => Ok(JdkImage { image, module_of: OnceLock::new() }),
            Err(why) => Err(format!("cannot read the JDK's classes in {}: {why}", path.display())),
        }
    }

    /// Internal names of the classes of a package (`java/util`), sorted.
    pub fn classes_in(&self, package: &str) -> Vec<String> {
        let resources = self.image.iter().filter_map(Result::ok);
        let classes = resources.filter(|r| r.parent() == package && r.extension() == "class");
        let mut names: Vec<String> = classes.map(|r| format!("{package}/{}", r.base())).collect();
        names.sort();
        names
    }

    fn find(&self, module: &str, internal_name: &str) -> Option<ClassBytes> {
        let resource = self.image.get_resource(&format!("/{module}/{internal_name}.class")).ok()?;
        Some(ClassBytes { bytes: resource.data().into(), given: false })
    }

    fn modules_of(&self, package: &str) -> &[String] {
        let index = self.module_of.get_or_init(|| self.index_packages());
        index.get(package).map_or(&[], Vec::as_slice)
    }

    fn index_packages(&self) -> FxHashMap<String, Vec<String>> {
        let mut index: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for resource in self.image.iter().filter_map(Result::ok) {
            if resource.extension() != "class" || resource.module() == BASE {
                continue;
            }
            let modules = index.entry(resource.parent().to_owned()).or_default();
            if !modules.iter().any(|m| m == resource.module()) {
                modules.push(resource.module().to_owned());
            }
        }
        index
    }
}

impl ClassFiles for JdkImage {
    fn read(&self, internal_name: &str) -> Option<ClassBytes> {
        if let Some(found) = self.find(BASE, internal_name) {
            return Some(found);
        }
        // Only packages of the JDK's own name spaces can be elsewhere in the image; a class that
        // is simply missing from the user's class path does not pay for the index.
        let (package, _) = internal_name.rsplit_once('/')?;
        let ours = ["java/", "javax/", "jdk/", "sun/", "com/sun/", "org/", "netscape/"];
        if !ours.iter().any(|prefix| internal_name.starts_with(prefix)) {
            return None;
        }
        self.modules_of(package).iter().find_map(|module| self.find(module, internal_name))
    }
}
