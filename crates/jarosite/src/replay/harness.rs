//! The Java half of replay: its sources are part of this program, compiled once for each JDK and
//! kept in the user's cache directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::javac::wait_unless;
use crate::jdk::Jdk;
use crate::scratch::{self, Scratch};

/// Begins the name of a copy that is not yet complete.
const FRESH: &str = "replay-new-";

/// The class to run.
pub(super) const MAIN: &str = "jarosite.replay.Main";

/// Replay builds objects without their constructors, which only this package of the JDK can.
pub(super) const EXPORTS: [&str; 2] = ["--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"];

macro_rules! sources {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../java/jarosite/replay/", $name)))),*]
    };
}

const SOURCES: [(&str, &str); 12] = sources![
    "Call.java",
    "Comparison.java",
    "Datum.java",
    "Heap.java",
    "Json.java",
    "Main.java",
    "Memory.java",
    "Observation.java",
    "Run.java",
    "Shape.java",
    "Skip.java",
    "Types.java"
];

/// The directory of the compiled harness. `scratch` is used where nothing can be kept.
/// Nothing is compiled to its end that is no longer wanted.
pub(super) fn classes(
    jdk: &Jdk,
    scratch: &Path,
    is_unwanted: &dyn Fn() -> bool,
) -> Result<PathBuf, String> {
    let name = format!("replay-{}-{:016x}", jdk.version, fingerprint(jdk));
    match cache_directory() {
        Some(cache) => {
            cached(jdk, &cache, &name, is_unwanted).or_else(|_| compiled(jdk, scratch, is_unwanted))
        }
        None => compiled(jdk, scratch, is_unwanted),
    }
}

/// `JAROSITE_CACHE_DIR`, else the user's usual place.
pub fn cache_directory() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(own) = set("JAROSITE_CACHE_DIR") {
        return Some(PathBuf::from(own));
    }
    let user = set("XDG_CACHE_HOME").map(PathBuf::from);
    let user = user.or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache")));
    Some(user?.join("jarosite"))
}

/// Compiles under a name of its own and renames: whoever finds the directory finds all of it,
/// and of two processes that do this at once one simply comes second.
fn cached(
    jdk: &Jdk,
    cache: &Path,
    name: &str,
    is_unwanted: &dyn Fn() -> bool,
) -> Result<PathBuf, String> {
    let kept = cache.join(name);
    if is_complete(&kept) {
        scratch::sweep(cache, FRESH);
        return Ok(kept);
    }
    let fail = |error: std::io::Error| error.to_string();
    fs::create_dir_all(cache).map_err(fail)?;
    let fresh = Scratch::new(cache, FRESH).map_err(fail)?;
    let classes = compiled(jdk, fresh.path(), is_unwanted)?;
    match fs::rename(classes, &kept) {
        Err(error) if !is_complete(&kept) => Err(error.to_string()),
        Ok(()) | Err(_) => Ok(kept),
    }
}

/// Cache directories are swept by others, and not always as a whole.
fn is_complete(classes: &Path) -> bool {
    let classes = classes.join("jarosite").join("replay");
    SOURCES.iter().all(|(name, _)| {
        let class = Path::new(name).with_extension("class");
        classes.join(class).is_file()
    })
}

fn compiled(jdk: &Jdk, scratch: &Path, is_unwanted: &dyn Fn() -> bool) -> Result<PathBuf, String> {
    let fail = |error: std::io::Error| format!("the replay harness cannot be compiled: {error}");
    let (sources, classes) = (scratch.join("harness"), scratch.join("harness-classes"));
    fs::create_dir_all(&sources).map_err(fail)?;
    for (name, text) in SOURCES {
        fs::write(sources.join(name), text).map_err(fail)?;
    }
    let messages = scratch.join("harness-messages");
    let heard = fs::File::create(&messages).map_err(fail)?;
    let mut javac = Command::new(&jdk.javac)
        .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"])
        .args(["-g", "-proc:none", "-nowarn", "-encoding", "UTF-8"])
        .args(EXPORTS)
        .arg("-d")
        .arg(&classes)
        .args(SOURCES.iter().map(|(name, _)| sources.join(name)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(heard)
        .spawn()
        .map_err(fail)?;
    let ended = wait_unless(&mut javac, is_unwanted).map_err(fail)?;
    let status = ended.ok_or("the replay harness is no longer needed")?;
    if !status.success() {
        let said = fs::read_to_string(&messages).unwrap_or_default();
        return Err(format!(
            "the replay harness does not compile with the JDK {}: {said}",
            jdk.version
        ));
    }
    Ok(classes)
}

/// FNV-1a over the sources and the JDK's place: a name for a directory, nothing more.
fn fingerprint(jdk: &Jdk) -> u64 {
    let home = jdk.home.to_string_lossy();
    let texts = SOURCES.iter().map(|(_, text)| *text);
    let bytes = texts.chain([home.as_ref()]).flat_map(str::bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_start_at_once_share_one_copy() {
        let jdk = Jdk::find().expect("a JDK");
        let cache = tempfile::tempdir().expect("a directory");
        let compile = || cached(&jdk, cache.path(), "replay-test", &|| false);
        let both = std::thread::scope(|scope| {
            let other = scope.spawn(compile);
            (compile(), other.join().expect("no panic"))
        });
        let kept = cache.path().join("replay-test");
        assert_eq!(both, (Ok(kept.clone()), Ok(kept)));
        let left = fs::read_dir(cache.path()).expect("a directory").count();
        assert_eq!(left, 1);
    }

    #[test]
    fn what_is_not_wanted_leaves_nothing_behind() {
        let jdk = Jdk::find().expect("a JDK");
        let cache = tempfile::tempdir().expect("a directory");
        assert!(cached(&jdk, cache.path(), "replay-test", &|| true).is_err());
        assert_eq!(fs::read_dir(cache.path()).expect("a directory").count(), 0);
    }

    #[test]
    fn where_no_cache_can_be_written_the_harness_is_compiled_for_the_run() {
        let jdk = Jdk::find().expect("a JDK");
        let scratch = tempfile::tempdir().expect("a directory");
        let file = scratch.path().join("file");
        fs::write(&file, "").expect("a file");
        assert!(cached(&jdk, &file, "replay-test", &|| false).is_err());
        let classes = compiled(&jdk, scratch.path(), &|| false).expect("classes");
        assert!(is_complete(&classes));
    }
}
