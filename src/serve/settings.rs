use std::net::SocketAddr;
use std::path::PathBuf;

use super::schedule::Nights;
use crate::app::Error;

/// What a service is started with.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use estimator::serve::{ServeSettings, serve};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// estimator::app::serve_if_worker();
/// let settings = ServeSettings { listen: ([127, 0, 0, 1], 9000).into(), ..ServeSettings::default() };
/// serve(&settings, Arc::new(|line: &str| println!("{line}")))
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeSettings {
    /// Where it listens; port 0 is one that is free. A socket that systemd hands over takes its place.
    pub listen: SocketAddr,
    /// The file of tokens; without one nobody can write.
    pub tokens: Option<PathBuf>,
    /// Whether everybody who reaches it may read. On loopback that is so anyway.
    pub public_read: bool,
    /// The history.
    pub history: PathBuf,
    /// Where the folders of the runs are.
    pub reports: PathBuf,
    /// The table in force.
    pub params: PathBuf,
    /// Chain settings that runs which are pushed are fitted for; `None` for those of each run.
    pub chain: Option<PathBuf>,
    /// The nightly job that it starts; `None` for none.
    pub nights: Option<Nights>,
}

impl Default for ServeSettings {
    fn default() -> Self {
        Self {
            listen: ([127, 0, 0, 1], 8321).into(),
            tokens: None,
            public_read: false,
            history: "reports/history.sqlite".into(),
            reports: "reports".into(),
            params: "params/current.toml".into(),
            chain: None,
            nights: None,
        }
    }
}

impl ServeSettings {
    /// Makes sure that nobody reads who was not meant to: beyond loopback that takes a token, unless it is said otherwise.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.tokens.is_none() && !self.may_all_read() {
            return Err(Error::Usage(format!(
                "{} is reached from other machines: name tokens for those who may read with --tokens FILE, or let all with \
                 --public-read",
                self.listen
            )));
        }
        Ok(())
    }

    /// Whether reading takes no token.
    pub(super) fn may_all_read(&self) -> bool {
        self.public_read || self.listen.ip().to_canonical().is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(listen: &str) -> ServeSettings {
        ServeSettings { listen: listen.parse().unwrap(), ..ServeSettings::default() }
    }

    #[test]
    fn beyond_loopback_it_does_not_start_without_a_word_on_who_may_read() {
        for (listen, alone) in [
            ("127.0.0.1:80", true),
            ("[::1]:80", true),
            ("[::ffff:127.0.0.1]:80", true),
            ("0.0.0.0:80", false),
            ("[::]:80", false),
            ("192.0.2.1:80", false),
        ] {
            assert_eq!(at(listen).check().is_ok(), alone, "{listen}");
            assert_eq!(at(listen).may_all_read(), alone, "{listen}");
            assert!(ServeSettings { public_read: true, ..at(listen) }.check().is_ok());
            let closed = ServeSettings { tokens: Some("tokens.toml".into()), ..at(listen) };
            assert!(closed.check().is_ok() && closed.may_all_read() == alone, "{listen}");
        }
    }
}
