//! Settings and contracts to begin with.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{Error, system};
use crate::files::{is_taken, make_folder, write_whole};
use crate::params::{Exporter, Preset, ReferenceMachine, Worth};

/// To write settings and contracts to begin with.
#[derive(Debug, Clone)]
pub struct InitRequest {
    /// Whose figures.
    pub preset: Preset,
    /// Keys of the chain file that are set otherwise, with their values.
    pub set: Vec<(String, String)>,
    /// The chain file.
    pub chain: PathBuf,
    /// The folder of the contracts.
    pub contracts: PathBuf,
}

macro_rules! shipped {
    ($($folder:literal / $source:literal),+ $(,)?) => {
        [$(
            (concat!($folder, "/contract.toml"), include_str!(concat!("../../estimator-contracts/", $folder, "/contract.toml"))),
            (concat!($folder, "/", $source), include_str!(concat!("../../estimator-contracts/", $folder, "/", $source))),
        )+]
    };
}

/// The files of the shipped contracts: what the worst case needs.
const CONTRACTS: [(&str, &str); 12] = shipped![
    "touch-memory" / "touch-memory.rs",
    "touch-memory-wat" / "touch-memory.wat",
    "grow-memory" / "grow-memory.rs",
    "grow-memory-wat" / "grow-memory.wat",
    "data-heavy" / "data-heavy.wat",
    "lifelike" / "lifelike.wat",
];

/// A ready module, as a toolchain of one's own makes it: one page, with a stack of 16 KiB.
const READY: (&str, &str) = ("ready-module", include_str!("init/ready-module.toml"));

/// How to add contracts of one's own.
const ABOUT: &str = include_str!("init/README.md");

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    /// Whether the shipped reference machine knows what small calls meet under the chain's strategy: a run that has to find that out
    /// by itself takes longer to be sure.
    pub surcharge_is_known: bool,
    /// The format that the chain reads its table in, if it has one of its own.
    pub format: Option<&'static str>,
    /// What a second is worth, in gas, if an export in that format has to be told.
    pub gas_per_second: Option<u64>,
}

/// Writes the chain file and the contracts, neither over what is there.
///
/// # Errors
/// A value is wrong, one of the two is there already, or they cannot be written.
pub fn init(request: &InitRequest) -> Result<Begun, Error> {
    let text = request.preset.text(&request.set).map_err(|error| Error::Usage(error.to_string()))?;
    // Some chains have values that are still to be filled in.
    let settings = request.preset.settings(&request.set).ok();
    let strategy = settings.as_ref().map(|chain| &chain.strategy);
    for place in [&request.chain, &request.contracts] {
        if is_taken(place) {
            return Err(Error::Usage(format!("{} is there already, and nothing is written over it", place.display())));
        }
    }
    if let Some(folder) = request.chain.parent() {
        make_folder(folder).map_err(system(format!("cannot make {}", folder.display())))?;
    }
    write_contracts(&request.contracts)?;
    write_whole(&request.chain, text.as_bytes())
        .inspect_err(|_| {
            // Otherwise it would be in the way of the next try.
            let _ = fs::remove_dir_all(&request.contracts);
        })
        .map_err(system(format!("cannot write {}", request.chain.display())))?;
    let reference = ReferenceMachine::parse(ReferenceMachine::DEFAULT_TEXT, Path::new("reference.toml"));
    let surcharge_is_known =
        reference.is_ok_and(|of| of.surcharges.iter().any(|known| Some(&known.strategy) == strategy));
    let exporter = Exporter::find(&request.preset.to_string());
    let asks = exporter.is_some_and(|exporter| exporter.worth == Worth::Asked);
    let gas_per_second = settings.filter(|_| asks).map(|chain| chain.gas_per_second);
    Ok(Begun { surcharge_is_known, format: exporter.map(|exporter| exporter.name), gas_per_second })
}

/// The folder appears with all that is in it or not at all.
fn write_contracts(folder: &Path) -> Result<(), Error> {
    let failed = || system(format!("cannot write {}", folder.display()));
    let parent = folder.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    make_folder(parent).map_err(failed())?;
    let draft = tempfile::Builder::new().prefix(".init").tempdir_in(parent).map_err(failed())?;
    let whole = draft.path().join("new");
    let (ready, manifest) = READY;
    let others =
        [("README.md".to_owned(), ABOUT.as_bytes().to_vec()), (format!("{ready}/contract.toml"), manifest.into())];
    let module = (format!("{ready}/{ready}.wasm"), ready_module()?);
    let shipped = CONTRACTS.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    for (name, bytes) in shipped.into_iter().chain(others).chain([module]) {
        let file = whole.join(name);
        if let Some(folder) = file.parent() {
            make_folder(folder).map_err(failed())?;
        }
        fs::write(&file, bytes).map_err(failed())?;
    }
    fs::rename(&whole, folder).map_err(failed())
}

fn ready_module() -> Result<Vec<u8>, Error> {
    let text = include_str!("../../estimator-contracts/touch-memory-wat/touch-memory.wat");
    let text = text.replace("{initial_pages}", "1").replace("{stack_bytes}", "16384");
    wat::parse_str(text).map_err(|error| Error::Failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contract that is shipped is one to begin with.
    #[test]
    fn every_shipped_contract_is_written() {
        let names = |folder: &Path| {
            let mut names: Vec<String> = walkdir::WalkDir::new(folder)
                .into_iter()
                .map(|entry| entry.unwrap())
                .filter(|entry| entry.file_type().is_file())
                .map(|entry| entry.path().strip_prefix(folder).unwrap().display().to_string())
                .collect();
            names.sort();
            names
        };
        let folder = tempfile::tempdir().unwrap();
        let contracts = folder.path().join("a/contracts");
        write_contracts(&contracts).unwrap();
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("estimator-contracts");
        let mut all = names(&shipped);
        all.extend(["README.md", "ready-module/contract.toml", "ready-module/ready-module.wasm"].map(str::to_owned));
        all.sort();
        assert_eq!(names(&contracts), all);
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 1, "nothing else is left");
    }
}
