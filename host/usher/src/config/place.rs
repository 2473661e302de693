//! Addresses of other services: `https`, or `http` where nobody can listen in.

use hyper::http::Uri;
use std::net::IpAddr;

/// The address of a service, to which paths are appended: without a query, and without a slash at its end.
/// The error is the end of a sentence about the value.
pub(super) fn base(text: &str) -> Result<String, String> {
    let uri = checked(text)?;
    if uri.query().is_some() {
        return Err("it must not have a query".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Any address that may be asked.
pub(super) fn checked(text: &str) -> Result<Uri, String> {
    const RULE: &str = "it must be an address such as \"https://example.org/path\"";
    let uri: Uri = text.parse().map_err(|_| RULE.to_owned())?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(RULE.to_owned());
    };
    // A name and a password in it would be a secret in the configuration; what is behind a # is not sent.
    if authority.as_str().contains('@') || text.contains('#') || authority.host().is_empty() {
        return Err(RULE.to_owned());
    }
    match scheme {
        "https" => Ok(uri),
        "http" if is_loopback(authority.host()) => Ok(uri),
        "http" => Err("it must be https, unless it is on this machine".to_owned()),
        _ => Err(RULE.to_owned()),
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<IpAddr>();
    address.map_or(host == "localhost", |address| {
        address.to_canonical().is_loopback()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_over_a_network_is_encrypted() {
        for good in [
            "https://discovery.example.org",
            "https://192.0.2.1:8443/path/",
            "http://127.0.0.1:9000",
            "http://127.7.7.7/",
            "http://localhost:1/a",
            "http://[::1]:80",
        ] {
            let checked = base(good);
            assert_eq!(checked.as_deref(), Ok(good.trim_end_matches('/')));
        }
        for bad in [
            "http://example.org",
            "http://192.0.2.1",
            "http://localhost.example.org",
            "http://127.0.0.1.example.org",
            "ftp://127.0.0.1",
            "https://user:password@example.org",
            "https://example.org/#a",
            "https://example.org/?a",
            "https:///a",
            "/a",
            "example.org",
            "https://exa mple.org",
            "",
        ] {
            assert!(base(bad).is_err(), "{bad}");
        }
        assert!(checked("https://example.org/a?b=c").is_ok());
    }
}
