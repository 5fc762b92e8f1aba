//! All tests, timed. A test binary knows what is in it and nothing of the others, so cargo runs one after the other, and
//! whoever is last in each keeps a core idle. Here as many binaries run at once as there are cores, the one that took
//! longest the last time first, and each runs its tests one by one, so that every test can be timed.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How many of the slowest are named.
const SLOWEST: usize = 10;

/// A file with tests, and where they are to run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Binary {
    /// `logic` for the tests in its sources, `logic/words` for those of a file of its own.
    name: String,
    executable: PathBuf,
    directory: PathBuf,
}

/// What came of a binary.
struct Ran {
    name: String,
    time: Duration,
    tests: Vec<(Duration, String)>,
    /// All that it said, if it failed.
    failed: Option<String>,
}

/// Builds all tests and runs them; whether all are right.
pub fn run(root: &Path) -> Result<bool, String> {
    let mut binaries = binaries(&built(root)?)?;
    let remembered = root.join("target/test-times.txt");
    let times = std::fs::read_to_string(&remembered).unwrap_or_default();
    longest_first(&mut binaries, &times);
    let all = binaries.len();
    let (waiting, done) = (Mutex::new(binaries.into_iter()), Mutex::new(Vec::<Ran>::new()));
    let next = || waiting.lock().ok()?.next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(binary) = next() {
                    let ran = ran(&binary);
                    let mut done = done.lock().expect("nobody fails while it has this");
                    let count = ran.tests.len();
                    let end = if ran.failed.is_some() { "FAILED" } else { "ok" };
                    let (number, seconds) = (done.len() + 1, ran.time.as_secs_f64());
                    println!(
                        "{number:3}/{all} {end:6} {seconds:7.1} s  {} ({count} tests)",
                        ran.name
                    );
                    done.push(ran);
                }
            });
        }
    });
    let ran = done.into_inner().map_err(|_| "a thread has failed")?;
    std::fs::write(remembered, times_of(&ran)).map_err(|e| e.to_string())?;
    print!("{}", summary(&ran));
    Ok(ran.iter().all(|ran| ran.failed.is_none()))
}

/// What cargo says about the test binaries, which are there then.
fn built(root: &Path) -> Result<String, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--release", "--workspace", "--no-run", "--message-format=json"]);
    let output = command.current_dir(root).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("cargo cannot be run: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    let messages = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let rendered = messages.filter_map(|m| Some(m["message"]["rendered"].as_str()?.to_string()));
    Err(rendered.collect::<String>())
}

/// The test binaries among what cargo has made.
fn binaries(said: &str) -> Result<Vec<Binary>, String> {
    let mut found = Vec::new();
    for line in said.lines() {
        let message: Value = serde_json::from_str(line).map_err(|e| format!("{line}: {e}"))?;
        let is_test = message["profile"]["test"].as_bool() == Some(true);
        let (Some(executable), true) = (message["executable"].as_str(), is_test) else {
            continue;
        };
        let manifest = message["manifest_path"].as_str().ok_or("cargo names no manifest")?;
        let directory = Path::new(manifest).parent().ok_or("a manifest lies nowhere")?;
        let package = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let target = message["target"]["name"].as_str().unwrap_or_default();
        let name = if target == package { target.into() } else { format!("{package}/{target}") };
        let (executable, directory) = (executable.into(), directory.into());
        found.push(Binary { name, executable, directory });
    }
    Ok(found)
}

/// Those that took longest the last time come first, and before them those that nobody knows.
fn longest_first(binaries: &mut [Binary], times: &str) {
    let taken = |binary: &Binary| {
        let line =
            times.lines().find_map(|line| line.split_once(' ').filter(|l| l.1 == binary.name));
        line.and_then(|(time, _)| time.parse::<u64>().ok()).unwrap_or(u64::MAX)
    };
    binaries.sort_by_key(|binary| (std::cmp::Reverse(taken(binary)), binary.name.clone()));
}

fn times_of(ran: &[Ran]) -> String {
    ran.iter().map(|ran| format!("{} {}\n", ran.time.as_millis(), ran.name)).collect()
}

fn ran(binary: &Binary) -> Ran {
    let start = Instant::now();
    let mut command = Command::new(&binary.executable);
    command.args(["--test-threads", "1"]).current_dir(&binary.directory);
    // What cargo would set.
    command.env("CARGO_MANIFEST_DIR", &binary.directory);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let end = child.map_err(|e| e.to_string()).and_then(|mut child| {
        let stderr = child.stderr.take().expect("it is piped");
        let errors = std::thread::spawn(move || {
            let mut said = Vec::new();
            BufReader::new(stderr).read_to_end(&mut said).map(|_| said)
        });
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).split(b'\n');
        let (mut said, mut tests, mut last) = (String::new(), Vec::new(), Instant::now());
        for line in lines.map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            if let Some(test) = finished(&line) {
                tests.push((last.elapsed(), format!("{} {test}", binary.name)));
                last = Instant::now();
            }
            said.push_str(&line);
            said.push('\n');
        }
        let errors = errors.join().ok().and_then(Result::ok).unwrap_or_default();
        said.push_str(&String::from_utf8_lossy(&errors));
        let status = child.wait().map_err(|e| e.to_string())?;
        Ok((tests, (!status.success()).then_some(said)))
    });
    let (tests, failed) = end.unwrap_or_else(|why| (Vec::new(), Some(why)));
    Ran { name: binary.name.clone(), time: start.elapsed(), tests, failed }
}

/// `test words::tests::shifts ... ok` → the name.
fn finished(line: &str) -> Option<&str> {
    let (name, end) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let is_end = ["ok", "FAILED", "ignored"].iter().any(|word| end.starts_with(word));
    is_end.then_some(name)
}

fn summary(ran: &[Ran]) -> String {
    let mut text = String::new();
    for ran in ran {
        if let Some(said) = &ran.failed {
            text.push_str(&format!("\n{} failed:\n{said}\n", ran.name));
        }
    }
    let mut tests: Vec<_> = ran.iter().flat_map(|ran| &ran.tests).collect();
    tests.sort_by(|a, b| b.cmp(a));
    text.push_str(&format!("\n{} tests; these took longest:\n", tests.len()));
    for (time, name) in tests.iter().take(SLOWEST) {
        text.push_str(&format!("{:7.1} s  {name}\n", time.as_secs_f64()));
    }
    let failed: Vec<&str> = ran.iter().filter(|r| r.failed.is_some()).map(|r| &*r.name).collect();
    match failed.is_empty() {
        true => text.push_str("all are right\n"),
        false => text.push_str(&format!("failed: {}\n", failed.join(", "))),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_says_where_tests_are() {
        let said = r#"{"reason":"compiler-artifact","manifest_path":"/p/crates/logic/Cargo.toml","target":{"name":"words"},"profile":{"test":true},"executable":"/t/words-1"}
{"reason":"compiler-artifact","manifest_path":"/p/crates/logic/Cargo.toml","target":{"name":"logic"},"profile":{"test":true},"executable":"/t/logic-1"}
{"reason":"compiler-artifact","manifest_path":"/p/crates/jarosite/Cargo.toml","target":{"name":"jarosite"},"profile":{"test":false},"executable":"/t/jarosite"}
{"reason":"build-finished","success":true}"#;
        let mut found = binaries(said).expect("it is well-formed");
        let names = |found: &[Binary]| found.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&found), ["logic/words", "logic"]);
        assert_eq!(found[0].directory, Path::new("/p/crates/logic"));
        longest_first(&mut found, "10 logic/words\n200 logic\n");
        assert_eq!(names(&found), ["logic", "logic/words"]);
        longest_first(&mut found, "10 logic\n");
        assert_eq!(names(&found), ["logic/words", "logic"]);
        assert!(binaries("no JSON").is_err());
    }

    #[test]
    fn tests_are_read_off_what_a_binary_says() {
        assert_eq!(finished("test a::b ... ok"), Some("a::b"));
        assert_eq!(finished("test a::b ... FAILED"), Some("a::b"));
        assert_eq!(finished("test result: ok. 3 passed"), None);
        let ran = |name: &str, failed: Option<&str>, seconds: u64| Ran {
            name: name.into(),
            time: Duration::from_secs(seconds),
            tests: vec![(Duration::from_secs(seconds), format!("{name} t"))],
            failed: failed.map(String::from),
        };
        let said = summary(&[ran("one", None, 1), ran("two", Some("panicked"), 2)]);
        assert!(said.contains("panicked") && said.ends_with("failed: two\n"), "{said}");
        assert!(said.find("two t") < said.find("one t"), "{said}");
        assert_eq!(times_of(&[ran("one", None, 1)]), "1000 one\n");
    }
}
