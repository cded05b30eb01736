use clap::ValueEnum;

/// How a result is shown on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Human,
    Markdown,
    Json,
}

/// The same where Markdown would serve nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShortFormat {
    Human,
    Json,
}
