//! A POST that Slack, Zulip's Slack-compatible webhook and the Matrix bridges matrix-hookshot and matrix-appservice-webhooks accept:
//! a JSON object with `text`.

use std::env;
use std::thread;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::TlsConfig;

use super::request::AlertSettings;
use crate::app::error::Error;
use crate::app::trust;

/// The variable with the address, which is a secret for most services.
pub const URL: &str = "ESTIMATOR_WEBHOOK_URL";
/// The variable with the value of the header `Authorization`.
pub const AUTHORIZATION: &str = "ESTIMATOR_WEBHOOK_AUTHORIZATION";

/// The longest wait that a service may ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Where to post. It has no `Debug`, so that nothing prints it.
pub(super) struct Webhook {
    url: String,
    authorization: Option<String>,
}

/// Why one try failed, without a word of the address.
enum Failure {
    /// Another try may succeed, after the wait that the service asked for.
    Passing(String, Option<Duration>),
    /// None will.
    Final(String),
}

impl Webhook {
    /// As the environment says; `None` if it says nothing.
    pub(super) fn of_environment() -> Result<Option<Self>, Error> {
        let variable = |name: &str| match env::var(name) {
            Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
            Err(env::VarError::NotPresent) => Ok(None),
            Err(env::VarError::NotUnicode(_)) => Err(Error::Failed(format!("{name} is not UTF-8"))),
        };
        let authorization = variable(AUTHORIZATION)?;
        Ok(variable(URL)?.map(|url| Self { url, authorization }))
    }

    /// Posts the text, trying again with growing waits while the service is out of reach, busy or broken.
    pub(super) fn post(&self, text: &str, settings: &AlertSettings) -> Result<(), Error> {
        let body = serde_json::json!({ "text": text }).to_string();
        let refused = |reason| Error::Failed(format!("the alert was not posted: {reason}"));
        if !self.url.parse().is_ok_and(|url| trust::is_reached_as_written(&url)) {
            return Err(refused(format!("{URL} is no address with a host and, if one is named, a port up to 65535")));
        }
        let tls = TlsConfig::builder().root_certs(trust::roots(&self.url).map_err(refused)?).build();
        let agent: Agent = Agent::config_builder()
            .timeout_global(Some(settings.timeout))
            .http_status_as_error(false)
            // A redirect would carry the message, and could carry the header, to somebody else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .tls_config(tls)
            .build()
            .into();
        let mut wait = settings.wait;
        for attempt in 1..=settings.tries {
            match self.attempt(&agent, &body) {
                Ok(()) => return Ok(()),
                Err(Failure::Final(reason)) => {
                    return Err(Error::Failed(format!("the alert was not posted: {reason}")));
                }
                Err(Failure::Passing(reason, _)) if attempt == settings.tries => {
                    let text = format!("the webhook did not take the alert in {attempt} tries: {reason}");
                    return Err(Error::Failed(text));
                }
                Err(Failure::Passing(_, asked)) => thread::sleep(asked.unwrap_or(wait).min(LONGEST_WAIT)),
            }
            wait *= 2;
        }
        Ok(())
    }

    fn attempt(&self, agent: &Agent, body: &str) -> Result<(), Failure> {
        let mut request = agent.post(&self.url).header("Content-Type", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        let response = request.send(body).map_err(|error| failure(&error))?;
        let status = response.status().as_u16();
        match status {
            200..=299 => Ok(()),
            408 | 429 | 500..=599 => {
                let asked = response.headers().get("Retry-After").and_then(|value| value.to_str().ok()?.parse().ok());
                Err(Failure::Passing(format!("it answered {status}"), asked.map(Duration::from_secs)))
            }
            300..=399 => Err(Failure::Final(format!("it answered {status}, a redirect, which is not followed"))),
            _ => Err(Failure::Final(format!("it answered {status}"))),
        }
    }
}

/// The kind of an error. Its own words may hold the address.
fn failure(error: &ureq::Error) -> Failure {
    let passing = |text: &str| Failure::Passing(text.into(), None);
    match error {
        ureq::Error::Timeout(_) => passing("no answer in time"),
        ureq::Error::HostNotFound => passing("its host is not found"),
        ureq::Error::ConnectionFailed => passing("it cannot be reached"),
        ureq::Error::Rustls(error) => Failure::Final(trust::refusal(error)),
        ureq::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(error) => Failure::Final(trust::refusal(error)),
            None => Failure::Passing(format!("the connection failed: {}", error.kind()), None),
        },
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            Failure::Final(format!("{URL} or {AUTHORIZATION} is not a valid address or header"))
        }
        ureq::Error::Tls(_) | ureq::Error::Pem(_) => Failure::Final("its certificate or TLS is not accepted".into()),
        _ => passing("the exchange broke off"),
    }
}
