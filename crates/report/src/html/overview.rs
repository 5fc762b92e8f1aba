//! The first table: every method with its verdict, its scope, and what was left open.

use verify::tighten::BoundsUse;
use verify::{MethodResult, Verdict};

use super::markup::escape;
use crate::human::{self, duration};
use crate::{Counts, Run, java};

pub(super) fn overview(run: &Run<'_>, anchor: impl Fn(usize, usize) -> String) -> String {
    let counts = Counts::of(run.results);
    let mut out = String::from("<header class=\"top\"><h1>Jarosite</h1><p class=\"counts\">");
    for (number, word, class) in [
        (counts.violated, "violated", "bad"),
        (counts.undecided, "undecided", "doubt"),
        (counts.verified, "verified", "good"),
    ] {
        let class = if number == 0 { "none" } else { class };
        out.push_str(&format!("<span class=\"chip {class}\">{number} {word}</span> "));
    }
    if counts.accepted > 0 {
        let of = format!("({} of the violated accepted)", counts.accepted);
        out.push_str(&format!("<span class=\"quietly\">{of}</span>"));
    }
    let lengths = format!(
        "arrays up to length {}, strings up to {}{}",
        run.array_length,
        run.string_length,
        if run.int_bits < 32 {
            format!(", numbers of {} bits", run.int_bits)
        } else {
            String::new()
        }
    );
    out.push_str(&format!(
        "</p><p class=\"quietly\">{} in {}; input of {lengths}.</p>\
         <button type=\"button\" id=\"theme\" hidden>dark or light</button></header>",
        human::checked(&counts),
        duration(run.time_ms)
    ));
    for diagnostic in run.diagnostics {
        out.push_str(&format!("<p class=\"warning\">{}</p>", escape(diagnostic)));
    }
    out.push_str(
        "<table class=\"methods\"><caption>Methods</caption><thead><tr>\
         <th scope=\"col\">verdict</th><th scope=\"col\">method</th><th scope=\"col\">what was found</th>\
         <th scope=\"col\">scope</th><th scope=\"col\">rounds</th><th scope=\"col\">bounds</th>\
         <th scope=\"col\">time</th></tr></thead><tbody>",
    );
    for (number, result) in run.results.iter().enumerate() {
        out.push_str(&row(result, |violation| anchor(number, violation)));
    }
    out.push_str("</tbody></table>");
    out
}

fn row(result: &MethodResult, anchor: impl Fn(usize) -> String) -> String {
    let (class, word) = match &result.verdict {
        Verdict::Verified { .. } => ("good", "verified"),
        Verdict::Violated(_) if result.is_accepted() => ("doubt", "accepted"),
        Verdict::Violated(_) => ("bad", "violated"),
        Verdict::Undecided(_) => ("doubt", "undecided"),
    };
    let time = match result.stats.cached {
        true => "known before".to_string(),
        false => duration(result.stats.time_ms),
    };
    let bounds = match result.stats.bounds {
        BoundsUse::Off => "–",
        BoundsUse::Computed => "computed",
        BoundsUse::Hit => "from the store",
    };
    let scope = result.scope.iter();
    let mut scope: Vec<String> =
        scope.map(|(class, most)| format!("{most} {}", escape(java::simple(class)))).collect();
    if let Some(longer) = result.longer.as_ref().filter(|longer| longer.is_searched) {
        let (arrays, strings) = (longer.arrays, longer.strings);
        scope.push(format!("arrays up to length {arrays}, strings up to {strings}"));
    }
    format!(
        "<tr><td><span class=\"chip {class}\">{word}</span></td>\
         <td class=\"method\">{}</td><td>{}</td><td>{}</td>\
         <td class=\"number\">{}</td><td>{bounds}</td><td class=\"number\">{time}</td></tr>",
        named(result),
        found(result, anchor),
        scope.join(", "),
        result.unroll
    )
}

fn named(result: &MethodResult) -> String {
    match result.unusable_path() {
        Some(_) => format!("<b>{}</b>", escape(&result.name())),
        None => format!("{}.<b>{}</b>", escape(&result.class), escape(&result.method)),
    }
}

/// The violations, why the search was not exhaustive, and what is odd about the specification.
fn found(result: &MethodResult, anchor: impl Fn(usize) -> String) -> String {
    let mut said = Vec::new();
    let note = |class: &str, text: &str| format!("<p class=\"{class}\">{}</p>", escape(text));
    match &result.verdict {
        Verdict::Verified { cut } if cut.is_empty() => {}
        Verdict::Verified { .. } => {
            let cause = result.cause().unwrap_or_default();
            said.push(note("warning", &format!("not exhaustive: {cause}")));
        }
        Verdict::Violated(violations) => {
            for (number, violation) in violations.iter().enumerate() {
                said.push(format!(
                    "<p><a href=\"#{}\">{}</a></p>",
                    anchor(number),
                    escape(&violation.message)
                ));
                let accepted = violation.review.accepted.as_ref();
                said.extend(accepted.map(|why| note("accepted", &human::acceptance(why))));
            }
            if let Some(cause) = &result.incomplete {
                let sentence = human::sentence(cause);
                said.push(note("warning", &format!("there may be more: {sentence}")));
            }
        }
        Verdict::Undecided(cause) => {
            said.push(note("", &human::sentence(cause)));
            said.push(note("quietly", &format!("hint: {}", human::hint(cause, result.lever))));
        }
    }
    said.extend(result.warnings.iter().map(|warning| note("warning", warning)));
    said.concat()
}
