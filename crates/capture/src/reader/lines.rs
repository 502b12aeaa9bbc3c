//! Lines of text in a file's window.

use super::record::Broken;
use super::window::Window;

/// The longest line that is read, in octets; a longer one is not of a text.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// The length of the next line with its end; `None` at the end of the file.
pub(super) fn line_length(window: &mut Window) -> Result<Option<usize>, Broken> {
    let mut searched = 0;
    loop {
        if let Some(end) = window.bytes()[searched..].iter().position(|&byte| byte == b'\n') {
            return Ok(Some(searched + end + 1));
        }
        searched = window.bytes().len();
        if searched > LONGEST_LINE {
            return Err(Broken::LongLine(LONGEST_LINE));
        }
        if !window.fill(searched + 1)? {
            return Ok((searched > 0).then_some(searched));
        }
    }
}

/// A line in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Where it begins in the window.
    pub from: usize,
    /// Its length without its end.
    pub length: usize,
    /// Its length with its end: LF, CR or both.
    pub whole: usize,
}

impl Line {
    /// The octets of the line.
    pub fn of<'a>(&self, window: &'a Window) -> &'a [u8] {
        &window.bytes()[self.from..self.from + self.length]
    }
}

/// The line that begins at `from` in the window, which ends with LF, CR or both; `None` at the end of the file.
pub(super) fn line_at(window: &mut Window, from: usize) -> Result<Option<Line>, Broken> {
    let mut searched = from;
    loop {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        if let Some(end) = window.bytes()[searched..].iter().position(is_end) {
            let length = searched + end - from;
            if length > LONGEST_LINE {
                return Err(Broken::LongLine(LONGEST_LINE));
            }
            let is_two = window.bytes()[from + length] == b'\r'
                && window.fill(from + length + 2)?
                && window.bytes()[from + length + 1] == b'\n';
            return Ok(Some(Line { from, length, whole: length + 1 + usize::from(is_two) }));
        }
        searched = window.bytes().len();
        let length = searched - from;
        if length > LONGEST_LINE {
            return Err(Broken::LongLine(LONGEST_LINE));
        }
        if !window.fill(searched + 1)? {
            return Ok((length > 0).then_some(Line { from, length, whole: length }));
        }
    }
}
