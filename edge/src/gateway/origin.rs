//! Decides which pages may call: those of the gateway's own origin and of the configured origins. Programs that are
//! not pages send no `Origin` header and are not refused here.

use super::config::Config;
use super::refusal::{Kind, Refusal, refused};
use super::request::Incoming;
use super::response::Response;
use raven_edge::protocol::header;

/// Response headers that the client of a page reads.
const EXPOSED: [&str; 8] = [
    header::ETAG,
    header::INCARNATION,
    header::REFRESH_TOPOLOGY,
    header::REFRESH_CONFIGURATION,
    "Attachment-Hash",
    "Attachment-Size",
    "Content-Range",
    "X-Request-Id",
];
/// Request headers that the client of a page sends.
const SENT: [&str; 7] = [
    "Content-Type",
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::TOPOLOGY_ETAG,
    header::CONFIGURATION_ETAG,
    header::CLIENT_VERSION,
    "Range",
];
/// How long a browser may cache the response to a preflight request, in seconds.
const PREFLIGHT_SECONDS: &str = "600";

/// Refuses requests from pages whose origin is not allowed.
pub(crate) fn check(request: &Incoming, config: &Config) -> Result<(), Refusal> {
    let refusal =
        || refused(Kind::Origin, "pages of this origin may not call; add the origin to the gateway's `origins`");
    match request.header("origin") {
        Some(origin) if origin == request.origin() || is_listed(origin, config) => Ok(()),
        Some(_) => Err(refusal()),
        // For an image or a link of a foreign page the browser sends no `Origin` header, only `Sec-Fetch-Site`. Such a
        // GET must be refused, too, because a lease is a GET that changes the server.
        None => match request.header("sec-fetch-site") {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => Err(refusal()),
        },
    }
}

/// The response to a preflight request from a listed origin; `None` for another origin, and for any other request.
pub(crate) fn preflight(request: &Incoming, config: &Config) -> Option<Response> {
    request.header("access-control-request-method")?;
    if request.method != "OPTIONS" || !is_listed(request.header("origin")?, config) {
        return None;
    }
    let mut sent = SENT.join(", ");
    for name in &config.headers {
        sent.push_str(", ");
        sent.push_str(name);
    }
    let mut response = Response::empty(204);
    response.with("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
    response.with("Access-Control-Allow-Headers", &sent);
    response.with("Access-Control-Max-Age", PREFLIGHT_SECONDS);
    Some(response)
}

/// Adds the headers with which a browser lets a page of a listed origin read the response.
pub(crate) fn share(response: &mut Response, request: &Incoming, config: &Config) {
    // Prevents caches from using one origin's response for another.
    response.with("Vary", "Origin");
    let Some(origin) = request.header("origin").filter(|origin| is_listed(origin, config)) else { return };
    response.with("Access-Control-Allow-Origin", origin);
    response.with("Access-Control-Expose-Headers", &EXPOSED.join(", "));
    if config.credentials {
        response.with("Access-Control-Allow-Credentials", "true");
    }
}

fn is_listed(origin: &str, config: &Config) -> bool {
    config.origins.iter().any(|known| known == origin)
}

#[cfg(test)]
mod tests {
    use super::super::config::tests::config;
    use super::*;

    fn request(method: &str, headers: &[(&str, &str)]) -> Incoming {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Incoming {
            method: method.into(),
            url: "https://me.example/raven/topology".into(),
            headers,
            body: Vec::new(),
            is_upload: false,
        }
    }

    #[test]
    fn pages_of_unlisted_origins_are_refused() {
        for (headers, may) in [
            (&[][..], true),
            (&[("origin", "https://me.example")], true),
            (&[("origin", "https://app.example")], true),
            (&[("origin", "https://app.example"), ("sec-fetch-site", "cross-site")], true),
            (&[("origin", "https://app.example:8443")], false),
            (&[("origin", "https://app.example.evil.example")], false),
            (&[("origin", "HTTPS://APP.EXAMPLE")], false),
            (&[("origin", "http://me.example")], false),
            (&[("origin", "null")], false),
            (&[("origin", "")], false),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
        ] {
            assert_eq!(check(&request("GET", headers), &config()).is_ok(), may, "{headers:?}");
        }
    }

    #[test]
    fn a_page_of_an_allowed_origin_may_send_and_read() {
        let ask = [("origin", "https://app.example"), ("access-control-request-method", "POST")];
        let response = preflight(&request("OPTIONS", &ask), &config()).unwrap();
        assert_eq!(response.status, 204);
        assert_eq!(response.header("access-control-allow-headers"), Some(SENT.join(", ").as_str()));
        assert!(preflight(&request("POST", &ask), &config()).is_none());
        assert!(preflight(&request("OPTIONS", &ask[1..]), &config()).is_none());
        let foreign = [("origin", "https://evil.example"), ask[1]];
        assert!(preflight(&request("OPTIONS", &foreign), &config()).is_none());
        let mut shared = Response::empty(200);
        share(&mut shared, &request("GET", &ask), &config());
        assert_eq!(shared.header("access-control-allow-origin"), Some("https://app.example"));
        assert_eq!(shared.header("access-control-allow-credentials"), None);
        assert_eq!(shared.header("vary"), Some("Origin"));
        let mut own = Response::empty(200);
        share(&mut own, &request("GET", &[("origin", "https://me.example")]), &config());
        assert_eq!((own.header("access-control-allow-origin"), own.header("vary")), (None, Some("Origin")));
    }
}
