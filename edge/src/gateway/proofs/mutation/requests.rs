//! The requests of a real client, and random mutations of them.

use super::{CALLERS, HIDDEN};
use crate::gateway::config::Config;
use crate::gateway::lease::{MARK, scope};
use crate::gateway::proofs::caller;
use crate::gateway::proofs::random::Random;
use crate::gateway::request::Incoming;
use crate::gateway::token::Sealed;
use raven_edge::hilo::Range;
use raven_edge::source::server::wire::{HILO_PREFIX, MOVE_SCRIPT, lease_body, return_body};
use raven_edge::source::{Ask, Return, Size};

/// A token that the gateway issued, and the lease that it proves.
#[derive(Clone)]
pub(super) struct Token {
    pub(super) identity: Option<&'static str>,
    pub(super) tag: &'static str,
    pub(super) low: u64,
    pub(super) high: u64,
    pub(super) fence: String,
    pub(super) text: String,
}

/// The issued tokens: for each caller, two tags with two ranges.
pub(super) fn tokens(config: &Config) -> Vec<Token> {
    let mut all = Vec::new();
    for identity in CALLERS {
        for tag in ["orders", "drafts"] {
            for (low, high) in [(1, 32), (33, 64)] {
                let fence = format!("A:{high}-{HIDDEN}-{tag} {}", identity.unwrap_or("nobody"));
                let sealed =
                    Sealed { range: Range::new(low, high).unwrap(), incarnation: "i".into(), fence: fence.clone() };
                let caller = caller(identity);
                let text = caller.keys.seal(scope(config, &caller, tag), &sealed);
                all.push(Token { identity, tag, low, high, fence, text });
            }
        }
    }
    all
}

fn request(method: &str, path: &str, body: &str) -> Incoming {
    let headers = vec![("content-type".into(), "application/json".into())];
    Incoming {
        method: method.into(),
        url: format!("https://me/raven{path}"),
        headers,
        body: body.into(),
        is_upload: false,
    }
}

/// The requests of a real client.
pub(super) fn seeds(tokens: &[Token]) -> Vec<Incoming> {
    let base = "/databases/Shop";
    let ask = |tag: &str, size| Ask { tag: tag.into(), size, above: 0, proof: None, incarnation: None, nonce: 5 };
    let put = |id: &str, collection: &str, vector: &str| {
        format!(
            "{{\"Type\":\"PUT\",\"Id\":\"{id}\",\"ChangeVector\":{vector},\"Document\":{{\"n\":1,\"@metadata\":{{\"@collection\":\"{collection}\"}}}}}}"
        )
    };
    let delete = |id: &str| format!("{{\"Type\":\"DELETE\",\"Id\":\"{id}\",\"ChangeVector\":null}}");
    let batch = |commands: &[String]| format!("{{\"Commands\":[{}]}}", commands.join(","));
    let get =
        |query: &str| format!("{{\"Url\":\"{base}/docs\",\"Query\":\"?{query}\",\"Method\":\"GET\",\"Headers\":{{}}}}");
    let several = |parts: &[String]| format!("{{\"Requests\":[{}]}}", parts.join(","));
    let mut all = vec![
        request(
            "POST",
            &format!("{base}/multi_get?nonce=5"),
            &lease_body(base, &ask("orders", Size::Adaptive(None)), '/'),
        ),
        request("POST", &format!("{base}/multi_get?nonce=5"), &lease_body(base, &ask("drafts", Size::Exact(100)), '/')),
        request("GET", &format!("{base}/hilo/next?tag=orders&lastBatchSize=32&identityPartsSeparator=%2F&nonce=1"), ""),
        request("GET", &format!("{base}/docs?id=orders%2F1-A&id=products%2F1-A&include=product"), ""),
        request("GET", &format!("{base}/docs?id=notes%2F1-A&metadataOnly=true"), ""),
        request("GET", &format!("{base}/docs?startsWith=products%2F&start=0&pageSize=25&matches=1*"), ""),
        request("HEAD", &format!("{base}/docs?id=orders%2F1-A"), ""),
        request("POST", &format!("{base}/docs?include=product"), "{\"Ids\":[\"orders/1-A\",\"notes/2-A\"]}"),
        request(
            "POST",
            &format!("{base}/multi_get"),
            &several(&[get("id=orders%2F1-A"), get("startsWith=notes%2F&pageSize=9")]),
        ),
        request("PUT", &format!("{base}/docs?id=orders%2F1-A"), "{\"n\":1,\"@metadata\":{\"@collection\":\"Orders\"}}"),
        request("DELETE", &format!("{base}/docs?id=orders%2F1-A"), ""),
        request(
            "POST",
            &format!("{base}/bulk_docs"),
            &batch(&[put("orders/1-A", "Orders", "\"\""), put("orders/2-A", "Orders", "null")]),
        ),
        request("POST", &format!("{base}/bulk_docs"), &batch(&[put("drafts/1-A", "Drafts", "\"\"")])),
        request(
            "POST",
            &format!("{base}/bulk_docs"),
            &batch(&[delete("orders/1-A"), put("notes/3-A", "Notes", "\"\"")]),
        ),
        request(
            "POST",
            &format!("{base}/bulk_docs"),
            &batch(&[
                put("orders/7-A", "Orders", "null"),
                "{\"Type\":\"BatchTrackChanges\",\"TrackedEntities\":{\"products/1-A\":\"A:1-x\"}}".into(),
            ]),
        ),
        request("GET", "/topology?name=Shop", ""),
    ];
    let note = |id: &str, owner: &str, vector: &str| {
        format!(
            "{{\"Type\":\"PUT\",\"Id\":\"{id}\",\"ChangeVector\":{vector},\"Document\":{{\"owner\":\"{owner}\",\"@metadata\":{{\"@collection\":\"Notes\"}}}}}}"
        )
    };
    let tick = "{\"Type\":\"PATCH\",\"Id\":\"notes/1-A\",\"Named\":\"tick\",\"Parameters\":{\"size\":1},\"ReturnDocument\":true}";
    let mark = "{\"Type\":\"PATCH\",\"Id\":\"products/1-A\",\"ChangeVector\":null,\"Named\":\"mark\",\"Parameters\":{\"text\":\"0\"}}";
    let bulk = format!("{base}/bulk_docs");
    for owner in ["ann", "bob"] {
        let vector = format!("\"A:1-{owner}-Notes\"");
        all.extend([
            request("POST", &bulk, &batch(&[note("notes/1-A", owner, "null"), delete("notes/1-A")])),
            request("POST", &bulk, &batch(&[note("notes/1-A", owner, &vector), delete("notes/2-A")])),
            request("POST", &bulk, &batch(&[note("notes/3-A", owner, "\"\""), mark.into(), tick.into()])),
            request("POST", &bulk, &batch(&[delete("notes/1-A"), note("notes/1-A", owner, "\"\"")])),
        ]);
    }
    for route in ["queries/named/notes", "streams/queries/named/products", "queries/named/products"] {
        let parameters = if route.ends_with("notes") { "\"Parameters\":{\"size\":1}" } else { "\"Parameters\":{}" };
        let page = if route.starts_with('s') { "" } else { ",\"PageSize\":3,\"Skip\":1" };
        all.push(request("POST", &format!("{base}/{route}"), &format!("{{{parameters}{page}}}")));
    }
    all.push(request("POST", &bulk, &batch(&[tick.into()])));
    all.push(request("POST", &bulk, &batch(&[tick.into(), delete("notes/2-A"), tick.replace("1-A", "3-A")])));
    all.push(request("POST", &bulk, &batch(&[mark.into(), put("orders/1-A", "Orders", "null")])));
    for token in tokens {
        let fence = format!("{} {MARK}", token.text);
        let leap = Ask {
            above: token.high,
            proof: Some(fence.as_str().into()),
            incarnation: Some("mB/aw".into()),
            ..ask(token.tag, Size::Adaptive(None))
        };
        all.push(request("POST", &format!("{base}/multi_get?nonce=5"), &lease_body(base, &leap, '/')));
        let item = Return { tag: token.tag.into(), fence, high: token.high, last: token.low + 3 };
        let body = return_body(HILO_PREFIX, &[item]);
        let beacon = format!(
            "{{\"Requests\":[{{\"Url\":\"{base}/bulk_docs\",\"Query\":\"\",\"Method\":\"POST\",\"Content\":{body}}}]}}"
        );
        all.push(request("POST", &format!("{base}/bulk_docs"), &body));
        all.push(request("POST", &format!("{base}/multi_get"), &beacon));
    }
    all
}

/// Building blocks of attacks.
const WORDS: [&str; 95] = [
    "queries/named/notes",
    "queries/named/products",
    "streams/queries/named/products",
    "\"Named\":\"tick\",",
    "\"Named\":\"mark\",",
    "\"Parameters\":{\"size\":1}",
    "\"size\":1",
    "\"name\":\"bob\",",
    "\"owner\":\"ann\"",
    "\"owner\":\"bob\"",
    "\"Query\":\"from Secrets\",",
    "\"Patch\":{\"Script\":\"this.owner = 1\",\"Values\":{}},",
    "\"PageSize\":5",
    "\"A:1-bob-Notes\"",
    "orders/1-A",
    "drafts/1-A",
    "products/1-A",
    "notes/1-A",
    "secrets/1-A",
    "users/1-A",
    "orders%2F1-A",
    "drafts%2F1-A",
    "products%2F1-A",
    "notes%2F1-A",
    "secrets%2F1-A",
    "Raven/Hilo/orders",
    "Raven/Hilo/secrets",
    "Raven%2FHilo%2Forders",
    "orders",
    "secrets",
    "Orders",
    "Drafts",
    "Secrets",
    "@hilo",
    "/databases/Shop/",
    "/databases/Other/",
    "/databases/Shop/multi_get",
    "/databases/Shop/bulk_docs",
    "/databases/Shop/hilo/next",
    "/databases/Shop/hilo/return",
    "/databases/Shop/docs",
    "/databases/Shop/queries",
    "/databases/Shop/streams/docs",
    "/admin/databases",
    "hilo/next",
    "hilo/return",
    "docs",
    "bulk_docs",
    "multi_get",
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "?id=",
    "&id=",
    "&startsWith=",
    "&pageSize=9",
    "&lastMax=9007199254740991",
    "&lastBatchSize=1000000",
    "&tag=secrets",
    "&incarnation=mB%2Faw",
    "&incarnation=%0Ax",
    "%2F",
    "%2f..%2f",
    "%00",
    "..",
    "/",
    "|",
    "\"\"",
    "null",
    "{}",
    "[]",
    "-1",
    "0",
    "1",
    "31",
    "32",
    "64",
    "9007199254740993",
    "\"0\"",
    "1e2",
    "\"Type\":\"DELETE\",",
    "\"Type\":\"PATCH\",",
    "\"IdPrefixed\":true,",
    "\"Id\":\"secrets/1-A\",",
    "\"TransactionMode\":\"ClusterWide\",",
    ",\"Commands\":[]",
    "{\"Type\":\"DELETE\",\"Id\":\"secrets/1-A\",\"ChangeVector\":null},",
    "this.Max = 0",
    "\"@collection\":",
    "\"@id\":\"secrets/1-A\",\"@collection\":",
    "\"Raven-Entity-Name\":\"Secrets\",\"@collection\":",
    "\"@metadata\":{\"@collection\":\"Secrets\"},",
    "\\u002f",
];

const HEADERS: [(&str, &str); 8] = [
    ("origin", "https://evil"),
    ("origin", "https://me"),
    ("if-match", "\"\""),
    ("if-match", "\"A:1-x\""),
    ("if-match", "\"\r\nX: y\""),
    ("content-type", "text/plain"),
    ("content-encoding", "gzip"),
    ("sec-fetch-site", "cross-site"),
];

/// A random one of the requests, with up to three random mutations.
pub(super) fn changed(seeds: &[Incoming], tokens: &[Token], random: &mut Random) -> Incoming {
    let mut request = random.pick(seeds).clone();
    for _ in 0..random.below(4) {
        match random.below(12) {
            0 => request.method = random.pick(&["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "get"]).to_string(),
            1 => {
                let (name, value) = random.pick(&HEADERS);
                request.headers.retain(|(known, _)| known != name);
                request.headers.push(((*name).into(), (*value).into()));
            }
            // Takes the address or the body of another request.
            2 => request.url = random.pick(seeds).url.clone(),
            3 => request.body = random.pick(seeds).body.clone(),
            4 | 5 => request.url = mutated_text(&request.url, "https://me/raven".len(), tokens, random),
            _ => {
                let body = String::from_utf8(request.body).unwrap_or_default();
                request.body = mutated_text(&body, 0, tokens, random).into_bytes();
            }
        }
    }
    request
}

/// The text with one random mutation behind the character `from`.
fn mutated_text(text: &str, from: usize, tokens: &[Token], random: &mut Random) -> String {
    let characters: Vec<char> = text.chars().collect();
    let at = from + random.below((characters.len().saturating_sub(from)).max(1));
    let at = at.min(characters.len());
    let word = *random.pick(&WORDS);
    let (before, behind) = (characters[..at].iter().collect::<String>(), characters[at..].iter().collect::<String>());
    match random.below(9) {
        0 => [&before, word, &behind].concat(),
        // Replaces a word by another one: most results are still well-formed.
        1..=3 => {
            let found: Vec<&str> = WORDS.into_iter().filter(|word| behind.contains(word)).collect();
            if found.is_empty() { text.into() } else { before + &behind.replacen(random.pick(&found), word, 1) }
        }
        // Replaces a number by a word.
        4 => {
            let numbers: Vec<&str> =
                behind.split(|letter: char| !letter.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
            if numbers.is_empty() { text.into() } else { before + &behind.replacen(random.pick(&numbers), word, 1) }
        }
        // Replaces the token by another one; without a token, the script of a return by a word.
        5 => {
            let found = tokens.iter().find(|token| text.contains(&token.text));
            let other = &random.pick(tokens).text;
            found.map_or_else(|| text.replace(MOVE_SCRIPT, word), |found| text.replace(&found.text, other))
        }
        // Repeats a part.
        6 => {
            let end = (at + random.below(120)).min(characters.len());
            let part: String = characters[at..end].iter().collect();
            before + &part + &behind
        }
        // Removes a part.
        7 => {
            let end = (at + random.below(30)).min(characters.len());
            before + &characters[end..].iter().collect::<String>()
        }
        // Swaps upper and lower case.
        _ => {
            let swapped = |letter: &char| {
                if letter.is_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
            };
            let end = (at + random.below(8)).min(characters.len());
            before
                + &characters[at..end].iter().map(swapped).collect::<String>()
                + &characters[end..].iter().collect::<String>()
        }
    }
}
