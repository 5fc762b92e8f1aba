//! The text under construction. The only place that writes colours, and the only way for text to
//! get into a report: nothing from a class file or a source can move the cursor, change the
//! writing direction or hide itself.

use anstyle::AnsiColor;

use super::Style;
use crate::java;

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    /// A headline.
    Title,
    Error,
    Good,
    Doubt,
    /// Line numbers and frames.
    Frame,
    /// What most readers skip.
    Faint,
}

impl Ink {
    fn style(self) -> anstyle::Style {
        let plain = anstyle::Style::new();
        match self {
            Ink::Plain => plain,
            Ink::Title => plain.bold(),
            Ink::Error => AnsiColor::BrightRed.on_default().bold(),
            Ink::Good => AnsiColor::Green.on_default(),
            Ink::Doubt => AnsiColor::Yellow.on_default(),
            Ink::Frame => AnsiColor::BrightBlue.on_default().bold(),
            Ink::Faint => plain.dimmed(),
        }
    }
}

pub(super) struct Page<'s> {
    pub style: &'s Style,
    text: String,
}

impl<'s> Page<'s> {
    pub fn new(style: &'s Style) -> Page<'s> {
        Page { style, text: String::new() }
    }

    /// Adds a piece to the current line.
    pub fn put(&mut self, ink: Ink, text: &str) {
        let coloured = self.style.color && ink != Ink::Plain && !text.is_empty();
        if coloured {
            self.text.push_str(&ink.style().render().to_string());
        }
        self.text.push_str(&clean(text, self.style.unicode));
        if coloured {
            self.text.push_str(&ink.style().render_reset().to_string());
        }
    }

    /// Adds a last piece to the current line and ends it.
    pub fn line(&mut self, ink: Ink, text: &str) {
        self.put(ink, text);
        self.end();
    }

    /// Ends the current line.
    pub fn end(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
    }

    pub fn into_text(self) -> String {
        self.text
    }

    pub fn ellipsis(&self) -> &'static str {
        java::ellipsis(self.style.unicode)
    }
}

/// The text with a sign in place of everything that does not simply show.
pub(super) fn clean(text: &str, unicode: bool) -> String {
    let safe = |c| match (java::is_printable(c), unicode) {
        (true, true) => c,
        (false, _) if c.is_whitespace() => ' ',
        (true, false) if c.is_ascii() => c,
        (_, true) => '\u{fffd}',
        (_, false) => '?',
    };
    text.chars().map(safe).collect()
}
