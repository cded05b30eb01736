use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Gas;

/// The largest whole number below which no reader of JSON rounds: 2^53 − 1, as many keep numbers in 64-bit floats
/// ([RFC 7493](https://www.rfc-editor.org/rfc/rfc7493#section-2.2)).
const EXACT_MAX: u64 = (1 << 53) - 1;

/// A whole number that readers of JSON get exactly: a number up to 2^53 − 1, and beyond that its digits as a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact(pub u64);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 <= EXACT_MAX { serializer.serialize_u64(self.0) } else { serializer.collect_str(&self.0) }
    }
}

impl Serialize for Gas {
    /// As [`Exact`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Exact(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Gas {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "an amount of gas: a whole number, or its digits as a text")]
        enum Raw {
            Number(u64),
            Text(String),
        }
        match Raw::deserialize(deserializer)? {
            Raw::Number(gas) => Ok(Self(gas)),
            Raw::Text(digits) => digits.parse().map(Self).map_err(serde::de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gas_beyond_what_a_json_number_holds_is_a_text() {
        for (gas, text) in [
            (0, "0"),
            (9_007_199_254_740_991, "9007199254740991"),
            (9_007_199_254_740_992, "\"9007199254740992\""),
            (u64::MAX, "\"18446744073709551615\""),
        ] {
            assert_eq!(serde_json::to_string(&Gas(gas)).unwrap(), text);
            assert_eq!(serde_json::from_str::<Gas>(text).unwrap(), Gas(gas));
        }
        assert!(serde_json::from_str::<Gas>("\"much\"").is_err());
        assert_eq!(serde_json::from_str::<Gas>("9007199254740993").unwrap(), Gas(9_007_199_254_740_993));
    }
}
