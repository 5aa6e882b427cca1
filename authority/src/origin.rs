//! RavenDB's filter against requests from foreign pages.

use crate::authority::{JSON, refusal};
use crate::error::Error;
use crate::message::{Request, Response};
use crate::prelude::*;

/// Refuses a request whose `Origin` has another host or port than its `Host`; the scheme does not matter.
pub(crate) fn check(request: &Request) -> Result<(), Response> {
    let Some(origin) = request.header_value("Origin") else { return Ok(()) };
    if matches!(request.method.as_str(), "HEAD" | "OPTIONS") {
        return Ok(());
    }
    let parts = origin.split_once(':').and_then(|(scheme, rest)| Some((scheme, rest.strip_prefix("//")?)));
    let Some((scheme, rest)) = parts else {
        return Err(refusal(
            &request.url,
            &Error::uri_format(format!("Invalid URI: The format of the URI could not be determined: '{origin}'.")),
        ));
    };
    let authority = rest.split('/').next().unwrap_or_default();
    if authority.is_empty() && !scheme.eq_ignore_ascii_case("file") {
        return Err(refusal(
            &request.url,
            &Error::uri_format(format!("Invalid URI: The hostname could not be parsed: '{origin}'.")),
        ));
    }
    let default_port = if scheme.eq_ignore_ascii_case("https") { ":443" } else { ":80" };
    let host = request.header_value("Host").unwrap_or_default();
    let bare = |name: &str| name.strip_suffix(default_port).unwrap_or(name).to_ascii_lowercase();
    if bare(authority) == bare(host) {
        return Ok(());
    }
    Err(Response::new(403, "").with("Content-Type", JSON))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_host_is_accepted() {
        let status = |method: &str, origin: &str| {
            let request = Request::new(method, "/x").header("Host", "127.0.0.1:8080").header("Origin", origin);
            check(&request).map_or_else(|r| r.status, |()| 0)
        };
        for (origin, expected) in [
            ("http://127.0.0.1:8080", 0),
            ("https://127.0.0.1:8080", 0),
            ("HTTP://127.0.0.1:8080/", 0),
            ("http://127.0.0.1", 403),
            ("http://localhost:8080", 403),
            ("file:///x", 403),
            ("null", 500),
            ("", 500),
            ("http://", 500),
        ] {
            assert_eq!(status("GET", origin), expected, "{origin}");
            assert_eq!(status("HEAD", origin), 0, "{origin}");
        }
        assert_eq!(check(&Request::get("/x")), Ok(()));
    }
}
