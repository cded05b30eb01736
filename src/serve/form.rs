//! A file in a form, as browsers send it ([RFC 7578](https://www.rfc-editor.org/rfc/rfc7578)).

/// The first file of a form: its name, and where its bytes are in the body.
pub(super) fn file(content_type: &str, body: &[u8]) -> Option<(String, std::ops::Range<usize>)> {
    let boundary = content_type.strip_prefix("multipart/form-data")?.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    })?;
    if boundary.is_empty() || boundary.len() > 70 {
        return None;
    }
    let line = format!("--{boundary}\r\n");
    let mut part = 0;
    loop {
        let headers = find(body, line.as_bytes(), part)? + line.len();
        let content = find(body, b"\r\n\r\n", headers)? + 4;
        let end = find(body, format!("\r\n--{boundary}").as_bytes(), content)?;
        // Fields of text come without a name of a file.
        if let Some(name) = file_name(&String::from_utf8_lossy(&body[headers..content])) {
            return Some((name, content..end));
        }
        part = end;
    }
}

/// The name without the folders before it.
fn file_name(head: &str) -> Option<String> {
    let (_, rest) = head.split_once("filename=\"")?;
    let (name, _) = rest.split_once('"')?;
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    Some(if name.is_empty() { "contract".to_owned() } else { name.chars().take(100).collect() })
}

fn find(body: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let rest = body.get(from..)?;
    rest.windows(needle.len()).position(|window| window == needle).map(|place| from + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=----x";

    fn read(content_type: &str, body: &[u8]) -> Option<(String, Vec<u8>)> {
        file(content_type, body).map(|(name, place)| (name, body[place].to_vec()))
    }

    #[test]
    fn a_file_is_found_with_its_name_and_every_byte() {
        let content = b"\0asm\r\n--\r\n\r\n------y\xff";
        let head =
            b"------x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"C:\\a\\b.wasm\"\r\nX: y\r\n\r\n";
        let body = [&head[..], content, b"\r\n------x--\r\n"].concat();
        let wanted = Some(("b.wasm".to_owned(), content.to_vec()));
        assert_eq!(read(TYPE, &body), wanted);
        assert_eq!(read("multipart/form-data;charset=x; Boundary=\"----x\"", &body), wanted);
        let field = b"------x\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nfilename=\"none\"\r\n";
        assert_eq!(read(TYPE, &[&field[..], &body].concat()), wanted, "a field of text before it");
        for end in 0..head.len() + content.len() + 2 {
            assert_eq!(read(TYPE, &body[..end]), None, "cut at {end}");
        }
        for wrong in [
            "",
            "application/wasm",
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "text/plain; boundary=----x",
        ] {
            assert_eq!(read(wrong, &body), None, "{wrong}");
        }
    }
}
