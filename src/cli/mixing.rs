use clap::Args;

use crate::app;

/// What may be put together that would otherwise be refused.
#[derive(Debug, Clone, Copy, Args)]
pub struct Mixing {
    /// Take runs of different machines together: `fit` fits each apart, and the table is their upper envelope; the others hold them
    /// against each other
    #[arg(long)]
    across_machines: bool,
    /// Put runs of different contract sets together
    #[arg(long)]
    across_contract_sets: bool,
}

impl From<Mixing> for app::Mixing {
    fn from(Mixing { across_machines, across_contract_sets }: Mixing) -> Self {
        Self { across_machines, across_contract_sets }
    }
}
