//! A module whose memories can all be reached from outside, so that a host can touch what the contract hides.

use wasm_encoder::{ExportKind, ExportSection, Module, RawSection, SectionId};
use wasmparser::{Encoding, ExternalKind, Parser, Payload};

use super::facts::{FactsError, ModuleFacts};

/// The export that [`expose`] gives to the memory of this index.
#[must_use]
pub fn memory_export(index: u32) -> String {
    format!("estimator:memory:{index}")
}

/// The module with an export of each of its memories more, under [`memory_export`]'s names. All other sections keep their bytes.
///
/// # Errors
/// [`FactsError`] as for [`ModuleFacts::read`].
pub fn expose(wasm: &[u8], facts: &ModuleFacts) -> Result<Vec<u8>, FactsError> {
    let mut module = Module::new();
    let mut exports = Some(ExportSection::new());
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        match &payload {
            Payload::Version { encoding: Encoding::Component, range, .. } => {
                return Err(FactsError::Component { offset: range.start });
            }
            Payload::ExportSection(section) => {
                if let Some(exports) = &mut exports {
                    for export in section.clone() {
                        let export = export?;
                        exports.export(export.name, kind(export.kind), export.index);
                    }
                }
            }
            _ => {}
        }
        let Some((id, range)) = payload.as_section() else { continue };
        let after_exports = id == u8::from(SectionId::Export) || comes_after(id);
        if after_exports && let Some(exports) = exports.take() {
            module.section(&with_memories(exports, facts));
        }
        if id != u8::from(SectionId::Export) {
            module.section(&RawSection { id, data: &wasm[range] });
        }
    }
    if let Some(exports) = exports {
        module.section(&with_memories(exports, facts));
    }
    Ok(module.finish())
}

/// Whether a section of this kind comes after the exports
/// ([core specification](https://webassembly.github.io/spec/core/binary/modules.html)).
fn comes_after(id: u8) -> bool {
    [SectionId::Start, SectionId::Element, SectionId::DataCount, SectionId::Code, SectionId::Data]
        .into_iter()
        .any(|after| u8::from(after) == id)
}

fn with_memories(mut exports: ExportSection, facts: &ModuleFacts) -> ExportSection {
    for index in 0..facts.memories {
        exports.export(&memory_export(index), ExportKind::Memory, index);
    }
    exports
}

const fn kind(kind: ExternalKind) -> ExportKind {
    match kind {
        ExternalKind::Func | ExternalKind::FuncExact => ExportKind::Func,
        ExternalKind::Table => ExportKind::Table,
        ExternalKind::Memory => ExportKind::Memory,
        ExternalKind::Global => ExportKind::Global,
        ExternalKind::Tag => ExportKind::Tag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_memory_is_exported_and_the_module_stays_as_it_was() {
        for wat in [
            "(module)",
            "(module (memory 1))",
            "(module (import \"a\" \"m\" (memory 1)) (memory 2) (func (export \"f\")) (data (i32.const 0) \"x\"))",
            "(module (func $s) (start $s) (memory 1) (table 1 funcref) (elem (i32.const 0) $s) (data \"p\"))",
        ] {
            let wasm = wat::parse_str(wat).unwrap();
            let facts = ModuleFacts::read_valid(&wasm).unwrap();
            let exposed = ModuleFacts::read_valid(&expose(&wasm, &facts).unwrap()).unwrap();
            assert_eq!(exposed, facts, "{wat}");
        }
        let hidden = wat::parse_str("(module (memory 1) (memory 2))").unwrap();
        let exposed = expose(&hidden, &ModuleFacts::read(&hidden).unwrap()).unwrap();
        let text = String::from_utf8_lossy(&exposed).into_owned();
        assert!(text.contains("estimator:memory:0") && text.contains("estimator:memory:1"));
    }
}
