//! Who may do what: a file of tokens.

use std::path::Path;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

use crate::app::{Error, system};
use crate::text::read_text;
use crate::versioned::{Formats, Source, VersionedError};

/// The format of files that this version reads.
const FORMAT: i64 = 1;

/// The fewest characters of a token, so that nobody guesses one.
const SHORTEST: usize = 20;

/// What a token is for. Whoever may push may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    Read,
    Push,
}

/// The tokens of a file. Of each the hash is kept.
#[derive(Default)]
pub(super) struct Tokens(Vec<Known>);

struct Known {
    name: String,
    role: Role,
    hash: [u8; 32],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "it was read before")]
    format: i64,
    #[serde(default)]
    tokens: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    role: Role,
    token: String,
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

impl Tokens {
    /// Reads a file.
    ///
    /// # Errors
    /// It is not there, is of another format or breaks it, or names a token that is short or there twice.
    pub(super) fn load(file: &Path) -> Result<Self, Error> {
        let text = read_text(file).map_err(system(format!("cannot read the tokens {}", file.display())))?;
        Self::parse(&text, file)
    }

    fn parse(text: &str, file: &Path) -> Result<Self, Error> {
        let usage = |error: VersionedError| {
            if error.is_other_format() {
                Error::Incompatible(error.to_string())
            } else {
                Error::Usage(error.to_string())
            }
        };
        let read: File = Source { file, text }.read(Formats::first(FORMAT)).map_err(usage)?;
        let mut known: Vec<Known> = Vec::new();
        for Entry { name, role, token } in read.tokens {
            let refused = |reason: &str| Error::Usage(format!("{}: the token of `{name}` {reason}", file.display()));
            if token.len() < SHORTEST || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(refused("is to be of 20 letters and digits at least: `openssl rand -hex 32` makes one"));
            }
            let hash = hash(&token);
            if known.iter().any(|known| known.hash == hash || known.name == name) {
                return Err(refused("or its name is there twice: give each its own"));
            }
            known.push(Known { name, role, hash });
        }
        Ok(Self(known))
    }

    /// Whose token it is and what it is for. It takes the same time whichever it is, and if it is none.
    pub(super) fn find(&self, token: &str) -> Option<(&str, Role)> {
        let hash = hash(token);
        let mut found = None;
        for known in &self.0 {
            let same: Choice = known.hash.ct_eq(&hash);
            if bool::from(same) {
                found = Some((known.name.as_str(), known.role));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "format = 1\n[[tokens]]\nname = \"node-1\"\nrole = \"push\"\ntoken = \"0123456789abcdef0123\"\n\
                        [[tokens]]\nname = \"wallet\"\nrole = \"read\"\ntoken = \"abcdefabcdefabcdefabcd\"\n";

    fn parsed(text: &str) -> Result<Tokens, Error> {
        Tokens::parse(text, Path::new("tokens.toml"))
    }

    #[test]
    fn a_token_tells_its_name_and_its_role() {
        let tokens = parsed(FILE).unwrap();
        assert_eq!(tokens.find("0123456789abcdef0123"), Some(("node-1", Role::Push)));
        assert_eq!(tokens.find("abcdefabcdefabcdefabcd"), Some(("wallet", Role::Read)));
        for other in ["", "0123456789abcdef012", "0123456789abcdef01234", "node-1"] {
            assert_eq!(tokens.find(other), None, "{other}");
        }
        assert!(Role::Push > Role::Read);
    }

    #[test]
    fn what_is_wrong_in_a_file_is_said_without_the_token() {
        for (from, to, said) in [
            ("\"push\"", "\"write\"", "tokens.toml:4:8"),
            ("0123456789abcdef0123", "short", "is to be of 20 letters"),
            ("abcdefabcdefabcdefabcd", "0123456789abcdef0123", "twice"),
            ("wallet", "node-1", "twice"),
            ("format = 1", "format = 2", "tokens.toml"),
            ("role = \"read\"", "colour = 1", "colour"),
        ] {
            let text = parsed(&FILE.replace(from, to)).err().unwrap().to_string();
            assert!(text.contains(said) && !text.contains("0123456789abcdef0123"), "{text}");
        }
    }
}
