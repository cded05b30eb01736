//! Files that are no WebAssembly module, known by how they begin, each with the way to the module.

use std::path::Path;

/// What a file is in place of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign {
    /// The format, with its article.
    pub what: &'static str,
    /// How to come by the module.
    pub way_out: &'static str,
}

/// The beginnings of files of other kinds.
const MAGIC: [(&[u8], Foreign); 19] = [
    // sp-maybe-compressed-blob of polkadot-sdk: this prefix, then a zstd stream.
    (
        b"\x52\xbc\x53\x76\x46\xdb\x8e\x05",
        Foreign::new("a Substrate runtime, compressed by zstd", "unpack it: tail -c +9 FILE | zstd -d -o runtime.wasm"),
    ),
    (b"\x28\xb5\x2f\xfd", Foreign::new("compressed by zstd", "unpack it: zstd -d FILE")),
    (b"\x1f\x8b", Foreign::new("compressed by gzip", "unpack it: gunzip FILE")),
    (b"\xfd7zXZ\0", Foreign::new("compressed by xz", "unpack it: unxz FILE")),
    (b"BZh", Foreign::new("compressed by bzip2", "unpack it: bunzip2 FILE")),
    (b"\x04\x22\x4d\x18", Foreign::new("compressed by lz4", "unpack it: lz4 -d FILE")),
    (b"PK\x03\x04", Foreign::new("a zip archive", "unpack it: unzip FILE")),
    (b"\xef\xf0\x00", Foreign::new("a Stylus program as it is deployed", "give the module that cargo stylus built")),
    (b"\x7fELF", Foreign::new("an ELF file, native code", "build it with --target wasm32-unknown-unknown")),
    (b"\xcf\xfa\xed\xfe", Foreign::new("a Mach-O file, native code", "build it with --target wasm32-unknown-unknown")),
    (b"MZ", Foreign::new("a program for Windows", "build it with --target wasm32-unknown-unknown")),
    (b"!<arch>\n", Foreign::new("a library archive", "link it as a cdylib")),
    (b"BC\xc0\xde", Foreign::new("LLVM bitcode", "link it without --emit=llvm-bc")),
    (b"PVM\0", Foreign::new("a PolkaVM program", "build the contract for Wasm")),
    (
        b"version https://git-lfs.github.com/spec/",
        Foreign::new("a pointer of Git LFS, not the file", "fetch the file: git lfs pull"),
    ),
    (b"/annex/objects/", Foreign::new("a pointer of git-annex, not the file", "fetch the file: git annex get FILE")),
    (b"0x0061736d", Foreign::new("a module in hexadecimal digits", "decode it: xxd -r -p FILE > contract.wasm")),
    (b"0061736d", Foreign::new("a module in hexadecimal digits", "decode it: xxd -r -p FILE > contract.wasm")),
    (b"AGFzb", Foreign::new("a module in base64", "decode it: base64 -d FILE > contract.wasm")),
];

/// The beginnings of text after white space, in small letters.
const TEXT: [(&str, Foreign); 10] = [
    ("<!doctype html", HTML),
    ("<html", HTML),
    ("<", Foreign::new("an XML document", "it may be the error of a download: fetch the file again")),
    ("{", Foreign::new("JSON text", "it may be the answer of a service: take the module out of it")),
    ("[", Foreign::new("JSON text", "it may be the answer of a service: take the module out of it")),
    ("(component", MODULE_AS_TEXT),
    ("(module", MODULE_AS_TEXT),
    ("(;", MODULE_AS_TEXT),
    (";;", MODULE_AS_TEXT),
    (
        "../",
        Foreign::new("the target of a link, not the file", "check the links out as links, or give the file itself"),
    ),
];

const HTML: Foreign = Foreign::new("an HTML page", "it is what a site shows of the file: download the file itself");
const MODULE_AS_TEXT: Foreign =
    Foreign::new("a module in its text form", "translate it: wasm-tools parse FILE -o contract.wasm");

/// Where a tar archive says that it is one.
const TAR: (usize, &[u8]) = (257, b"ustar");

impl Foreign {
    const fn new(what: &'static str, way_out: &'static str) -> Self {
        Self { what, way_out }
    }

    /// What `bytes` are; `None` if they begin as a module does, or as nothing that is known here.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::new("an empty file", "fetch or build it again"));
        }
        if let Some((_, found)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
            return Some(*found);
        }
        if bytes.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)) {
            return Some(Self::new("a tar archive", "unpack it: tar -xf FILE"));
        }
        Self::of_text(bytes)
    }

    /// What a file is in which a source is expected: no text, or text that only stands for the file.
    #[must_use]
    pub fn in_place_of_source(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\0asm") {
            return Some(Self::new("a binary module", "name it .wasm, in the manifest too"));
        }
        Self::of(bytes).filter(|found| *found == HTML || MAGIC.iter().any(|(_, magic)| magic == found))
    }

    fn of_text(bytes: &[u8]) -> Option<Self> {
        // Of a long file the beginning is enough, which may end within a character.
        let head = &bytes[..bytes.len().min(512)];
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).ok()?,
            Err(_) => return None,
        };
        let is_text = |c: char| !c.is_control() || c.is_whitespace();
        if !text.chars().all(is_text) {
            return None;
        }
        let begins = text.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
        let found = TEXT.iter().find(|(beginning, _)| begins.starts_with(beginning));
        Some(found.map_or(Self::new("text", "give the compiled module"), |(_, found)| *found))
    }
}

/// Where a link leads to nothing: said in place of the system's word that there is no such file, with the way out.
#[must_use]
pub fn dangling(path: &Path) -> Option<String> {
    let target = path.read_link().ok().filter(|_| !path.exists())?;
    let is_annexed = target.components().any(|part| part.as_os_str() == "annex");
    let way_out = if is_annexed { ": fetch the file with git annex get" } else { "" };
    Some(format!("it is a link to {}, where nothing is{way_out}", target.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_kinds_are_known_by_how_they_begin() {
        for (bytes, expected) in [
            (&b""[..], "empty"),
            (b"\x52\xbc\x53\x76\x46\xdb\x8e\x05\x28\xb5\x2f\xfd", "Substrate runtime"),
            (b"\x28\xb5\x2f\xfd\0", "zstd"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "Git LFS"),
            (b"/annex/objects/SHA256E-s5--0.wasm\n", "git-annex"),
            (b"\n<!DOCTYPE html>\n<html>", "HTML"),
            (b"<?xml version=\"1.0\"?><Error>", "XML"),
            (b"{\"message\": \"Not Found\"}", "JSON"),
            (b"\xef\xbb\xbf  (module)", "text form"),
            (b";; a comment", "text form"),
            (b"\x7fELF\x02", "ELF"),
            (b"Not found", "text"),
            ("é".repeat(300).as_bytes(), "text"),
        ] {
            let found = Foreign::of(bytes).unwrap_or_else(|| panic!("{expected}"));
            assert!(found.what.contains(expected), "{found:?}");
        }
        assert_eq!(Foreign::of(b"\0asm\x01\0\0\0"), None);
        assert_eq!(Foreign::of(b"\0as"), None, "cut, and said so by the parser");
        assert_eq!(Foreign::of(&[0xff; 600]), None, "nothing that is known");
        let mut tar = vec![b'a'; 512];
        tar[257..262].copy_from_slice(b"ustar");
        assert!(Foreign::of(&tar).unwrap().what.contains("tar"));
    }

    #[test]
    fn a_source_is_text_of_any_kind() {
        for source in ["", "(module)", "fn main() {}", "{", "Not found"] {
            assert_eq!(Foreign::in_place_of_source(source.as_bytes()), None, "{source}");
        }
        for other in ["version https://git-lfs.github.com/spec/v1\n", "<html>", "\0asm"] {
            assert!(Foreign::in_place_of_source(other.as_bytes()).is_some(), "{other}");
        }
    }
}
