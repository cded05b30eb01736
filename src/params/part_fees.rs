use serde::{Serialize, Serializer};

use crate::units::Gas;

/// What a contract pays for by tables of their own, each part by the name of its experiment; `None` where it cannot be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartFees(pub Vec<(&'static str, Option<Gas>)>);

/// One text, as a row has as many columns as the one before: `load=1560000 load-kept=84000`.
impl Serialize for PartFees {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = |(name, fee): &(&str, Option<Gas>)| {
            format!("{name}={}", fee.map_or_else(String::new, |fee| fee.0.to_string()))
        };
        serializer.serialize_str(&self.0.iter().map(part).collect::<Vec<_>>().join(" "))
    }
}
