use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// The styles that this program writes, as a terminal takes them. [`shown_styled`] lets them through and no other.
pub const EMPHASIS: [&str; 4] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[33m"];

/// Whether a character acts on what is around it and does not show itself: control characters, which a terminal obeys, and those
/// of Unicode that turn the order of letters, break lines or cannot be seen (UTR 36, UAX 9). The joiners of some scripts stay.
#[must_use]
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        )
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text of others on one line: what is unsafe is written as Rust would, such as `\n` and `\u{1b}`.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false, visible)
}

/// The same for several lines, whose ends and tabs stay.
#[must_use]
pub fn shown_lines(text: &str) -> Cow<'_, str> {
    replaced(text, is_layout, visible)
}

/// The same for text with styles of this program.
#[must_use]
pub fn shown_styled(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let style = EMPHASIS.into_iter().find(|style| rest.starts_with(style));
        let (part, after) = rest.split_at(style.map_or(first.len_utf8(), str::len));
        safe.push_str(&if style.is_some() { part.into() } else { shown_lines(part) });
        rest = after;
    }
    safe.into()
}

/// JSON or TOML in which what is unsafe, and can only stand within strings, is written as their strings write it: `\u202e`. They
/// read back as the same.
#[must_use]
pub fn escaped_string(text: &str) -> Cow<'_, str> {
    replaced(text, is_layout, |safe, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a `String` cannot fail.
            let _ = write!(safe, "\\u{unit:04x}");
        }
    })
}

/// A path as rows and messages name it: bytes that are not UTF-8 as `\xff`, so that no two files have one name.
#[must_use]
pub fn name_of(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a `String` cannot fail.
            let _ = write!(name, "\\x{byte:02x}");
        }
    }
    name
}

const fn is_layout(c: char) -> bool {
    matches!(c, '\n' | '\t')
}

fn visible(safe: &mut String, c: char) {
    safe.extend(c.escape_default());
}

fn replaced(text: &str, keep: fn(char) -> bool, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    let acts = |c: char| is_unsafe(c) && !keep(c);
    if !text.contains(acts) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            escape(&mut safe, c);
        } else {
            safe.push(c);
        }
    }
    safe.into()
}

#[cfg(test)]
mod tests {
    use anstyle::{AnsiColor, Style};

    use super::*;

    #[test]
    fn names_cannot_command_a_terminal() {
        assert_eq!(shown("a\u{1b}]0;x\u{7}\n\u{9b}2J"), r"a\u{1b}]0;x\u{7}\n\u{9b}2J");
        assert_eq!(shown("gpj\u{202e}wasm.\u{2069}"), r"gpj\u{202e}wasm.\u{2069}");
        assert_eq!(shown("µs – é ﷺ 合約"), "µs – é ﷺ 合約");
    }

    #[test]
    fn styles_pass_and_no_other_escape() {
        let styles = [
            Style::new(),
            Style::new().bold(),
            Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
            Style::new().fg_color(Some(AnsiColor::Yellow.into())),
        ];
        for style in styles {
            let text = format!("{style}a\n{style:#}");
            assert_eq!(shown_styled(&text), text);
        }
        assert_eq!(shown_styled("\u{1b}[1m\u{1b}[8mhidden\u{1b}[0m\r"), "\u{1b}[1m\\u{1b}[8mhidden\u{1b}[0m\\r");
    }

    #[test]
    fn strings_read_back_as_the_same() {
        let text = "a\u{7f}\u{9b}\u{202e}\u{e0001}";
        let json = serde_json::to_string(text).unwrap();
        assert!(json.contains('\u{202e}') && !escaped_string(&json).contains(is_unsafe));
        assert_eq!(serde_json::from_str::<String>(&escaped_string(&json)).unwrap(), text);
    }

    #[cfg(unix)]
    #[test]
    fn no_two_files_have_one_name() {
        use std::os::unix::ffi::OsStrExt as _;
        let name = |bytes: &[u8]| name_of(Path::new(std::ffi::OsStr::from_bytes(bytes)));
        assert_eq!(name(b"a\xff\xfe.wasm"), r"a\xff\xfe.wasm");
        assert_eq!(name("é.wasm".as_bytes()), "é.wasm");
    }
}
