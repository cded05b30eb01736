//! Measures what initializing and resetting a Wasm contract's memory costs, and proposes the fee.
//!
//! Programs begin with [`app`]: a request for each thing that can be asked, carried out in a session, with a typed result.
//!
//! ```
//! use estimator::app::{ReportRequest, Reported, Session, report};
//!
//! # fn main() -> Result<(), estimator::app::Error> {
//! if let Reported::One(analysis) = report(&ReportRequest::new("tests/data/run"), &Session::new())? {
//!     println!("{}", analysis.markdown());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! What a request needs and gives is in the modules below it, a pipeline: `text`, `files`, `units`, `versioned`; `experiment`;
//! `contract`; `runtime`; `host`; `measure`; `model`; `params`; `history`; `report`; `app`; `serve`; `cli`. Each uses only those before it.

#![cfg_attr(
    not(all(feature = "measure", feature = "serve")),
    allow(dead_code, unused_imports, reason = "modules of every build have helpers for what measures and serves")
)]

#[cfg(all(feature = "measure", not(target_os = "linux")))]
compile_error!("what measures needs Linux: build with --no-default-features");

#[cfg(all(feature = "serve", not(unix)))]
compile_error!("the service needs Linux or macOS: build with --no-default-features");

/// A list whose entries are files of a folder: declares the files and refers to what each defines, so that another one is a file and a
/// line. What a file defines beside its first is added: `file::FIRST + SECOND`.
macro_rules! listed {
    (
        $(#[$about:meta])* $visible:vis static $list:ident: $entry:ty =
            $($seen:vis $file:ident::$item:ident $(+ $more:ident)*),+ $(,)?
    ) => {
        $($seen mod $file;)+

        $(#[$about])*
        $visible static $list: [$entry; [$(stringify!($item) $(, stringify!($more))*),+].len()] =
            [$(&$file::$item $(, &$file::$more)*),+];
    };
}

/// Modules and names that a build without the feature `measure` does not have.
macro_rules! with_measure {
    ($($item:item)+) => {
        $(#[cfg(feature = "measure")] $item)+
    };
}

#[cfg(all(test, feature = "measure"))]
#[global_allocator]
static ALLOCATOR: measure::CountingAllocator = measure::CountingAllocator;

pub mod files;
pub mod text;
pub mod units;
pub mod versioned;

pub mod experiment;

pub mod contract;
pub mod runtime;

pub mod history;
pub mod host;
pub mod measure;
pub mod model;
pub mod params;
pub mod report;

pub mod app;

#[cfg(feature = "serve")]
pub mod serve;

pub mod cli;
