//! Whose page calls: the gateway's own origin, those on the list, and programs that are no page.

use super::answer::Answer;
use super::config::Config;
use super::refusal::{Kind, Refusal, refused};
use super::request::Incoming;

/// What the client of a page needs of an answer.
const EXPOSED: &str = "ETag, Database-Cluster-Tx-Id, Refresh-Topology, Refresh-Client-Configuration";
/// What it sends.
const SENT: &str =
    "Content-Type, If-Match, If-None-Match, Topology-Etag, Client-Configuration-Etag, Raven-Client-Version";
/// For how long a browser need not ask again, in seconds.
const REMEMBERED: &str = "600";

/// Fails when this is a page that may not call.
pub(crate) fn check(request: &Incoming, config: &Config) -> Result<(), Refusal> {
    let refusal =
        || refused(Kind::Origin, "pages of this origin may not call; the gateway's `origins` has those that may");
    match request.header("origin") {
        Some(origin) if origin == request.origin() || is_listed(origin, config) => Ok(()),
        Some(_) => Err(refusal()),
        // A picture or a link of a foreign page sends no origin, but this; a lease would change the server.
        None => match request.header("sec-fetch-site") {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => Err(refusal()),
        },
    }
}

/// The answer to a browser that asks whether it may send; `None` for any other request.
pub(crate) fn preflight(request: &Incoming, config: &Config) -> Option<Answer> {
    request.header("access-control-request-method")?;
    if request.method != "OPTIONS" || !is_listed(request.header("origin")?, config) {
        return None;
    }
    let mut sent = String::from(SENT);
    for name in &config.headers {
        sent.push_str(", ");
        sent.push_str(name);
    }
    let mut answer = Answer::empty(204);
    answer.with("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
    answer.with("Access-Control-Allow-Headers", &sent);
    answer.with("Access-Control-Max-Age", REMEMBERED);
    Some(answer)
}

/// Lets a page of a listed origin read the answer.
pub(crate) fn share(answer: &mut Answer, request: &Incoming, config: &Config) {
    // A cache must not give one origin's answer to another.
    answer.with("Vary", "Origin");
    let Some(origin) = request.header("origin").filter(|origin| is_listed(origin, config)) else { return };
    answer.with("Access-Control-Allow-Origin", origin);
    answer.with("Access-Control-Expose-Headers", EXPOSED);
    if config.credentials {
        answer.with("Access-Control-Allow-Credentials", "true");
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
        Incoming { method: method.into(), url: "https://me.example/raven/topology".into(), headers, body: Vec::new() }
    }

    #[test]
    fn who_may_call() {
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
    fn a_listed_page_may_ask_and_read() {
        let ask = [("origin", "https://app.example"), ("access-control-request-method", "POST")];
        let answer = preflight(&request("OPTIONS", &ask), &config()).unwrap();
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("access-control-allow-headers"), Some(SENT));
        assert!(preflight(&request("POST", &ask), &config()).is_none());
        assert!(preflight(&request("OPTIONS", &ask[1..]), &config()).is_none());
        let foreign = [("origin", "https://evil.example"), ask[1]];
        assert!(preflight(&request("OPTIONS", &foreign), &config()).is_none());
        let mut shared = Answer::empty(200);
        share(&mut shared, &request("GET", &ask), &config());
        assert_eq!(shared.header("access-control-allow-origin"), Some("https://app.example"));
        assert_eq!(shared.header("access-control-allow-credentials"), None);
        assert_eq!(shared.header("vary"), Some("Origin"));
        let mut own = Answer::empty(200);
        share(&mut own, &request("GET", &[("origin", "https://me.example")]), &config());
        assert_eq!((own.header("access-control-allow-origin"), own.header("vary")), (None, Some("Origin")));
    }
}
