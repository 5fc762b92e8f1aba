//! Finds the JDK: `JAVA_HOME` first, then the `javac` on `PATH`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files;

const NOT_FOUND: &str = "no JDK found: set JAVA_HOME or put javac on PATH \
     (Debian: apt-get install openjdk-17-jdk-headless)";

/// An installed JDK. Its three files existed when it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    pub home: PathBuf,
    pub javac: PathBuf,
    pub java: PathBuf,
    /// The image that holds the library's classes.
    pub modules: PathBuf,
    /// `17.0.15`.
    pub version: String,
}

impl Jdk {
    /// The JDK of this environment, or a sentence that says what to do.
    pub fn find() -> Result<Jdk, String> {
        Jdk::find_in(std::env::var_os("JAVA_HOME"), std::env::var_os("PATH"))
    }

    fn find_in(java_home: Option<OsString>, path: Option<OsString>) -> Result<Jdk, String> {
        if let Some(home) = java_home.filter(|home| !home.is_empty()) {
            let home = PathBuf::from(home);
            if home.join(tool("javac")).is_file() {
                return Jdk::at(&home);
            }
        }
        let directories = path.as_deref().map(|p| std::env::split_paths(p).collect::<Vec<_>>());
        let javac = directories
            .unwrap_or_default()
            .iter()
            .map(|directory| directory.join(executable("javac")))
            .find(|candidate| candidate.is_file())
            .ok_or(NOT_FOUND)?;
        Jdk::at(&home_of(&javac).ok_or(NOT_FOUND)?)
    }

    /// What tells its library from that of others, wherever it is installed.
    pub fn identity(&self) -> String {
        let release = files::read_to_string(&self.home.join("release")).unwrap_or_default();
        let size = std::fs::metadata(&self.modules).map_or(0, |about| about.len());
        format!("{} {size} {release:?}", self.version)
    }

    fn at(home: &Path) -> Result<Jdk, String> {
        let jdk = Jdk {
            home: home.to_path_buf(),
            javac: home.join(tool("javac")),
            java: home.join(tool("java")),
            modules: home.join("lib").join("modules"),
            version: version_of(home),
        };
        if !jdk.java.is_file() {
            return Err(format!(
                "the JDK at {} has no bin/java: reinstall it or set JAVA_HOME to another",
                home.display()
            ));
        }
        if !jdk.modules.is_file() {
            return Err(format!(
                "the JDK at {} has no lib/modules: set JAVA_HOME to a JDK 11 or newer",
                home.display()
            ));
        }
        Ok(jdk)
    }

    /// The first number of the version: 17 for `17.0.15`; 0 if unknown.
    pub fn feature_version(&self) -> u32 {
        let digits = self.version.split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|d| d.parse().ok()).unwrap_or(0)
    }
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

fn tool(name: &str) -> PathBuf {
    Path::new("bin").join(executable(name))
}

/// The home that a `javac` on the path belongs to, through any symbolic links. Where it is a
/// stub that starts the real one (as on macOS), `java` is asked.
fn home_of(javac: &Path) -> Option<PathBuf> {
    let real = javac.canonicalize().ok()?;
    let home = real.parent()?.parent()?;
    if home.join("lib").join("modules").is_file() {
        return Some(home.to_path_buf());
    }
    let java = javac.with_file_name(executable("java"));
    let said = Command::new(java).args(["-XshowSettings:properties", "-version"]).output();
    let said = String::from_utf8_lossy(&said.ok()?.stderr).into_owned();
    let line = said.lines().find(|line| line.trim().starts_with("java.home = "));
    match line.and_then(|line| line.split_once(" = ")) {
        Some((_, stated)) => Some(PathBuf::from(stated.trim())),
        None => Some(home.to_path_buf()),
    }
}

/// From the `release` file; a JDK without one is `unknown`, which nothing depends on.
fn version_of(home: &Path) -> String {
    let release = files::read_to_string(&home.join("release")).unwrap_or_default();
    let line = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="));
    line.map_or("unknown", |version| version.trim_matches('"')).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jdk_of_this_machine_is_found_through_path() {
        let jdk = Jdk::find_in(None, std::env::var_os("PATH")).expect("a JDK on PATH");
        assert!(jdk.javac.is_file() && jdk.java.is_file() && jdk.modules.is_file());
        assert!(jdk.feature_version() >= 11, "{}", jdk.version);
    }

    #[test]
    fn java_home_comes_first() {
        let known = Jdk::find().expect("a JDK");
        let home = known.home.clone().into_os_string();
        assert_eq!(Jdk::find_in(Some(home), None), Ok(known));
    }

    #[test]
    fn a_bad_java_home_falls_back_to_path() {
        let jdk = Jdk::find_in(Some("/nowhere".into()), std::env::var_os("PATH"));
        assert!(jdk.is_ok());
    }

    #[test]
    fn no_jdk_is_one_sentence() {
        let error = Jdk::find_in(None, Some("/nowhere".into())).expect_err("nothing there");
        assert_eq!(error, NOT_FOUND);
    }

    #[test]
    fn a_jdk_without_an_image_is_too_old() {
        let home = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(home.path().join("bin")).expect("bin");
        for name in ["javac", "java"] {
            std::fs::write(home.path().join(tool(name)), "").expect("a file");
        }
        let error = Jdk::find_in(Some(home.path().into()), None).expect_err("no image");
        assert!(error.contains("JDK 11 or newer"), "{error}");
    }
}
