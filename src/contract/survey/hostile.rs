//! Many modules that nobody wrote. None may cost more than an error with a byte offset.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use wasm_smith::{Config, Module};

use super::{SurveyRow, Surveyed};
use crate::contract::corpus::CorpusError;
use crate::contract::{FactsError, ModuleFacts, deploy_levels, expose, load_levels};

/// Survey a module as the command does; on failure the message.
fn survey(wasm: &[u8]) -> Result<SurveyRow, String> {
    let facts = ModuleFacts::read_valid(wasm).map_err(|error| {
        let said = error.to_string();
        assert!(said.contains("at byte"), "{said}");
        let error = CorpusError::Facts { path: "a.wasm".into(), source: error };
        SurveyRow::of_error("a.wasm".into(), &error).error.unwrap_or_default()
    })?;
    for levels in [load_levels(wasm), deploy_levels(wasm)] {
        let is_said = matches!(&levels, Ok(_) | Err(FactsError::Unpriced(_)));
        assert!(is_said, "what is valid is counted or refused: {levels:?}");
    }
    expose(wasm, &facts).map_err(|error: FactsError| error.to_string())?;
    Ok(SurveyRow::from(&Surveyed::new("a.wasm".into(), wasm, facts)))
}

/// Modules from this seed: `ESTIMATOR_SMITH` asks for more than the usual few.
#[test]
fn generated_modules_are_described() {
    let count = std::env::var("ESTIMATOR_SMITH").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut described = 0;
    for _ in 0..count {
        let mut bytes = vec![0; random.random_range(16..2048)];
        random.fill_bytes(&mut bytes);
        let mut input = arbitrary::Unstructured::new(&bytes);
        let config = Config {
            max_memories: 3,
            memory64_enabled: true,
            threads_enabled: true,
            custom_page_sizes_enabled: true,
            ..Config::default()
        };
        let Ok(module) = Module::new(config, &mut input) else { continue };
        let wasm = module.to_bytes();
        let whole = survey(&wasm);
        described += usize::from(whole.is_ok());
        // The same module cut, and with a byte changed.
        let at = random.random_range(0..wasm.len());
        let _ = survey(&wasm[..at]);
        let mut changed = wasm.clone();
        changed[at] = random.random();
        let _ = survey(&changed);
    }
    // Of the others most have pages of another size, or more pages than 32 bits count.
    assert!(described * 10 > count * 7, "{described} of {count}");
}

/// Ten modules of the folder that `ESTIMATOR_CORPUS` names, cut at every 97th byte. Without it, one of the tests' own.
#[test]
fn truncations_are_errors_with_their_byte_or_whole_modules() {
    let own = wat::parse_str(super::tests::DEFAULT).unwrap();
    let mut modules = vec![own];
    if let Some(folder) = std::env::var_os("ESTIMATOR_CORPUS") {
        let folders = [folder.into()];
        let files = crate::contract::corpus::Walk::new(&folders, std::io::empty())
            .map(|found| std::fs::read(found.unwrap().path).unwrap());
        modules.extend(files.filter(|wasm| wasm.len() < 400_000).step_by(5).take(10));
        assert_eq!(modules.len(), 11);
    }
    for wasm in &modules {
        for end in (0..wasm.len()).step_by(if wasm.len() < 1000 { 1 } else { 97 }) {
            // A cut before the last sections can leave a module that is whole, such as one without its names.
            if let Err(said) = survey(&wasm[..end]) {
                assert!(said.contains("at byte"), "{end}: {said}");
            }
        }
    }
}
