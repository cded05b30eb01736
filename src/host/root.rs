//! Small kernel files, relative to a root.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// More than any file here needs. A cap keeps a stray large file under a copied root from filling the memory.
const LONGEST: u64 = 1 << 20;

/// The folder that stands for `/`.
#[derive(Clone, Copy)]
pub(super) struct Root<'a>(pub &'a Path);

impl Root<'_> {
    /// The path of `file`, which is absolute as on the machine itself.
    pub fn path(self, file: &str) -> PathBuf {
        self.0.join(file.trim_start_matches('/'))
    }

    /// The text of a file without the blanks around it. Bytes that are not UTF-8 are replaced.
    pub fn text(self, file: &str) -> Option<String> {
        let path = self.path(file);
        // Opening a pipe or a terminal under a copied root would block.
        if !path.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// The text of a file that is there and not empty.
    pub fn word(self, file: &str) -> Option<String> {
        self.text(file).filter(|text| !text.is_empty())
    }

    /// A file that holds one value and nothing else.
    pub fn value<T: FromStr>(self, file: &str) -> Option<T> {
        self.text(file)?.parse().ok()
    }

    /// The names in a folder, sorted; `None` if it cannot be read.
    pub fn names(self, folder: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(self.path(folder)).ok()?;
        let mut names: Vec<_> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Some(names)
    }

    /// The value after `key:` in a file of such lines, such as `/proc/meminfo`.
    pub fn field(self, file: &str, key: &str) -> Option<String> {
        field(&self.text(file)?, key).map(str::to_owned)
    }
}

/// The value after `key` and a colon, in the first line that has it.
pub(super) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then_some(value.trim())
    })
}

/// How many CPUs a kernel list names: `0-3,8` is five
/// ([cputopology](https://docs.kernel.org/admin-guide/cputopology.html)).
pub(super) fn count_list(cpus: &str) -> Option<u32> {
    cpus.trim().split(',').try_fold(0u32, |total, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        total.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// A size as `/sys` and `/proc` write it: `48K`, `2M`, `24684092 kB`.
pub(super) fn kernel_size(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let factor = match text[digits..].trim() {
        "" => 1,
        "K" | "kB" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(factor)
}
