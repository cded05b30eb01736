use std::path::PathBuf;

/// Why a file of a format cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionedError {
    /// It is of a later format than this version reads.
    #[error("{} has format {found}, this version reads format {known}: use a newer estimator", file.display())]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: i64,
        /// The newest that is read.
        known: i64,
    },
    /// It is of an earlier format than this version reads.
    #[error("{} has format {found}, this version reads formats from {known} on: {way_out}", file.display())]
    Older {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: i64,
        /// The oldest that is read.
        known: i64,
        /// What to do.
        way_out: &'static str,
    },
    /// It breaks the format at one place.
    #[error("{}:{line}:{column}: {}{reason}", file.display(), key.as_ref().map(|key| format!("`{key}`: ")).unwrap_or_default())]
    Fault {
        /// The file.
        file: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// The offending key with the sections it is in, unless the text is not TOML at all.
        key: Option<String>,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// It has so many faults that not all were looked for.
    #[error("{}: there may be more: mend these first", file.display())]
    More {
        /// The file.
        file: PathBuf,
    },
    /// It breaks the format at several places.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<Self>),
}

/// The key that is missing, by what serde says.
pub(super) fn missing(reason: &str) -> Option<&str> {
    reason.strip_prefix("missing field `")?.split('`').next()
}

impl VersionedError {
    /// Whether the file and this version do not go together.
    #[must_use]
    pub const fn is_other_format(&self) -> bool {
        matches!(self, Self::Newer { .. } | Self::Older { .. })
    }

    /// Why the file breaks its format, in a line; `None` if it does not.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Fault { reason, .. } => Some(reason.clone()),
            Self::Several(all) => Some(all.iter().filter_map(Self::reason).collect::<Vec<_>>().join("; ")),
            _ => None,
        }
    }

    /// The key of a fault, that which is missing too.
    pub(super) fn key(&self) -> Option<String> {
        let Self::Fault { key, reason, .. } = self else { return None };
        let parts: Vec<&str> = key.as_deref().into_iter().chain(missing(reason)).collect();
        (!parts.is_empty()).then(|| parts.join("."))
    }

    /// Where a fault is.
    pub(super) const fn line_and_column(&self) -> (usize, usize) {
        if let Self::Fault { line, column, .. } = self { (*line, *column) } else { (0, 0) }
    }
}
