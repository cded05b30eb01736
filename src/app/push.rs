//! A run to a service.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, thread};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use tar::{Builder, Header};
use ureq::Agent;
use ureq::http::Uri;
use ureq::tls::TlsConfig;

use super::error::{Error, system};
use super::receive::FILES;
use super::session::Session;
use super::stored::run_folder;
use super::trust;
use crate::measure::RunFolder;
use crate::text::read_text;

/// The variable with the token, where no file is named.
const TOKEN: &str = "ESTIMATOR_PUSH_TOKEN";

/// How long a try may take: longer than a service takes over a run that waits for others to be fitted.
const LONGEST_TRY: Duration = Duration::from_mins(16);

/// The longest wait that a service may ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Where runs are sent, and how often that is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushSettings {
    /// The address of the service, such as `https://fees.example.org`.
    pub to: String,
    /// The file that holds the token; `None` for the variable `ESTIMATOR_PUSH_TOKEN`.
    pub token_file: Option<PathBuf>,
    /// How long one try may take, with the fit of the service.
    pub timeout: Duration,
    /// How often it is tried while the service is out of reach or busy.
    pub tries: u32,
    /// The wait after the first failed try, which doubles from try to try.
    pub wait: Duration,
}

impl PushSettings {
    /// To this address, with the token of the environment.
    ///
    /// # Errors
    /// It is no address: what would be one.
    pub fn to(to: impl Into<String>) -> Result<Self, String> {
        let to = to.into();
        // Nor is a password in it repeated.
        if to.contains('@') {
            return Err("an address has neither user nor password: the token says who sends".to_owned());
        }
        if !is_address(&to) {
            return Err(format!("{to:?} is no address of a service: write it as https://fees.example.org"));
        }
        let to = to.trim_end_matches('/').to_owned();
        Ok(Self { to, token_file: None, timeout: LONGEST_TRY, tries: 5, wait: Duration::from_secs(2) })
    }

    fn token(&self) -> Result<String, Error> {
        let text = match &self.token_file {
            Some(file) => read_text(file).map_err(system(format!("cannot read the token {}", file.display())))?,
            None => env::var(TOKEN).unwrap_or_default(),
        };
        let token = text.trim().to_owned();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let text = format!("the service takes runs with a token: name the file that holds it, or set {TOKEN}");
            return Err(Error::Usage(text));
        }
        Ok(token)
    }
}

/// To send a run to a service, which fits and records it. Sent twice, it is there once.
///
/// ```no_run
/// use estimator::app::{PushRequest, PushSettings, Session, push};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let settings = PushSettings::to("https://fees.example.org")?;
/// let pushed = push(&PushRequest { run: "reports/latest".into(), settings }, &Session::new())?;
/// println!("{} is {}", pushed.run, pushed.outcome);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushRequest {
    /// Folder of the run.
    pub run: PathBuf,
    /// Where to.
    pub settings: PushSettings,
}

/// A run that the service has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    /// Its name.
    pub run: String,
    /// What the fit of the service makes of it: `measured`, `noisy` or `rejected`.
    pub outcome: String,
    /// Whether it was not there before.
    pub new: bool,
}

/// Why one try failed.
enum Failure {
    /// Another try may succeed, after the wait that the service asked for.
    Passing(String, Option<Duration>),
    /// None will.
    Final(NotSent),
}

/// Why a run was not sent.
#[derive(Debug)]
pub(super) enum NotSent {
    /// Others would fare no better: the service is out of reach, or takes nothing with this token.
    Any(Error),
    /// It cannot be read.
    Unread(Error),
    /// The service refuses it, and will the next time.
    Refused(Error),
}

impl NotSent {
    fn error(self) -> Error {
        let (Self::Any(error) | Self::Unread(error) | Self::Refused(error)) = self;
        error
    }
}

/// Sends the run.
///
/// # Errors
/// There is no run or no token; the service refuses it, or cannot be reached.
pub fn push(request: &PushRequest, session: &Session<'_>) -> Result<Pushed, Error> {
    send(request, session).map_err(NotSent::error)
}

/// The same, with what the failure says of other runs.
pub(super) fn send(request: &PushRequest, session: &Session<'_>) -> Result<Pushed, NotSent> {
    let PushRequest { run, settings } = request;
    let packed = || -> Result<(String, Vec<u8>), Error> {
        let folder = run_folder(run)?;
        let name = folder.read()?.run;
        let archive = archive(&folder, &name)?;
        Ok((name, archive))
    };
    let (name, archive) = packed().map_err(NotSent::Unread)?;
    let token = settings.token().map_err(NotSent::Any)?;
    if settings.to.starts_with("http://") && !is_loopback(&settings.to) {
        session.warn(&format!("the token and the run travel to {} for all to read: use https", settings.to));
    }
    let url = format!("{}/api/v1/runs/{name}", settings.to);
    let agent = agent(&url, settings.timeout).map_err(NotSent::Any)?;
    let mut wait = settings.wait;
    for attempt in 1..=settings.tries {
        match tried(&agent, &url, &token, &archive) {
            Ok(pushed) => return Ok(pushed),
            Err(Failure::Final(error)) => return Err(error),
            Err(Failure::Passing(reason, _)) if attempt == settings.tries => {
                let text = format!("{} did not take {name} in {attempt} tries: {reason}", settings.to);
                return Err(NotSent::Any(Error::Failed(text)));
            }
            Err(Failure::Passing(_, asked)) => thread::sleep(asked.unwrap_or(wait).min(LONGEST_WAIT)),
        }
        wait *= 2;
    }
    Err(NotSent::Any(Error::Usage("a run is sent in one try at least".into())))
}

fn tried(agent: &Agent, url: &str, token: &str, archive: &[u8]) -> Result<Pushed, Failure> {
    let passing = |error: ureq::Error| Failure::Passing(error.to_string(), None);
    let mut response = agent
        .put(url)
        .header("Authorization", format!("Bearer {token}"))
        .header("Content-Type", "application/gzip")
        // A service that does not take the token need not be sent the run.
        .header("Expect", "100-continue")
        .send(archive)
        .map_err(passing)?;
    let status = response.status().as_u16();
    let asked = response.headers().get("Retry-After").and_then(|value| value.to_str().ok()?.parse().ok());
    let text = response.body_mut().read_to_string().map_err(passing)?;
    let reason = || {
        #[derive(Deserialize)]
        struct Problem {
            message: String,
        }
        serde_json::from_str::<Problem>(&text)
            .map_or_else(|_| format!("it answered {status}"), |problem| problem.message)
    };
    let refused = |error: fn(String) -> Error| error(format!("{url} refuses the run: {}", reason()));
    Err(match status {
        200 | 201 => {
            let odd = || Error::Failed(format!("{url} is no service of estimator: it answered {status}"));
            return serde_json::from_str(&text).map_err(|_| Failure::Final(NotSent::Any(odd())));
        }
        408 | 429 | 500..=599 => Failure::Passing(reason(), asked.map(Duration::from_secs)),
        401 | 403 => Failure::Final(NotSent::Any(refused(Error::Usage))),
        409 => Failure::Final(NotSent::Refused(refused(Error::Incompatible))),
        _ => Failure::Final(NotSent::Refused(refused(Error::Failed))),
    })
}

fn agent(url: &str, timeout: Duration) -> Result<Agent, Error> {
    let roots = trust::roots(url).map_err(|reason| Error::Failed(format!("the run was not sent: {reason}")))?;
    let config = Agent::config_builder()
        .timeout_global(Some(timeout))
        .http_status_as_error(false)
        // A redirect could carry the token to somebody else.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .tls_config(TlsConfig::builder().root_certs(roots).build());
    Ok(config.build().into())
}

/// The files of the run that others do not follow from, as the same bytes each time.
fn archive(folder: &RunFolder, name: &str) -> Result<Vec<u8>, Error> {
    let failed = || system(format!("cannot pack {}", folder.path().display()));
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (file, _) in FILES {
        let path = folder.path().join(file);
        if !path.is_file() {
            continue;
        }
        let bytes = fs::read(&path).map_err(system(format!("cannot read {}", path.display())))?;
        let mut header = Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("{name}/{file}"), &bytes[..]).map_err(failed())?;
    }
    archive.into_inner().and_then(GzEncoder::finish).map_err(failed())
}

fn is_address(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    is_http && trust::is_reached_as_written(&uri) && !url.contains(['?', '#'])
}

fn is_loopback(url: &str) -> bool {
    let host = url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)).unwrap_or_default();
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_of_http() {
        for (address, is_loopback) in [
            ("https://fees.example.org/", false),
            ("http://127.0.0.1:8321", true),
            ("http://[::1]:1/x", true),
            ("http://localhost", true),
        ] {
            let settings = PushSettings::to(address).unwrap();
            assert!(!settings.to.ends_with('/'));
            assert_eq!(super::is_loopback(&settings.to), is_loopback, "{address}");
        }
        let wrong =
            ["", "fees.example.org", "ftp://x", "https://", "https:///x", "https://x?y", "https://x#y", "https://x y"];
        for wrong in
            wrong.into_iter().chain(["http://[::1", "http://x:1/\n\u{1b}[31m", "http://x:", "http://:1", "http://x:y"])
        {
            assert!(PushSettings::to(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_token_goes_to_no_other_port_than_was_named() {
        assert!(PushSettings::to("http://127.0.0.1:65535").is_ok());
        assert!(PushSettings::to("http://127.0.0.1:99999").is_err());
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        assert!(!PushSettings::to("https://user:secret@fees.example.org").unwrap_err().contains("secret"));
    }

    #[test]
    fn an_address_that_ends_with_slashes_is_the_same() {
        assert_eq!(PushSettings::to("https://x//").unwrap().to, "https://x");
    }
}
