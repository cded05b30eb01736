//! The bill of one contract whose bytes somebody sent.

use std::borrow::Cow;
use std::io::{self, Read as _};

use flate2::read::MultiGzDecoder;
use serde::Serialize;

use crate::contract::survey::{SurveyRow, Surveyed};
use crate::contract::{FactsError, ModuleFacts};
use crate::params::{Objection, ParamTable, PartFees, PriceRow};
use crate::units::Bytes;

/// What a contract pays for its memory by a table, and what it declares.
///
/// ```
/// use estimator::app::Quote;
/// use estimator::params::ParamTable;
/// use estimator::units::Bytes;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let table = ParamTable::load("tests/data/table.toml".as_ref())?;
/// let wasm = b"\0asm\x01\0\0\0\x05\x03\x01\0\x11"; // a memory of 17 pages and nothing else
/// let quote = Quote::of("contract.wasm", wasm, &table, Bytes(1 << 20))?;
/// println!("{:?} gas a call", quote.price.fee);
/// # assert_eq!(quote.facts.initial_pages, Some(17));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quote {
    /// What it declares.
    pub facts: SurveyRow,
    /// What it pays, what of that is due to the stack, and what smaller stacks would save.
    pub price: PriceRow,
    /// What speaks against the table.
    pub objections: Vec<Objection>,
}

/// Why there is no quote.
#[derive(Debug, thiserror::Error)]
pub enum QuoteError {
    /// More bytes than are taken, perhaps only once they are decompressed.
    #[error("it is larger than {0}, decompressed: `estimator price` has room for more")]
    TooLarge(Bytes),
    /// It begins as gzip does and goes on otherwise.
    #[error("it begins like gzip and cannot be decompressed: {0}")]
    NoGzip(io::Error),
    /// It is no valid module.
    #[error("it is no WebAssembly module: {0}")]
    NoModule(#[from] FactsError),
}

/// The first bytes of gzip ([RFC 1952](https://www.rfc-editor.org/rfc/rfc1952)).
const GZIP: [u8; 2] = [0x1f, 0x8b];

impl Quote {
    /// Prices a module of at most so many bytes, plain or as gzip. It is validated, and none of its code runs.
    ///
    /// # Errors
    /// It is larger, or no module.
    pub fn of(name: &str, bytes: &[u8], table: &ParamTable, most: Bytes) -> Result<Self, QuoteError> {
        let wasm = if bytes.starts_with(&GZIP) { Cow::Owned(decompressed(bytes, most)?) } else { bytes.into() };
        if wasm.len() as u64 > most.0 {
            return Err(QuoteError::TooLarge(most));
        }
        let contract = Surveyed::new(name.into(), &wasm, ModuleFacts::read_valid(&wasm)?);
        Ok(Self {
            facts: SurveyRow::from(&contract),
            price: PriceRow::new(&contract, table, None, PartFees::default()),
            objections: table.objections(),
        })
    }
}

/// No more than one byte beyond `most` is ever held.
fn decompressed(bytes: &[u8], most: Bytes) -> Result<Vec<u8>, QuoteError> {
    let mut plain = Vec::new();
    MultiGzDecoder::new(bytes).take(most.0 + 1).read_to_end(&mut plain).map_err(QuoteError::NoGzip)?;
    if plain.len() as u64 > most.0 { Err(QuoteError::TooLarge(most)) } else { Ok(plain) }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::Path;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn quoted(bytes: &[u8]) -> Result<Quote, QuoteError> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/table.toml");
        Quote::of("a.wasm", bytes, &ParamTable::load(&file).unwrap(), Bytes(1 << 20))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_module_pays_the_same_plain_and_compressed() {
        let wasm = wat::parse_str("(module (memory 17))").unwrap();
        let plain = quoted(&wasm).unwrap();
        assert_eq!(plain, quoted(&gzip(&wasm)).unwrap());
        assert!(plain.facts.declared_pages == Some(17) && plain.price.fee.is_some());
    }

    #[test]
    fn a_bomb_is_refused_at_the_limit_and_rubbish_by_what_it_is() {
        let bomb = gzip(&vec![0; 64 << 20]);
        assert!(bomb.len() < 100 << 10);
        assert!(matches!(quoted(&bomb), Err(QuoteError::TooLarge(Bytes(1_048_576)))));
        assert!(matches!(quoted(&vec![0; 2 << 20]), Err(QuoteError::TooLarge(_))));
        assert!(matches!(quoted(&[0x1f, 0x8b, 1, 2, 3]), Err(QuoteError::NoGzip(_))));
        let cut = gzip(&wat::parse_str("(module (memory 17))").unwrap());
        assert!(matches!(quoted(&cut[..cut.len() - 6]), Err(QuoteError::NoGzip(_))));
        for rubbish in [&b""[..], b"\0asm", b"<html>", &gzip(b"")] {
            assert!(matches!(quoted(rubbish), Err(QuoteError::NoModule(_))), "{rubbish:?}");
        }
    }
}
