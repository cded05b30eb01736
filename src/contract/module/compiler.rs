//! What compiled a module, as far as its bytes tell.

use serde::Serialize;

/// Compilers whose modules are known by what they leave in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Compiler {
    /// `rustc`.
    Rust,
    /// Clang or Emscripten, of C or C++.
    #[serde(rename = "C, C++")]
    C,
    /// `asc`.
    AssemblyScript,
    /// `TinyGo`.
    TinyGo,
}

impl Compiler {
    /// The name used in tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C => "C, C++",
            Self::AssemblyScript => "AssemblyScript",
            Self::TinyGo => "TinyGo",
        }
    }
}

/// What a module says of its compiler, gathered as its sections are read.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Names of the `producers` section, of languages first, then of tools
    /// ([tool conventions](https://github.com/WebAssembly/tool-conventions/blob/main/ProducersSection.md)).
    pub(super) producers: Vec<String>,
    from_names: Option<Compiler>,
    from_data: Option<Compiler>,
}

impl Marks {
    /// Notes an import's module and name.
    pub(super) fn import(&mut self, module: &str, name: &str, params: Option<usize>) {
        if (module, name, params) == ("env", "abort", Some(4)) {
            self.from_names.get_or_insert(Compiler::AssemblyScript);
        } else if module == "gojs" || name.starts_with("tinygo_") {
            self.from_names.get_or_insert(Compiler::TinyGo);
        }
    }

    /// Notes the name of an export.
    pub(super) fn export(&mut self, name: &str) {
        match name {
            "__rtti_base" => _ = self.from_names.get_or_insert(Compiler::AssemblyScript),
            "go_scheduler" => _ = self.from_names.get_or_insert(Compiler::TinyGo),
            _ if name.starts_with("tinygo_") => _ = self.from_names.get_or_insert(Compiler::TinyGo),
            _ => {}
        }
    }

    /// Looks for paths of the standard libraries, which messages of a panic hold. One is enough.
    pub(super) fn data(&mut self, bytes: &[u8]) {
        const RUST: &[u8] = b"/rustc/";
        const ASSEMBLY_SCRIPT: &[u8] = b"~\0l\0i\0b\0/\0";
        if self.from_data.is_some() {
            return;
        }
        let starts = bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'/' | b'~'));
        self.from_data = starts.map(|(at, _)| &bytes[at..]).find_map(|rest| match rest {
            _ if rest.starts_with(RUST) && rest.get(RUST.len()).is_some_and(u8::is_ascii_hexdigit) => {
                Some(Compiler::Rust)
            }
            _ if rest.starts_with(ASSEMBLY_SCRIPT) => Some(Compiler::AssemblyScript),
            _ => None,
        });
    }

    /// What they say together: names that one alone gives count more than producers, since `TinyGo` calls its language C99; and these
    /// more than paths, which a library brings along.
    pub(super) fn compiler(&self) -> Option<Compiler> {
        let tiny_go = self.producers.iter().any(|name| name.contains("TinyGo")).then_some(Compiler::TinyGo);
        let produced = self.producers.iter().find_map(|name| match &**name {
            "Rust" | "rustc" => Some(Compiler::Rust),
            "C" | "clang" | "emscripten" => Some(Compiler::C),
            "AssemblyScript" => Some(Compiler::AssemblyScript),
            _ if is_version_of_c(name) => Some(Compiler::C),
            _ => None,
        });
        tiny_go.or(self.from_names).or(produced).or(self.from_data)
    }
}

/// `C11`, `C_plus_plus_14` and the like, as DWARF calls them.
fn is_version_of_c(name: &str) -> bool {
    name.starts_with("C_plus_plus")
        || name
            .strip_prefix('C')
            .is_some_and(|year| !year.is_empty() && year.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{ConstExpr, DataSection, MemorySection, MemoryType, Module, ProducersField, ProducersSection};

    use super::*;
    use crate::contract::ModuleFacts;

    fn compiler(wat: &str) -> Option<Compiler> {
        ModuleFacts::read(&wat::parse_str(wat).unwrap()).unwrap().compiler
    }

    fn produced(languages: &[&str], tools: &[&str], data: &[u8]) -> Option<Compiler> {
        let mut producers = ProducersSection::new();
        for (name, values) in [("language", languages), ("processed-by", tools)] {
            let mut field = ProducersField::new();
            for value in values {
                field.value(value, "1");
            }
            producers.field(name, &field);
        }
        let mut memories = MemorySection::new();
        let kind = MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None };
        memories.memory(kind);
        let mut segments = DataSection::new();
        segments.active(0, &ConstExpr::i32_const(0), data.iter().copied());
        let mut module = Module::new();
        module.section(&memories).section(&segments).section(&producers);
        ModuleFacts::read(&module.finish()).unwrap().compiler
    }

    #[test]
    fn producers_name_the_compiler_and_what_one_alone_leaves_counts_more() {
        for (languages, tools, expected) in [
            (&["Rust"][..], &["rustc"][..], Some(Compiler::Rust)),
            (&["C11", "Rust"], &["clang", "rustc"], Some(Compiler::C)),
            (&["C_plus_plus_14"], &[], Some(Compiler::C)),
            (&[], &["rustc"], Some(Compiler::Rust)),
            (&["C99"], &["TinyGo"], Some(Compiler::TinyGo)),
            (&["Motoko"], &["moc"], None),
        ] {
            assert_eq!(produced(languages, tools, b""), expected, "{languages:?} {tools:?}");
        }
    }

    #[test]
    fn a_stripped_module_is_known_by_paths_in_its_data() {
        assert_eq!(produced(&[], &[], b"xx/rustc/a55dd71d/library"), Some(Compiler::Rust));
        assert_eq!(produced(&[], &[], b"ab~\0l\0i\0b\0/\0r\0t\0"), Some(Compiler::AssemblyScript));
        assert_eq!(produced(&["C11"], &[], b"/rustc/a55dd71d"), Some(Compiler::C));
        assert_eq!(produced(&[], &[], b"/rustc/ is a folder; ~/lib too"), None);
    }

    #[test]
    fn a_stripped_module_is_known_by_names_that_only_one_gives() {
        let abort = "(module (import \"env\" \"abort\" (func (param i32 i32 i32 i32))))";
        assert_eq!(compiler(abort), Some(Compiler::AssemblyScript));
        assert_eq!(compiler("(module (import \"env\" \"abort\" (func)))"), None);
        assert_eq!(compiler("(module (func (export \"tinygo_unwind\")))"), Some(Compiler::TinyGo));
    }
}
