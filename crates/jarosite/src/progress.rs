//! What a run is doing, while it is doing it: a bar on a terminal, lines in a log.
//!
//! A log gets a line only about what takes long, and then less and less often. Nothing of it goes to
//! standard output, and nothing of the bar is left when it ends.

use std::collections::{BTreeMap, HashMap};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ir::MethodId;
use verify::{Activity, Listener};

use crate::screen::{self, complain};

/// Between two looks at what is going on.
const TICK: Duration = Duration::from_millis(100);

/// What takes less is not worth a line in a log; then again after twice the time.
const FIRST_NOTE: Duration = Duration::from_secs(5);

/// Methods that are named below the bar.
const MOST_LINES: usize = 8;

/// How much is said beside the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Volume {
    Quiet,
    #[default]
    Normal,
    Verbose,
}

/// Shows what a run does until it is dropped.
pub struct Progress {
    board: Arc<Board>,
    ticking: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to show what is going on.
    pub fn start(volume: Volume) -> Progress {
        let on_terminal = volume != Volume::Quiet && std::io::stderr().is_terminal();
        let bar = on_terminal.then(new_bar);
        screen::set_bar(bar.clone());
        let board = Arc::new(Board { volume, bar, state: Mutex::default() });
        let ticking = (volume != Volume::Quiet).then(|| {
            let (stop, stopped) = channel();
            let board = board.clone();
            let tick = move || {
                while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    board.tick();
                }
            };
            (stop, std::thread::spawn(tick))
        });
        Progress { board, ticking }
    }

    /// Something that comes before the methods.
    pub fn preparing(&self, what: &str) {
        self.board.say(what);
        let task = Task::new(what.to_string());
        self.board.state().running.insert(None, task);
    }

    /// From now on methods are checked, with these names.
    pub fn checking(&self, names: HashMap<MethodId, String>) {
        let mut state = self.board.state();
        state.running.remove(&None);
        if let Some(bar) = &self.board.bar {
            bar.set_length(names.len() as u64);
            bar.set_style(style("{spinner} {bar:24} {pos} of {len} methods, {elapsed}{msg}"));
        }
        state.names = names;
    }

    /// Who is to be told what is done for a method; nobody if nothing is shown.
    pub fn listener(&self) -> Option<Arc<dyn Listener>> {
        self.ticking.is_some().then(|| self.board.clone() as Arc<dyn Listener>)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.ticking.take() {
            drop(stop);
            // It can only have panicked, and then there is nothing more to stop.
            let _ = thread.join();
        }
        if let Some(bar) = &self.board.bar {
            bar.finish_and_clear();
        }
        screen::set_bar(None);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are correct").tick_chars("|/-\\ ")
}

fn new_bar() -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(10);
    ProgressBar::with_draw_target(None, target).with_style(style("{spinner} {elapsed}{msg}"))
}

/// What is known of the work, and where it is shown.
struct Board {
    volume: Volume,
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    names: HashMap<MethodId, String>,
    /// The methods under way; `None` is what comes before them.
    running: BTreeMap<Option<MethodId>, Task>,
}

struct Task {
    label: String,
    begin: Instant,
    activity: Option<Activity>,
    /// Sub-problems that are done, and all of them.
    cases: Option<(u64, u64)>,
    next_note: Duration,
}

impl Task {
    fn new(label: String) -> Task {
        let begin = Instant::now();
        Task { label, begin, activity: None, cases: None, next_note: FIRST_NOTE }
    }

    /// `Stack.push(int): solving, 2 goals, loops to depth 4`.
    fn line(&self) -> String {
        let cases = self.cases.map(|(done, of)| Activity::Cases { done, of }.to_string());
        let activity = self.activity.map(|activity| activity.to_string());
        let parts: Vec<String> = cases.into_iter().chain(activity).collect();
        match parts.is_empty() {
            true => self.label.clone(),
            false => format!("{}: {}", self.label, parts.join("; ")),
        }
    }

    /// Whether the activity is another one, rather than the same with other numbers.
    fn turns_to(&self, activity: Activity) -> bool {
        let kind = |a: Activity| match a {
            Activity::Bounds { .. } => Activity::Bounds { decided: 0, entries: 0 },
            Activity::Inputs { .. } => Activity::Inputs { done: 0 },
            other => other,
        };
        self.activity.map(kind) != Some(kind(activity))
    }
}

impl Listener for Board {
    fn hear(&self, method: MethodId, activity: Activity) {
        let mut state = self.state();
        if activity == Activity::Done {
            state.running.remove(&Some(method));
            if let Some(bar) = &self.bar {
                bar.inc(1);
            }
            return;
        }
        let label = state.names.get(&method).cloned().unwrap_or_default();
        let task = state.running.entry(Some(method)).or_insert_with(|| Task::new(label));
        match activity {
            Activity::Cases { done, of } => task.cases = Some((done, of)),
            _ if task.turns_to(activity) => {
                task.activity = Some(activity);
                let line = task.line();
                drop(state);
                self.say(&line);
            }
            _ => task.activity = Some(activity),
        }
    }
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line for those who want to know everything.
    fn say(&self, line: &str) {
        if self.volume == Volume::Verbose {
            complain(line);
        }
    }

    fn tick(&self) {
        match &self.bar {
            Some(bar) => {
                let width = usize::from(console::Term::stderr().size().1).max(20) - 1;
                bar.set_message(below_the_bar(&self.state().running, width));
                bar.tick();
            }
            None => due_notes(&mut self.state().running).iter().for_each(|note| complain(note)),
        }
    }
}

/// A line for each task, as far as there is room.
fn below_the_bar(running: &BTreeMap<Option<MethodId>, Task>, width: usize) -> String {
    let mut text = String::new();
    for task in running.values().take(MOST_LINES) {
        text.push_str("\n  ");
        text.push_str(&console::truncate_str(&task.line(), width - 2, "..."));
    }
    text
}

/// What is to be said about tasks that take long.
fn due_notes(running: &mut BTreeMap<Option<MethodId>, Task>) -> Vec<String> {
    let mut notes = Vec::new();
    for task in running.values_mut() {
        let spent = task.begin.elapsed();
        if spent >= task.next_note {
            notes.push(format!("{} ({} s so far)", task.line(), spent.as_secs()));
            task.next_note = spent * 2;
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(activity: Activity, age: Duration) -> Task {
        let mut task = Task::new("Stack.push(int)".into());
        task.activity = Some(activity);
        task.begin = Instant::now().checked_sub(age).expect("the machine has been up for long");
        task
    }

    #[test]
    fn a_log_hears_of_what_takes_long_and_then_less_and_less() {
        let solving = Activity::Solving { depth: 4, goals: 2 };
        let mut running = BTreeMap::from([(None, task(solving, Duration::from_secs(1)))]);
        assert!(due_notes(&mut running).is_empty());
        running.insert(None, task(solving, Duration::from_secs(6)));
        let note = "Stack.push(int): solving, 2 goals, loops to depth 4 (6 s so far)";
        assert_eq!(due_notes(&mut running), [note]);
        assert!(due_notes(&mut running).is_empty());
        let waiting = running.get_mut(&None).expect("the task");
        waiting.begin -= Duration::from_secs(7);
        assert_eq!(due_notes(&mut running).len(), 1);
        assert!(due_notes(&mut running).is_empty());
    }

    #[test]
    fn lines_fit_the_terminal() {
        let mut long = task(Activity::Bounds { decided: 3, entries: 40 }, Duration::ZERO);
        long.cases = Some((1, 8));
        let line = "Stack.push(int): 1 of 8 sub-problems done; bounds, 3 of 40 entries decided";
        assert_eq!(long.line(), line);
        let text = below_the_bar(&BTreeMap::from([(None, long)]), 30);
        assert_eq!(text, "\n  Stack.push(int): 1 of 8 s...");
    }

    #[test]
    fn only_another_activity_is_news() {
        let bounds = task(Activity::Bounds { decided: 3, entries: 40 }, Duration::ZERO);
        assert!(!bounds.turns_to(Activity::Bounds { decided: 4, entries: 40 }));
        assert!(bounds.turns_to(Activity::Encoding { depth: 4 }));
    }
}
