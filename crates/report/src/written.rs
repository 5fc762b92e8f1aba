//! A clause where it is written: which characters of which lines of its file it covers.

use std::collections::BTreeMap;
use std::ops::Range;

use verify::result::ViolatedClause;

use crate::Sources;

/// No clause that is worth showing is longer.
const LONGEST: u32 = 200;

/// The characters of a clause in its file, blanks and the `@` of each line left out.
pub(crate) struct Written {
    /// Number and text of each line, from the first of the clause on.
    pub lines: Vec<(u32, String)>,
    pub characters: Vec<Character>,
}

#[derive(Clone, Copy)]
pub(crate) struct Character {
    is: char,
    line: u32,
    at: usize,
}

fn counts(c: char) -> bool {
    !c.is_whitespace() && c != '@'
}

impl Written {
    /// Finds the clause by its place; nothing if the file says something else there.
    pub fn find(clause: &ViolatedClause, sources: &dyn Sources) -> Written {
        let mut found = Written { lines: Vec::new(), characters: Vec::new() };
        let mut wanted = clause.text.chars().filter(|c| counts(*c)).peekable();
        let mut skip = (clause.column as usize).saturating_sub(1);
        for number in clause.line..clause.line.saturating_add(LONGEST) {
            if wanted.peek().is_none() {
                return found;
            }
            let Some(text) = sources.line_of(&clause.file, number).filter(|_| number > 0) else {
                break;
            };
            for (at, is) in text.char_indices().skip(std::mem::take(&mut skip)) {
                if !counts(is) || wanted.peek().is_none() {
                    continue;
                }
                if wanted.next() != Some(is) {
                    return Written { lines: Vec::new(), characters: Vec::new() };
                }
                found.characters.push(Character { is, line: number, at });
            }
            found.lines.push((number, text));
        }
        match wanted.peek() {
            None => found,
            Some(_) => Written { lines: Vec::new(), characters: Vec::new() },
        }
    }

    pub fn last_line(&self) -> Option<u32> {
        self.characters.last().map(|c| c.line)
    }

    /// Where the part that fails stands, if that is less than the whole.
    pub fn failing(&self, clause: &ViolatedClause) -> Option<Range<usize>> {
        let part = clause.part.as_deref().filter(|part| part.trim() != clause.text.trim());
        part.and_then(|part| self.part(part))
    }

    /// Where a part stands, if that is one place only.
    fn part(&self, part: &str) -> Option<Range<usize>> {
        let wanted: Vec<char> = part.chars().filter(|c| counts(*c)).collect();
        if wanted.is_empty() {
            return None;
        }
        let windows = self.characters.windows(wanted.len()).enumerate();
        let fitting = windows.filter(|(start, window)| {
            let same = window.iter().map(|c| c.is).eq(wanted.iter().copied());
            same && self.begins_word(*start) && self.begins_word(*start + wanted.len())
        });
        let mut places = fitting.map(|(start, _)| start..start + wanted.len());
        let first = places.next()?;
        places.next().is_none().then_some(first)
    }

    /// Whether no word goes on across the start of this character.
    fn begins_word(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|i| self.characters.get(i));
        let (Some(a), Some(b)) = (before, self.characters.get(index)) else {
            return true;
        };
        let touch = a.line == b.line && a.at + a.is.len_utf8() == b.at;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        !(touch && is_word(a.is) && is_word(b.is))
    }

    /// The bytes of each line that a range of characters covers.
    pub fn by_line(&self, range: Range<usize>) -> BTreeMap<u32, Range<usize>> {
        let mut marks: BTreeMap<u32, Range<usize>> = BTreeMap::new();
        for c in self.characters.get(range).unwrap_or(&[]) {
            let end = c.at + c.is.len_utf8();
            marks.entry(c.line).and_modify(|r| r.end = end).or_insert(c.at..end);
        }
        marks
    }
}
