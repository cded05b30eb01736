//! Whose certificates are accepted: those that the system trusts.

use std::env;

use rustls::CertificateError as Bad;
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts};

/// The variables that name other certificates than the system's, as OpenSSL reads them.
const NAMED: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/// Whether an address is sent to where it says: a port that is no number of 16 bits is none to the parser, and what is secret would go to
/// port 80 or 443.
pub(super) fn is_reached_as_written(url: &Uri) -> bool {
    url.authority()
        .is_some_and(|of| !of.host().is_empty() && (of.as_str().ends_with(of.host()) || of.port_u16().is_some()))
}

/// The roots for this address: the system's, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`. Where the system has none, as in a bare
/// container, those of Mozilla that are built in.
///
/// # Errors
/// Certificates are named and there are none: why.
pub(super) fn roots(url: &str) -> Result<RootCerts, String> {
    if !url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:")) {
        return Ok(RootCerts::WebPki);
    }
    let found = rustls_native_certs::load_native_certs();
    if !found.certs.is_empty() {
        let certificates = found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        return Ok(certificates.into());
    }
    let named: Vec<&str> = NAMED.into_iter().filter(|name| env::var_os(name).is_some()).collect();
    if named.is_empty() {
        return Ok(RootCerts::WebPki);
    }
    let reasons: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
    let (named, reasons) = (named.join(" or "), reasons.join("; "));
    Err(format!("no certificate is where {named} says: {reasons}"))
}

/// Why a connection is not trusted, without a word of the address, which the words of TLS may hold.
pub(super) fn refusal(error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(Bad::UnknownIssuer) => {
            "its certificate is from an issuer that this system does not trust: add the issuer to the system's \
             certificates, or name them in SSL_CERT_FILE"
                .into()
        }
        rustls::Error::InvalidCertificate(Bad::NotValidForName | Bad::NotValidForNameContext { .. }) => {
            "its certificate is for another host than the address names".into()
        }
        other => format!("its certificate or TLS is not accepted: {other}"),
    }
}
