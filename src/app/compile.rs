use std::path::PathBuf;

use super::chain::chain_of_new_run;
use super::contracts::gather;
use super::error::Error;
use super::session::Session;
use crate::contract::{Compilation, write_artifacts};

/// To compile contracts into a folder that a run takes on a machine without a Rust toolchain.
///
/// ```
/// use estimator::app::{CompileRequest, Session, compile};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// # let folder = tempfile::tempdir()?;
/// # let (contracts, out) = (folder.path().join("contracts"), folder.path().join("artifacts"));
/// # std::fs::create_dir_all(contracts.join("touch"))?;
/// # for file in ["contract.toml", "touch-memory.wat"] {
/// #     std::fs::copy(format!("estimator-contracts/touch-memory-wat/{file}"), contracts.join("touch").join(file))?;
/// # }
/// let request = CompileRequest { contracts: Some(contracts), ..CompileRequest::new(out) };
/// let compilation = compile(&request, &Session::new())?;
/// println!("{} modules", compilation.artifacts.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileRequest {
    /// Folder of contracts; `None` for `estimator-contracts` if it is there, otherwise the built-in ones.
    pub contracts: Option<PathBuf>,
    /// Whether Rust contracts that cannot be compiled are an error, rather than left out.
    pub require_toolchain: bool,
    /// Chain settings, whose limits the contracts keep to; `None` for `params/chain.toml` if it is there, otherwise NEAR's.
    pub chain: Option<PathBuf>,
    /// Folder to write. It appears whole or not at all.
    pub out: PathBuf,
}

impl CompileRequest {
    /// The usual contracts into this folder.
    #[must_use]
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self { contracts: None, require_toolchain: false, chain: None, out: out.into() }
    }
}

/// Compiles contracts and writes them.
///
/// # Errors
/// A contract is at fault, nothing is left to compile, or the folder cannot be written.
pub fn compile(request: &CompileRequest, session: &Session<'_>) -> Result<Compilation, Error> {
    let (chain, _) = chain_of_new_run(request.chain.as_deref())?;
    let compilation = gather(request.contracts.as_deref(), request.require_toolchain, &chain, session)?;
    write_artifacts(&request.out, &compilation.artifacts)?;
    Ok(compilation)
}
