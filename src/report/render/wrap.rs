/// The columns of a terminal that everything fits in, tables with long names apart.
pub(super) const LINE: usize = 80;

/// The text in lines of at most `width` characters, broken between words. A longer word stands alone.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if length(&lines[last]) + 1 + length(word) <= width {
            lines[last] = format!("{} {word}", lines[last]);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// The same, longer words broken where the line ends. What has styles is not broken.
pub(super) fn broken(text: &str, width: usize) -> Vec<String> {
    let parts = |line: String| {
        if length(&line) <= width || line.contains('\u{1b}') {
            return vec![line];
        }
        let letters: Vec<char> = line.chars().collect();
        letters.chunks(width.max(1)).map(|part| part.iter().collect()).collect()
    };
    wrapped(text, width).into_iter().flat_map(parts).collect()
}

/// Characters that are seen: all but those of styles.
pub(super) fn length(text: &str) -> usize {
    let styles = text.split('\u{1b}').skip(1).filter_map(|style| style.find('m')).map(|end| end + 2);
    text.chars().count() - styles.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_and_none_is_lost() {
        assert_eq!(wrapped("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrapped("too-long-for-it b", 4), ["too-long-for-it", "b"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn styles_take_no_room() {
        assert_eq!(length("\u{1b}[1m\u{1b}[31mOVER\u{1b}[0m µ"), 6);
    }
}
