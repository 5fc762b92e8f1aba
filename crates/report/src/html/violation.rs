//! One violation: what is wrong, the source, and a picture of the heap for every step.

use serde_json::{Value, json};
use verify::execution::{Datum, Outcome, Step};
use verify::{MethodResult, Replay, Violation};

use super::diagram::Diagram;
use super::draw::{Fragments, Painter};
use super::markup::{escape, json_in_script};
use super::moments::{Moment, moments};
use super::source::{self, Excerpt};
use crate::values::Values;
use crate::{Sources, human};

/// What a reader sees of one moment.
struct View {
    picture: Vec<usize>,
    /// The line that has been executed.
    row: Option<String>,
    caption: String,
    locals: String,
    /// The heap in words.
    words: String,
}

/// The section, with what its script needs.
pub(super) fn section(
    result: &MethodResult,
    violation: &Violation,
    id: &str,
    sources: &dyn Sources,
) -> String {
    let execution = &violation.execution;
    let values = Values::of(execution, true);
    let moments = moments(violation);
    let diagram = Diagram::of(execution, &moments, &values);
    let painter = Painter { diagram: &diagram, values: &values, execution };
    let excerpts = source::excerpts(violation, sources);
    let mut fragments = Fragments::default();
    let mut before = None;
    let mut views = Vec::new();
    for (number, moment) in moments.iter().enumerate() {
        views.push(View {
            picture: painter.draw(moment, before, &mut fragments),
            row: row(moment, &excerpts),
            caption: caption(moment, violation, number + 1 == moments.len(), &values, sources),
            locals: locals(moment, before, &values),
            words: words(moment, &diagram, &values),
        });
        before = Some(moment);
    }
    let last = views.len() - 1;
    let head = heading(result, violation, id, &values);
    let label = if violation.clause.is_some() { String::new() } else { human::label(violation) };
    let source: String = excerpts.iter().map(|e| e.html(&label)).collect();
    let ends = if last == 0 { vec![0] } else { vec![0, last] };
    let still: String = ends
        .into_iter()
        .map(|number| still(&views[number], number, last, &diagram, &fragments))
        .collect();
    let data = data(&views, &fragments);
    let left_out = match diagram.left_out {
        0 => String::new(),
        n => format!(
            "<p class=\"quietly\">Not drawn, as farthest from what the execution touches: {}.</p>",
            human::plural(n, "object")
        ),
    };
    format!(
        "<section class=\"violation\" id=\"{id}\" aria-labelledby=\"{id}-title\" tabindex=\"-1\">{head}\
         <div class=\"stepper\">{controls}\
         <div class=\"columns\"><div class=\"code\" role=\"group\" aria-label=\"Source\" tabindex=\"0\">{source}</div>\
         <div class=\"state\"><figure class=\"heap\">{canvas}{legend}{left_out}</figure>\
         <div class=\"locals\" role=\"group\" aria-label=\"Variables\"></div></div></div></div>\
         <div class=\"still\">{still}</div>\
         <details class=\"steps\"><summary>All {count} steps</summary>{table}</details>\
         <script type=\"application/json\" class=\"data\">{data}</script></section>",
        controls = controls(last),
        canvas = canvas("", "", &diagram),
        legend = legend(violation),
        count = last,
        table = table(&moments, &values, sources),
    )
}

/// What the colours of the drawing mean.
fn legend(violation: &Violation) -> String {
    let has_witness = violation.clause.as_ref().is_some_and(|clause| !clause.witness.is_empty());
    let witness = match has_witness {
        true => "<span class=\"key-witness\">the clause is false for it</span>",
        false => "",
    };
    format!(
        "<figcaption class=\"legend\"><span class=\"key-changed\">changed by this step</span>\
         <span class=\"key-was\">as it was before</span>\
         <span class=\"key-fresh\">made by the method</span>\
         <span class=\"key-gone\">unreachable</span>{witness}</figcaption>"
    )
}

fn heading(result: &MethodResult, violation: &Violation, id: &str, values: &Values<'_>) -> String {
    let replay = match &violation.replay {
        Replay::Confirmed => "<span class=\"chip good\">confirmed on the JVM</span>".to_string(),
        Replay::Skipped(why) => {
            format!("<span class=\"chip doubt\">not replayed: {}</span>", escape(why))
        }
        Replay::Refuted(why) => {
            format!("<span class=\"chip doubt\">the JVM did something else: {}</span>", escape(why))
        }
    };
    let accepted = violation.review.accepted.as_ref();
    let accepted = accepted.map_or(String::new(), |why| {
        format!("<p class=\"accepted\">{}</p>", escape(&human::acceptance(why)))
    });
    format!(
        "<header><p class=\"over\"><span class=\"chip bad\">{}</span> \
         <span class=\"method\">{}.{}</span> {replay}</p>\
         <h2 id=\"{id}-title\">{}</h2>{accepted}{}</header>",
        violation.property.name(),
        escape(&result.class),
        escape(&result.method),
        escape(title(violation)),
        clause(violation, values)
    )
}

/// The message, without the clause that stands below.
fn title(violation: &Violation) -> &str {
    let clause = violation.clause.as_ref().map_or("", |clause| clause.text.as_str());
    let short = violation.message.strip_suffix(clause).map(|m| m.trim_end().trim_end_matches(':'));
    short.filter(|short| !short.is_empty()).unwrap_or(&violation.message)
}

/// The violated clause, its failing part marked, and for which values it fails.
fn clause(violation: &Violation, values: &Values<'_>) -> String {
    let Some(clause) = &violation.clause else {
        let why = escape(&human::label(violation));
        return format!("<p class=\"broken\"><span class=\"why\">{why}</span></p>");
    };
    let part = clause.part.as_deref().filter(|p| p.trim() != clause.text.trim());
    let found = part.and_then(|p| clause.text.match_indices(p.trim()).next());
    let text = match found {
        Some((at, part)) => format!(
            "{}<mark>{}</mark>{}",
            escape(&clause.text[..at]),
            escape(part),
            escape(&clause.text[at + part.len()..])
        ),
        None => format!("<mark>{}</mark>", escape(&clause.text)),
    };
    let why = human::clause_label(violation, clause, found.is_some(), values);
    format!(
        "<p class=\"broken\"><code>{text}</code><span class=\"why\">{}</span></p>",
        escape(&why)
    )
}

/// Signs on the buttons, drawn because few fonts have them.
const FIRST: &str =
    "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M3 3h2v10H3zM14 3v10L6 8z\"/></svg>";
const BACK: &str =
    "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M12 3v10L4 8z\"/></svg>";
const ON: &str = "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M4 3v10l8-5z\"/></svg>";
const LAST: &str = "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M11 3h2v10h-2zM2 3v10l8-5z\"/></svg>";

fn controls(last: usize) -> String {
    let disabled = if last == 0 { " disabled" } else { "" };
    format!(
        "<div class=\"controls\" role=\"group\" aria-label=\"Steps\">\
         <button type=\"button\" data-go=\"first\" title=\"First (Home)\" aria-label=\"First step\"{disabled}>{FIRST}</button>\
         <button type=\"button\" data-go=\"back\" title=\"Back (←)\" aria-label=\"Step back\"{disabled}>{BACK}</button>\
         <input type=\"range\" min=\"0\" max=\"{last}\" value=\"{last}\" aria-label=\"Step\"{disabled}>\
         <button type=\"button\" data-go=\"on\" title=\"On (→)\" aria-label=\"Step forward\"{disabled}>{ON}</button>\
         <button type=\"button\" data-go=\"last\" title=\"Last (End)\" aria-label=\"Last step\"{disabled}>{LAST}</button>\
         <output class=\"count\"></output><div class=\"caption\" aria-live=\"polite\"></div></div>"
    )
}

/// How much smaller than drawn a heap may be shown.
const READABLE: f64 = 0.7;

fn canvas(content: &str, words: &str, diagram: &Diagram) -> String {
    let (width, height) = (diagram.width.max(40.0), diagram.height.max(20.0));
    // A wide heap is made smaller as long as it can be read, and only then scrolled.
    let least = width * READABLE;
    let is_empty = if diagram.shapes.is_empty() { " hidden" } else { "" };
    format!(
        "<div class=\"canvas\" role=\"group\" aria-label=\"Heap\" tabindex=\"0\"{is_empty}><svg role=\"img\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" style=\"min-width:{least:.0}px\" aria-label=\"{}\">{content}</svg></div>",
        escape(words)
    )
}

/// A moment for paper, and for readers without scripts.
fn still(
    view: &View,
    number: usize,
    last: usize,
    diagram: &Diagram,
    fragments: &Fragments,
) -> String {
    let content: String = view.picture.iter().map(|f| fragments.texts[*f].as_str()).collect();
    let title = match number {
        0 => "At the start",
        n if n == last => "At the end",
        _ => "On the way",
    };
    format!(
        "<figure class=\"heap\"><figcaption><b>{title}</b> {}</figcaption>{}<div class=\"locals\">{}</div></figure>",
        view.caption,
        canvas(&content, &view.words, diagram),
        view.locals
    )
}

fn data(views: &[View], fragments: &Fragments) -> String {
    let steps: Vec<Value> = views
        .iter()
        .map(|v| {
            json!({"picture": v.picture, "row": v.row, "caption": v.caption,
                   "locals": v.locals, "words": v.words})
        })
        .collect();
    json_in_script(&json!({"fragments": fragments.texts, "steps": steps}))
}

fn row(moment: &Moment<'_>, excerpts: &[Excerpt]) -> Option<String> {
    let place = &moment.step?.place;
    excerpts.iter().find(|e| e.has(place)).map(|e| e.row(place.line))
}

/// The code of a step, if the source is known.
fn code(step: &Step, sources: &dyn Sources) -> String {
    let at = &step.place;
    match sources.line(&at.class, &at.file, at.line).filter(|_| at.line > 0) {
        Some(text) => source::java_html(text.trim()),
        None => escape(&format!("in {}.{}", at.class, at.method)),
    }
}

fn updates(step: &Step, values: &Values<'_>) -> String {
    let updates = step.updates.iter();
    let updates =
        updates.map(|(name, value)| escape(&format!("{name} = {}", values.datum(*value))));
    updates.collect::<Vec<_>>().join(", ")
}

fn caption(
    moment: &Moment<'_>,
    violation: &Violation,
    is_last: bool,
    values: &Values<'_>,
    sources: &dyn Sources,
) -> String {
    let mut said = match moment.step {
        None => "the input, before the first line".to_string(),
        Some(step) => {
            let updates = updates(step, values);
            let arrow = if updates.is_empty() { "" } else { " <span class=\"to\">⇒</span> " };
            format!(
                "<span class=\"at\">{}</span> <code>{}</code>{arrow}<span class=\"updates\">{updates}</span>",
                place(step),
                code(step, sources)
            )
        }
    };
    if is_last {
        said.push_str(&format!(" <span class=\"outcome\">{}</span>", outcome(violation, values)));
    }
    said
}

fn place(step: &Step) -> String {
    match (step.place.line, step.place.file.is_empty()) {
        (0, _) => "?".into(),
        (line, true) => format!("line {line}"),
        (line, false) => format!("{}:{line}", escape(&step.place.file)),
    }
}

fn outcome(violation: &Violation, values: &Values<'_>) -> String {
    match &violation.execution.outcome {
        Outcome::Returned(None) => "returns".into(),
        Outcome::Returned(Some(value)) => format!("returns {}", escape(&values.datum(*value))),
        Outcome::Threw { class, .. } => format!("throws {}", escape(crate::java::simple(class))),
        Outcome::Repeats { stem, .. } => format!("never ends: goes on as from step {}", stem + 1),
    }
}

/// The variables of every running method, the innermost first; then static fields and what is
/// known at the end.
fn locals(moment: &Moment<'_>, before: Option<&Moment<'_>>, values: &Values<'_>) -> String {
    let mut out = String::new();
    let depth = moment.frames.len();
    for (number, frame) in moment.frames.iter().enumerate() {
        // The same call, as far as the depth tells.
        let earlier =
            before.and_then(|b| b.frames.get((b.frames.len() + number).checked_sub(depth)?));
        let was = |name: &str| earlier.and_then(|f| f.locals.iter().find(|l| l.0 == name));
        let rows = frame.locals.iter().map(|(name, value)| {
            let changed = before.is_some() && was(name).map(|l| l.1) != Some(*value);
            (name.to_string(), *value, if changed { "changed" } else { "" })
        });
        out.push_str(&group(&frame.method, rows, values));
    }
    let statics = moment.statics.iter().map(|f| {
        let name = format!("{}.{}", crate::java::simple(&f.class), f.name);
        let was = before.map(|b| b.statics.iter().any(|s| s == f));
        (name, f.value, if was == Some(false) { "changed" } else { "" })
    });
    out.push_str(&group("static fields", statics, values));
    let marks = moment
        .marks
        .iter()
        .map(|m| (m.name.to_string(), m.value, if m.is_witness { "witness" } else { "" }));
    out.push_str(&group("at the end", marks, values));
    out
}

fn group(
    title: &str,
    rows: impl Iterator<Item = (String, Datum, &'static str)>,
    values: &Values<'_>,
) -> String {
    let rows: String = rows
        .map(|(name, value, class)| {
            format!(
                "<tr class=\"{class}\"><th scope=\"row\">{}</th><td>{}</td></tr>",
                escape(&name),
                escape(&values.datum(value))
            )
        })
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => {
            format!("<table><caption>{}</caption><tbody>{rows}</tbody></table>", escape(title))
        }
    }
}

/// The heap as sentences, for those who do not see the picture.
fn words(moment: &Moment<'_>, diagram: &Diagram, values: &Values<'_>) -> String {
    let reachable = moment.reachable();
    let mut said = Vec::new();
    for (index, shape) in diagram.shapes.iter().filter(|(i, _)| reachable.contains(i)) {
        let slots = shape.values(moment.heap.get(index).copied()).into_iter();
        let slots = slots.filter_map(|(slot, value)| {
            Some(format!("{} is {}", shape.slots[slot].name, values.datum(value?)))
        });
        said.push(format!("{}: {}.", shape.title, slots.collect::<Vec<_>>().join(", ")));
    }
    said.join(" ")
}

fn table(moments: &[Moment<'_>], values: &Values<'_>, sources: &dyn Sources) -> String {
    let rows: String = moments
        .iter()
        .enumerate()
        .filter_map(|(number, moment)| {
            let step = moment.step?;
            Some(format!(
                "<tr data-step=\"{number}\"><td>{number}</td><td class=\"at\">{}</td>\
                 <td style=\"padding-left:{}em\"><code>{}</code></td><td class=\"updates\">{}</td></tr>",
                place(step),
                step.depth.min(8),
                code(step, sources),
                updates(step, values)
            ))
        })
        .collect();
    format!(
        "<table><thead><tr><th scope=\"col\">step</th><th scope=\"col\">line</th>\
         <th scope=\"col\">code</th><th scope=\"col\">changes</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}
