use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::analysis::Analysis;
use super::chain::{chain_of_run, load_chain};
use super::error::Error;
use super::filter::Filter;
use super::in_force::TableInForce;
use super::mixing::Mixing;
use super::overrides::Overrides;
use super::reference::{load_reference, reference_of_run};
use super::session::Session;
use super::stored::{machine_class, run_folder};
use super::workload::NamedWorkload;
use crate::files::check_place;
use crate::measure::RunFolder;
use crate::params::{LEFT_OUT, ParamTable, envelope};

/// To fit the model and write the table again from stored samples, without measuring.
///
/// ```
/// use estimator::app::{FitRequest, Fitted, Session, fit};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// # let folder = tempfile::tempdir()?;
/// # let run = folder.path().join("run");
/// # std::fs::create_dir(&run)?;
/// # for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"] {
/// #     std::fs::copy(format!("tests/data/run/{file}"), run.join(file))?;
/// # }
/// let request = FitRequest { runs: vec![run], params: folder.path().join("proposed.toml"), ..FitRequest::default() };
/// let Fitted::Together(analysis) = fit(&request, &Session::new())? else { unreachable!("there is one run") };
/// match analysis.table() {
///     Some(table) => println!("a page: {} gas", table.params["memory_init_per_page"].gas),
///     None => println!("rejected: {:?}", analysis.fit().rejected),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FitRequest {
    /// Folders of runs, at least one: those of one machine, or shards of one plan, are put together.
    pub runs: Vec<PathBuf>,
    /// Other chain settings than those that the runs were made with.
    pub chain: Option<PathBuf>,
    /// Another reference machine than the one that the runs were planned with.
    pub reference: Option<PathBuf>,
    /// Folder for what follows from several runs; what follows from one goes into its own.
    pub out: PathBuf,
    /// What may be put together.
    pub mixing: Mixing,
    /// Whether an envelope goes without the machines whose fit was rejected or is too noisy to sign; it then says so.
    pub without_rejected: bool,
    /// The table to write.
    pub params: PathBuf,
    /// The table in force that the proposal is held against; `None` for the one that the runs keep.
    pub current: Option<PathBuf>,
    /// Another mix of calls to compare strategies for than the one that the runs keep.
    pub workload: Option<PathBuf>,
    /// The points that are fitted, to look at; `None` for all, of which alone anything is written.
    pub filter: Option<Filter>,
}

impl Default for FitRequest {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            chain: None,
            reference: None,
            out: "reports/merged".into(),
            mixing: Mixing::default(),
            without_rejected: false,
            params: "params/proposed.toml".into(),
            current: None,
            workload: None,
            filter: None,
        }
    }
}

/// What came of a [`FitRequest`].
#[derive(Debug)]
pub enum Fitted {
    /// Of runs of one machine.
    Together(Box<Analysis>),
    /// Of several machines, each by itself.
    Apart {
        /// A machine each, written into a folder of its own. If one was rejected or is too noisy to sign it is the last, and those after it
        /// were left out.
        analyses: Vec<Analysis>,
        /// Their upper envelope, which was written; `None` if one was rejected or is too noisy.
        table: Option<Box<ParamTable>>,
    },
}

/// Fits stored runs, and writes the table, the reports and the fit.
///
/// # Errors
/// Runs do not go together, a file is missing, broken or cannot be written, or the samples allow no statistics. A fit that must not
/// be used is no error.
pub fn fit(request: &FitRequest, session: &Session<'_>) -> Result<Fitted, Error> {
    check_place(&request.params).map_err(Error::Usage)?;
    let runs: Vec<RunFolder> = request.runs.iter().map(|run| run_folder(run)).collect::<Result<_, _>>()?;
    let current = request.current.as_deref().map(TableInForce::named).transpose()?;
    let chain = request.chain.as_deref().map(load_chain).transpose()?.map(|(chain, _)| chain);
    let reference = request.reference.as_deref().map(load_reference).transpose()?.map(|(reference, _)| reference);
    let workload = request.workload.as_deref().map(NamedWorkload::named).transpose()?;
    let with = Overrides { chain, reference, current, workload, filter: request.filter.clone() };
    if let [run] = &runs[..] {
        let analysis = Analysis::of_run(run.clone(), with, session)?;
        return together(analysis, request, session);
    }
    let machines = by_machine(runs, &with, request.mixing)?;
    if let [runs] = &machines.values().collect::<Vec<_>>()[..] {
        let analysis = Analysis::of_runs(RunFolder::at(&request.out), runs, with, session)?;
        return together(analysis, request, session);
    }
    if request.filter.is_some() {
        return Err(Error::Usage(
            "some points of several machines make no envelope: leave --filter out, or name runs of one".into(),
        ));
    }
    let mut analyses = Vec::new();
    for (class, runs) in &machines {
        let folder = RunFolder::at(request.out.join(class));
        analyses.push(Analysis::of_runs(folder, runs, with.clone(), session)?);
    }
    apart(analyses, request, session)
}

fn together(analysis: Analysis, request: &FitRequest, session: &Session<'_>) -> Result<Fitted, Error> {
    if request.filter.is_none() {
        analysis.publish(&request.params, session)?;
    }
    Ok(Fitted::Together(Box::new(analysis)))
}

/// Writes the upper envelope of the tables.
fn apart(all: Vec<Analysis>, request: &FitRequest, session: &Session<'_>) -> Result<Fitted, Error> {
    let (mut analyses, mut left_out) = (Vec::new(), Vec::new());
    for analysis in all {
        analysis.write()?;
        let Some(why) = unusable(&analysis) else {
            analyses.push(analysis);
            continue;
        };
        if !request.without_rejected {
            analyses.push(analysis);
            return Ok(Fitted::Apart { analyses, table: None });
        }
        let text = format!("{LEFT_OUT}so that no charge here is held against it: {why}");
        session.warn(&text);
        left_out.push(text);
    }
    let tables: Vec<ParamTable> = analyses.iter().filter_map(Analysis::table).cloned().collect();
    let nothing = || Error::Rejected(format!("no machine is left: {}", left_out.join("; ")));
    let mut table = envelope(&tables).ok_or_else(nothing)?;
    table.provenance.run.notes.extend(left_out);
    table.save(&request.params)?;
    Ok(Fitted::Apart { analyses, table: Some(Box::new(table)) })
}

/// Why the fit of a machine cannot be part of an envelope, if so.
fn unusable(analysis: &Analysis) -> Option<String> {
    let (fit, run) = (analysis.fit(), analysis.run());
    let reasons: Vec<String> = match analysis.table() {
        Some(_) if !analysis.is_unsigned() => return None,
        Some(_) => fit.refused.iter().map(ToString::to_string).collect(),
        None => fit.rejected.iter().map(ToString::to_string).collect(),
    };
    Some(format!("machine {}, run {}: {}", machine_class(run), run.run, reasons.join("; ")))
}

/// The runs of each machine class, having made sure that all go together.
fn by_machine(
    runs: Vec<RunFolder>,
    with: &Overrides,
    mixing: Mixing,
) -> Result<BTreeMap<String, Vec<RunFolder>>, Error> {
    let mut machines: BTreeMap<String, Vec<RunFolder>> = BTreeMap::new();
    let mut names = BTreeSet::new();
    let Some(first_folder) = runs.first() else { return Err(Error::Usage("no run is named".into())) };
    let first = first_folder.read()?;
    let first_chain = with.chain.clone().map_or_else(|| chain_of_run(first_folder), Ok)?;
    let first_reference = with.reference.clone().map_or_else(|| reference_of_run(first_folder), Ok)?;
    for folder in runs {
        let run = folder.read()?;
        if !names.insert(run.run.clone()) {
            return Err(Error::Usage(format!("run {} is named twice: its samples would count twice", run.run)));
        }
        mixing.check(&first, &run)?;
        let apart = |message: &str| Err(Error::Incompatible(format!("{} and {}{message}", first.run, run.run)));
        if first.plan.experiment != run.plan.experiment {
            let [one, other] = [first.plan.experiment, run.plan.experiment].map(|of| of.name);
            return apart(&format!(": one is of the experiment `{one}` and the other of `{other}`: fit them apart"));
        }
        if first.shard.is_some() && run.shard.is_some() && first.plan.seed != run.plan.seed {
            return apart(" are shards of two plans: measure the shares of one plan with one --seed");
        }
        if (first.plan.keep_resident, first.plan.pool_slots) != (run.plan.keep_resident, run.plan.pool_slots) {
            return apart(
                " were measured with other pools each (`keep_resident`, `pool_slots`): measure again with one chain file",
            );
        }
        if with.reference.is_none() && reference_of_run(&folder)? != first_reference {
            return apart(" were planned with other reference machines each: give --reference FILE for both");
        }
        if with.chain.is_none() && !chain_of_run(&folder)?.charges_like(&first_chain) {
            return apart(" were made with other chain settings each: give --chain FILE for both");
        }
        machines.entry(machine_class(&run)).or_default().push(folder);
    }
    Ok(machines)
}
