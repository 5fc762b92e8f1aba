//! Places in a source file: byte ranges together with the line and column that a person reads.
//! Knows text only; nothing of specifications or of Java.

use std::fmt;

/// A piece of the source file. The end is exclusive; line and column are those of the start, from
/// 1, and a column counts characters, not bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset behind the last byte.
    pub end: u32,
    /// Line of the start, from 1.
    pub line: u32,
    /// Column of the start in characters, from 1.
    pub column: u32,
}

impl Span {
    /// The smallest piece that begins where this one does and reaches to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { end: self.end.max(other.end), ..self }
    }

    /// Whether a byte offset lies inside.
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// The text that the piece covers, empty where the span is not of this source.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}..{} {}:{}>", self.start, self.end, self.line, self.column)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Every how many bytes the number of characters so far is written down. Counting from there
/// keeps a column cheap even in a file that is one endless line.
const STRIDE: usize = 64;

/// Turns byte offsets of one source into spans.
pub(crate) struct Positions<'s> {
    bytes: &'s [u8],
    line_starts: Vec<usize>,
    characters: Vec<usize>,
}

impl<'s> Positions<'s> {
    pub fn new(source: &'s str) -> Self {
        let bytes = source.as_bytes();
        let mut line_starts = vec![0];
        let mut characters = Vec::with_capacity(bytes.len() / STRIDE + 1);
        let mut count = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if at % STRIDE == 0 {
                characters.push(count);
            }
            count += usize::from(begins_character(byte));
            let lone_return = byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            if byte == b'\n' || lone_return {
                line_starts.push(at + 1);
            }
        }
        if bytes.len().is_multiple_of(STRIDE) {
            characters.push(count);
        }
        Positions { bytes, line_starts, characters }
    }

    pub fn span(&self, start: usize, end: usize) -> Span {
        let line = self.line_starts.partition_point(|&s| s <= start);
        let line_start = self.line_starts.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let column = self.characters_before(start) - self.characters_before(line_start) + 1;
        Span {
            start: narrow(start),
            end: narrow(end.max(start)),
            line: narrow(line.max(1)),
            column: narrow(column),
        }
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: usize) -> u32 {
        narrow(self.line_starts.partition_point(|&s| s <= offset).max(1))
    }

    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.bytes.len());
        let block = offset / STRIDE;
        let known = self.characters.get(block).copied().unwrap_or(0);
        let rest = self.bytes.get(block * STRIDE..offset).unwrap_or(&[]);
        known + rest.iter().filter(|&&b| begins_character(b)).count()
    }
}

fn begins_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
