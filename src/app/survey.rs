use std::io::BufRead;
use std::path::PathBuf;

use super::corpus::Contracts;
use super::session::Session;
use crate::contract::survey::{SurveyRow, SurveyTotals};

/// What contracts declare, a row for each as it is asked for, also for what leads to no contract. No code of a contract runs.
///
/// ```
/// use estimator::app::{Session, Survey};
///
/// let (paths, session) = (vec!["tests/data".into()], Session::new());
/// let mut survey = Survey::new(&paths, std::io::empty(), &session);
/// for row in &mut survey {
///     println!("{}: {:?} pages", row.file, row.declared_pages);
/// }
/// println!("{} contracts", survey.totals().contracts);
/// ```
pub struct Survey<'a> {
    contracts: Contracts<'a>,
    totals: SurveyTotals,
}

impl<'a> Survey<'a> {
    /// Of the contracts that the paths lead to (see [`Walk`](crate::contract::corpus::Walk)); `list` is what `-` reads.
    pub fn new(paths: &'a [PathBuf], list: impl BufRead + 'a, session: &'a Session<'a>) -> Self {
        Self { contracts: Contracts::new(paths, list, session), totals: SurveyTotals::default() }
    }

    /// The rows so far in figures.
    #[must_use]
    pub const fn totals(&self) -> &SurveyTotals {
        &self.totals
    }
}

impl Iterator for Survey<'_> {
    type Item = SurveyRow;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.contracts.next()? {
            Ok(contract) => {
                self.totals.add(&contract);
                SurveyRow::from(&contract)
            }
            Err((name, error)) => {
                self.totals.add_failed(&error);
                SurveyRow::of_error(name, &error)
            }
        })
    }
}
