//! The execution, one row a step: line, code, what changed. Calls are indented.

use unicode_width::UnicodeWidthStr;
use verify::execution::{Execution, Outcome, Step};

use super::excerpt;
use super::input::list;
use super::page::{Ink, Page};
use crate::values::Values;
use crate::{Sources, java};

/// Rows that are shown unless everything is asked for: the first and the last ones.
const FIRST: usize = 9;
const LAST: usize = 15;
/// Columns of a file's name, of code, and of changes, in a row.
const FILE_WIDTH: usize = 32;
const CODE_WIDTH: usize = 56;
const UPDATES_WIDTH: usize = 60;
/// Calls below this depth are indented no further.
const MOST_INDENT: u32 = 8;

struct Row {
    place: String,
    code: String,
    updates: String,
}

/// Draws the steps and how they end. `file` is the one whose lines need no file name.
pub(super) fn draw(
    page: &mut Page<'_>,
    execution: &Execution,
    file: &str,
    values: &Values<'_>,
    sources: &dyn Sources,
) {
    page.line(Ink::Title, "  Execution");
    let steps = without_returns(&execution.trace);
    let folded = !page.style.verbose && steps.len() > FIRST + LAST + 1;
    let (head, tail) =
        if folded { (FIRST, steps.len() - LAST) } else { (steps.len(), steps.len()) };
    let ellipsis = page.ellipsis();
    let unicode = page.style.unicode;
    let row = |step: &&Step| row(step, file, values, sources, unicode);
    let before: Vec<Row> = steps[..head].iter().map(row).collect();
    let after: Vec<Row> = steps[tail..].iter().map(row).collect();
    let columns = Columns::of(before.iter().chain(&after));
    before.iter().for_each(|row| columns.draw(page, row));
    if folded {
        let skipped = format!("    {ellipsis} {} steps {ellipsis}", tail - head);
        page.line(Ink::Faint, &skipped);
    }
    after.iter().for_each(|row| columns.draw(page, row));
    outcome(page, execution, values);
}

/// The steps but for those at which control is back from a call and nothing happens any more.
pub(crate) fn without_returns(trace: &[Step]) -> Vec<&Step> {
    let mut shown: Vec<&Step> = Vec::new();
    // The last step at each depth that is still open.
    let mut open: Vec<&Step> = Vec::new();
    for (i, step) in trace.iter().enumerate() {
        let is_return = shown.last().is_some_and(|last| last.depth > step.depth);
        while open.last().is_some_and(|o| o.depth > step.depth) {
            open.pop();
        }
        let back = open.last().is_some_and(|o| o.depth == step.depth && o.place == step.place);
        let last = i + 1 == trace.len();
        if is_return && back && step.updates.is_empty() && !last {
            continue;
        }
        if open.last().is_some_and(|o| o.depth == step.depth) {
            open.pop();
        }
        open.push(step);
        shown.push(step);
    }
    shown
}

fn row(step: &Step, file: &str, values: &Values<'_>, sources: &dyn Sources, unicode: bool) -> Row {
    let at = &step.place;
    let ellipsis = java::ellipsis(unicode);
    let place = match at.line {
        0 => "?".to_string(),
        line if at.file == file || at.file.is_empty() => line.to_string(),
        line => format!("{}:{line}", excerpt::fit(&at.file, FILE_WIDTH, ellipsis)),
    };
    let indent = 2 * step.depth.min(MOST_INDENT) as usize;
    let source = match at.line {
        0 => None,
        line => sources.line(&at.class, &at.file, line),
    };
    let code = match source {
        Some(text) => excerpt::statement(&text, CODE_WIDTH - indent, unicode),
        None => {
            let method = format!("in {}.{}", at.class, at.method);
            excerpt::fit(&method, CODE_WIDTH - indent, ellipsis)
        }
    };
    let updates = step.updates.iter();
    let updates = updates.map(|(name, value)| format!("{name} = {}", values.datum(*value)));
    Row {
        place,
        code: format!("{:indent$}{code}", ""),
        updates: list(updates, UPDATES_WIDTH, ellipsis),
    }
}

/// Where the columns of the rows start.
struct Columns {
    place: usize,
    code: usize,
}

impl Columns {
    fn of<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> Columns {
        let place = rows.clone().map(|r| r.place.width()).max().unwrap_or(0);
        let code = rows.map(|r| r.code.width()).max().unwrap_or(0);
        Columns { place, code: code.min(CODE_WIDTH) }
    }

    fn draw(&self, page: &mut Page<'_>, row: &Row) {
        let pad = self.place - row.place.width().min(self.place);
        page.put(Ink::Frame, &format!("    {}{}", " ".repeat(pad), row.place));
        page.put(Ink::Plain, &format!("  {}", row.code));
        if !row.updates.is_empty() {
            let pad = 2 + self.code.saturating_sub(row.code.width());
            page.put(Ink::Good, &format!("{:pad$}{}", "", row.updates));
        }
        page.end();
    }
}

fn outcome(page: &mut Page<'_>, execution: &Execution, values: &Values<'_>) {
    match &execution.outcome {
        Outcome::Returned(None) => page.line(Ink::Plain, "    returns"),
        Outcome::Returned(Some(value)) => {
            page.line(Ink::Plain, &format!("    returns {}", values.datum(*value)));
        }
        Outcome::Threw { class, at, .. } => {
            let place = super::place(at, None);
            page.line(Ink::Error, &format!("    throws {class} at {place}"));
        }
        Outcome::Repeats { at, stem } => {
            let place = super::place(at, None);
            let round = match execution.trace.len().saturating_sub(*stem) {
                0 | 1 => "1 line".to_string(),
                lines => format!("{lines} lines"),
            };
            let text =
                format!("    never ends: what steers the loop at {place} is as {round} before");
            page.line(Ink::Error, &text);
        }
    }
}
