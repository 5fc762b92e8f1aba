//! What is wrong with a specification, said to its author. Mistakes of the author are data: they
//! never stop the reading of the rest of the file.

use std::fmt;

use crate::span::Span;

/// A mistake in a specification, where it is, and what may have been meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The place that the message speaks of.
    pub span: Span,
    /// What is wrong, as one clause without a full stop.
    pub message: String,
    /// What the author may have meant, ready to be written in place of the mistake.
    pub suggestion: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.span, self.message)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, " (did you mean `{suggestion}`?)"),
            None => Ok(()),
        }
    }
}

/// The failure of one clause; the clause's reader writes the diagnostic down and goes on with the
/// next clause.
#[derive(Debug)]
pub(crate) struct Failure(pub Box<Diagnostic>);

/// The outcome of parsing something inside a clause.
pub(crate) type Parse<T> = Result<T, Failure>;

impl Failure {
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Failure(Box::new(Diagnostic { span, message: message.into(), suggestion: None }))
    }

    pub fn suggest(mut self, suggestion: Option<impl Into<String>>) -> Self {
        self.0.suggestion = suggestion.map(Into::into);
        self
    }
}

/// The candidate that the written word was most likely meant to be: a few letters off at most,
/// fewer for short words. Of equally near ones the first counts.
pub(crate) fn did_you_mean<'c>(
    word: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    let allowed = match word.chars().count() {
        0..=2 => return None,
        3..=4 => 1,
        5..=8 => 2,
        9..=24 => 3,
        _ => return None,
    };
    let lower = word.to_lowercase();
    candidates
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, remove or change, by the usual table of one row.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, f) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &t) in to.iter().enumerate() {
            let change = diagonal + usize::from(f != t);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}
