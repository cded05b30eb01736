//! What a night would do.

use std::env;

use super::request::NightRequest;
use super::webhook::{AUTHORIZATION, URL};
use crate::app::chain::chain_of_new_run;
use crate::app::contracts::contract_set;
use crate::app::error::Error;
use crate::app::session::Session;
use crate::app::tables::object;
use crate::history::{Access, History, HistoryError};
use crate::host::Host;
use crate::params::ParamTable;

/// What a night would find now.
#[derive(Debug)]
pub struct Foreseen {
    /// The machine.
    pub host: Host,
    /// The table in force, if there is one.
    pub in_force: Option<ParamTable>,
    /// How many runs the history holds, `None` if it would be made, or why it cannot be used.
    pub history: Result<Option<u64>, HistoryError>,
    /// The POST that alerts would be told by, if the environment names an address.
    pub post: Option<Post>,
}

/// Alerts would be posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Post {
    /// The variable that names the address.
    pub address: &'static str,
    /// Whether there would be a header `Authorization`.
    pub authorized: bool,
}

/// Looks what a night would find, and changes nothing.
///
/// # Errors
/// The contracts, the chain settings or the table in force are not there, or cannot be read.
pub fn foresee(request: &NightRequest, session: &Session<'_>) -> Result<Foreseen, Error> {
    let (chain, _) = chain_of_new_run(request.plan.chain.as_deref())?;
    contract_set(request.plan.contracts.as_deref(), &chain)?;
    let in_force = request.params.as_deref().map(ParamTable::load).transpose()?;
    if let (Some(file), Some(table)) = (&request.params, &in_force) {
        object(&file.display().to_string(), table, session);
    }
    let history = match History::open(&request.history, Access::Read).and_then(|history| history.count()) {
        Err(HistoryError::Missing { .. }) => Ok(None),
        other => other.map(Some),
    };
    let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let post = set(URL).then(|| Post { address: URL, authorized: set(AUTHORIZATION) });
    Ok(Foreseen { host: Host::here(), in_force, history, post })
}
