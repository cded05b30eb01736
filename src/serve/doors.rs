//! Who is let in.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::problem::Problem;
use super::settings::ServeSettings;
use super::tokens::{Role, Tokens};
use super::watched::Stamp;
use crate::app::Error;

/// What a route asks of whoever comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing: probes of health.
    Open,
    /// To read.
    Read,
    /// To write.
    Push,
}

/// The tokens that are in force, and whether reading takes one.
pub(super) struct Doors {
    may_all_read: bool,
    file: Option<PathBuf>,
    now: RwLock<(Option<Stamp>, Arc<Tokens>)>,
}

impl Doors {
    /// As the settings say.
    ///
    /// # Errors
    /// The tokens cannot be read.
    pub(super) fn new(settings: &ServeSettings) -> Result<Self, Error> {
        let read = |file: &PathBuf| Ok::<_, Error>((Stamp::of(file), Arc::new(Tokens::load(file)?)));
        let now = settings.tokens.as_ref().map(read).transpose()?.unwrap_or_default();
        Ok(Self { may_all_read: settings.may_all_read(), file: settings.tokens.clone(), now: RwLock::new(now) })
    }

    /// Reads the tokens again if their file has changed, or in any case; whether it did. Tokens that cannot be read leave those that are
    /// in force.
    ///
    /// # Errors
    /// The tokens cannot be read.
    pub(super) fn reload(&self, in_any_case: bool) -> Result<bool, Error> {
        let Some(file) = &self.file else { return Ok(false) };
        let stamp = Stamp::of(file);
        let known = self.now.read().map(|now| now.0).unwrap_or_default();
        if stamp == known && !in_any_case {
            return Ok(false);
        }
        let tokens = Arc::new(Tokens::load(file)?);
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = (stamp, tokens);
        Ok(true)
    }

    /// Lets a request in, and says whose token it carries.
    pub(super) fn admit(&self, access: Access, headers: &HeaderMap) -> Result<Option<String>, Problem> {
        let needed = match access {
            Access::Open => return Ok(None),
            Access::Read if self.may_all_read => return Ok(None),
            Access::Read => Role::Read,
            Access::Push if self.file.is_none() => {
                let text = "this service takes no runs: whoever runs it names the tokens of nodes with --tokens FILE";
                return Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", text));
            }
            Access::Push => Role::Push,
        };
        let unauthorized = |text: &str| Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", text);
        let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(token_of);
        let token = token.ok_or_else(|| unauthorized("send a token: `Authorization: Bearer TOKEN`"))?;
        let tokens = self.now.read().map(|now| Arc::clone(&now.1)).unwrap_or_default();
        match tokens.find(&token) {
            None => Err(unauthorized("this token is not known, or no longer")),
            Some((name, role)) if role >= needed => Ok(Some(name.to_owned())),
            Some(_) => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "forbidden",
                "this token is for reading; runs take one to push",
            )),
        }
    }
}

/// The token in the header of a program, or the password that a person gave a browser.
fn token_of(header: &str) -> Option<String> {
    let (scheme, rest) = header.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(STANDARD.decode(rest.trim()).ok()?).ok()?;
    pair.split_once(':').map(|(_, password)| password.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PUSH: &str = "push-push-push-push-push";
    const READ: &str = "read-read-read-read-read";

    fn entry(name: &str, token: &str) -> String {
        format!("[[tokens]]\nname = \"{name}\"\nrole = \"{name}\"\ntoken = \"{token}\"\n")
    }

    fn doors(folder: &tempfile::TempDir, listen: &str) -> Doors {
        let file = folder.path().join("tokens.toml");
        fs::write(&file, format!("format = 1\n{}{}", entry("push", PUSH), entry("read", READ))).unwrap();
        let listen = listen.parse().unwrap();
        Doors::new(&ServeSettings { listen, tokens: Some(file), ..ServeSettings::default() }).unwrap()
    }

    fn status(doors: &Doors, access: Access, authorization: &str) -> u16 {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, authorization.parse().unwrap());
        doors.admit(access, &headers).map_or_else(|problem| problem.status.as_u16(), |_| 200)
    }

    #[test]
    fn writing_takes_a_token_to_push_and_reading_one_beyond_loopback() {
        let folder = tempfile::tempdir().unwrap();
        let (here, beyond) = (doors(&folder, "127.0.0.1:0"), doors(&folder, "0.0.0.0:0"));
        let (push, read) = (format!("Bearer {PUSH}"), format!("bearer {READ}"));
        let browser = format!("Basic {}", STANDARD.encode(format!("anybody:{READ}")));
        for (access, header, at_home, abroad) in [
            (Access::Open, "", 200, 200),
            (Access::Read, "", 200, 401),
            (Access::Read, "Bearer wrong", 200, 401),
            (Access::Read, "Digest x", 200, 401),
            (Access::Read, &read, 200, 200),
            (Access::Read, &push, 200, 200),
            (Access::Read, &browser, 200, 200),
            (Access::Read, "Basic !", 200, 401),
            (Access::Push, "", 401, 401),
            (Access::Push, &read, 403, 403),
            (Access::Push, &push, 200, 200),
        ] {
            assert_eq!(status(&here, access, header), at_home, "{access:?} {header}");
            assert_eq!(status(&beyond, access, header), abroad, "{access:?} {header}");
        }
        let none = Doors::new(&ServeSettings::default()).unwrap();
        assert_eq!((status(&none, Access::Push, &push), status(&none, Access::Read, "")), (403, 200));
    }

    #[test]
    fn a_token_that_was_taken_out_opens_nothing_after_a_reload() {
        let folder = tempfile::tempdir().unwrap();
        let doors = doors(&folder, "127.0.0.1:0");
        let file = folder.path().join("tokens.toml");
        assert!(!doors.reload(false).unwrap() && doors.reload(true).unwrap());
        fs::write(folder.path().join("new"), "format = 1\n").unwrap();
        fs::rename(folder.path().join("new"), &file).unwrap();
        assert!(doors.reload(false).unwrap());
        assert_eq!(status(&doors, Access::Push, &format!("Bearer {PUSH}")), 401);
        fs::remove_file(&file).unwrap();
        assert!(doors.reload(false).is_err());
        // What failed in passing is tried again, though the file is as it was.
        assert!(doors.reload(false).is_err());
    }
}
