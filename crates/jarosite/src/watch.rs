//! `jarosite watch`: checks again whenever something is saved, and prints only what is different.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use verify::{MethodResult, Verdict};

use crate::check::{Checked, News, check_subject, exit_code, style};
use crate::cli::{CheckArgs, Given};
use crate::screen::{complain, show};
use crate::{config, interrupt};

/// Editors save in several steps: so long nothing may happen before a check.
const QUIET: Duration = Duration::from_millis(200);

/// Files that a check reads.
const WATCHED: [&str; 5] = ["java", "jml", "class", "jar", "toml"];

/// Runs the command until it is interrupted; the result is the process's exit code.
pub fn run(args: &CheckArgs, given: &Given) -> u8 {
    watch(args, given).unwrap_or_else(|message| {
        complain(&format!("error: {message}"));
        2
    })
}

fn watch(args: &CheckArgs, given: &Given) -> Result<u8, String> {
    interrupt::listen();
    let (events, _watcher) = watched(&args.subject.paths)?;
    let mut known = Known::default();
    let mut code = 2;
    loop {
        match known.check_again(args, given) {
            Ok(now) => code = now,
            Err(_) if interrupt::is_requested() => return Ok(code),
            Err(message) => complain(&format!("error: {message}")),
        }
        if interrupt::is_requested() || !wait(&events) {
            return Ok(code);
        }
    }
}

/// Hears of every file of interest that changes below the paths.
fn watched(paths: &[impl AsRef<Path>]) -> Result<(Receiver<()>, RecommendedWatcher), String> {
    let (tell, events) = channel();
    let hear = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else {
            return;
        };
        let extension = |path: &Path| path.extension().map(|e| e.to_string_lossy().into_owned());
        let is_read = |path: &Path| extension(path).is_some_and(|e| WATCHED.contains(&e.as_str()));
        let is_change = !matches!(event.kind, notify::EventKind::Access(_));
        if is_change && event.paths.iter().any(|path| is_read(path)) {
            // Nobody listens any more when the run is over.
            let _ = tell.send(());
        }
    };
    let fail = |error: notify::Error| format!("files cannot be watched: {error}");
    let mut watcher = notify::recommended_watcher(hear).map_err(fail)?;
    for path in paths {
        let path = path.as_ref();
        // Editors replace a file rather than write to it, so its directory is watched.
        let (place, mode) = match path.is_dir() {
            true => (path, RecursiveMode::Recursive),
            false => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                (parent.unwrap_or(Path::new(".")), RecursiveMode::NonRecursive)
            }
        };
        watcher.watch(place, mode).map_err(fail)?;
    }
    Ok((events, watcher))
}

/// Waits for a change and the silence after it; `false` if an end is wanted first.
fn wait(events: &Receiver<()>) -> bool {
    loop {
        match events.recv_timeout(QUIET) {
            Ok(()) => break,
            Err(RecvTimeoutError::Timeout) if interrupt::is_requested() => return false,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    while events.recv_timeout(QUIET).is_ok() {}
    true
}

/// What was printed last.
#[derive(Default)]
struct Known {
    methods: BTreeMap<String, String>,
    warnings: BTreeSet<String>,
}

impl Known {
    fn check_again(&mut self, args: &CheckArgs, given: &Given) -> Result<u8, String> {
        let mut args = args.clone();
        config::complete(&mut args, given)?;
        let style = style(args.subject.volume());
        let mut warnings = BTreeSet::new();
        let checked = check_subject(&args, &mut |news| match news {
            News::Warning(text) => {
                if !self.warnings.contains(text) {
                    complain(&format!("warning: {text}"));
                }
                warnings.insert(text.to_string());
            }
            News::Note(text) => {
                if !self.warnings.contains(text) {
                    complain(&format!("note: {text}"));
                }
                warnings.insert(text.to_string());
            }
            News::Result(result, sources) => {
                let key = result.name();
                if self.methods.get(&key) != Some(&essence(result)) {
                    show(&report::human_result(result, sources, &style));
                }
            }
        })?;
        self.warnings = warnings;
        self.remember(&checked);
        show(&format!("{}; waiting for changes\n", state(&checked)));
        Ok(exit_code(&checked.results, args.fail_on))
    }

    fn remember(&mut self, checked: &Checked) {
        let results = checked.results.iter();
        let now: BTreeMap<_, _> = results.map(|r| (r.name(), essence(r))).collect();
        for name in self.methods.keys().filter(|name| !now.contains_key(*name)) {
            show(&format!("gone       {name}\n"));
        }
        self.methods = now;
    }
}

/// What has to differ for a result to be news.
fn essence(result: &MethodResult) -> String {
    let prints = result.violations().iter().map(|v| v.review.fingerprint.as_str());
    let prints: Vec<&str> = prints.collect();
    let verdict = match &result.verdict {
        Verdict::Verified { .. } => "verified",
        Verdict::Violated(_) => "violated",
        Verdict::Undecided(_) => "undecided",
    };
    format!("{verdict} {} {:?}", prints.join(","), result.cause())
}

fn state(checked: &Checked) -> String {
    let count = |wanted: fn(&Verdict) -> bool| {
        checked.results.iter().filter(|result| wanted(&result.verdict)).count()
    };
    format!(
        "{} verified, {} violated, {} undecided",
        count(|v| matches!(v, Verdict::Verified { .. })),
        count(|v| matches!(v, Verdict::Violated(_))),
        count(|v| matches!(v, Verdict::Undecided(_)))
    )
}
