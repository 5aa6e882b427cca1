use super::{Queries, Scan};
use crate::gateway::config::Config;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Step, Turn};
use crate::gateway::proofs::caller;
use crate::gateway::proofs::random::Random;
use crate::gateway::refusal::Refusal;
use crate::gateway::response::{Response, UpstreamResponse};
use crate::gateway::rows::Claims;
use raven_edge_authority::json::{Object, Value as Json, read_strict};
use serde_json::{Value, json};

fn object(value: &Value) -> Object {
    read_strict(value.to_string().as_bytes()).unwrap()
}

fn config() -> Config {
    let rows = json!({ "owner": "$name" });
    crate::gateway::config::tests::read(&json!({
        "database": "Shop",
        "claims": ["name"],
        "collections": { "Notes": { "allow": "read", "rows": rows }, "Products": "read", "Drafts": "create" },
    }))
    .unwrap()
}

fn queries(query: Value) -> Result<Queries, String> {
    Queries::read(Some(&Json::Object(object(&json!({ "notes": query })))), &["name".into()], &config().collections)
}

fn notes() -> Queries {
    queries(json!({
        "query": "from Notes where owner = $name and size >= $least include product",
        "parameters": { "least": { "type": "number", "default": 0 } },
        "page": { "default": 3, "max": 5 },
    }))
    .unwrap()
}

fn begin(queries: &Queries, body: Value, who: &Caller) -> Result<Step, Refusal> {
    let scan = Scan::read(queries.named("notes").unwrap(), &object(&body), None, &config())?;
    scan.forward(&Turn::of(&config(), who))
}

/// The owner of a note that is skipped: a stale index still lists it although it was deleted, or `filter` leaves it out.
const SKIPPED: &str = "";

/// RavenDB with these owners of notes, in the order of the query.
fn upstream(owners: &[&str], forward: &Forward) -> UpstreamResponse {
    let body: Value = serde_json::from_str(forward.body.as_deref().unwrap()).unwrap();
    let start = body["Start"].as_u64().unwrap() as usize;
    let size = body["PageSize"].as_u64().unwrap() as usize;
    let document = |at: usize| {
        json!({ "owner": owners[at], "secret": format!("of {}", owners[at]), "product": format!("products/{at}-A"),
            "@metadata": { "@id": format!("notes/{at}-A"), "@collection": "Notes" } })
    };
    let is_skipped = |at: &usize| owners[*at] == SKIPPED;
    let is_filtered = body["Query"].as_str().unwrap().contains(" filter ");
    let (skipped, page): (Vec<usize>, Vec<usize>) = if is_filtered {
        // A query that filters fills its page.
        let end =
            (start..owners.len()).filter(|at| !is_skipped(at)).nth(size.max(1) - 1).map_or(owners.len(), |at| at + 1);
        (start..end).partition(is_skipped)
    } else {
        (start..owners.len()).take(size).partition(is_skipped)
    };
    let (total, scanned) = if is_filtered { (page.len(), skipped.len() + page.len()) } else { (owners.len(), 0) };
    let includes: Value = page
        .iter()
        .map(|at| {
            let id = format!("products/{at}-A");
            (id.clone(), json!({ "price": at, "@metadata": { "@id": id, "@collection": "Products" } }))
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    let body = json!({ "Results": page.iter().map(|at| document(*at)).collect::<Vec<_>>(), "Includes": includes,
        "TotalResults": total, "SkippedResults": skipped.len(), "ScannedResults": scanned, "IsStale": false,
        "IndexName": "Auto/Notes/ByOwner" });
    UpstreamResponse { status: 200, headers: Vec::new(), body: body.to_string().into_bytes() }
}

fn page(queries: &Queries, owners: &[&str], body: Value, who: &Caller) -> (usize, Value) {
    let (sent, response) = run(queries, owners, body, who, None);
    assert_eq!(response.status, 200);
    (sent, serde_json::from_slice(&response.body).unwrap())
}

/// How many requests RavenDB gets, and the response to the caller. `known`: the ETag that the caller has.
fn run(queries: &Queries, owners: &[&str], body: Value, who: &Caller, known: Option<&str>) -> (usize, Response) {
    let mut scan = Scan::read(queries.named("notes").unwrap(), &object(&body), known, &config()).unwrap();
    let config = config();
    let turn = Turn::of(&config, who);
    for sent in 0.. {
        let forward = match scan.forward(&turn).unwrap() {
            Step::Forward(forward) => forward,
            Step::Response(response) => return (sent, response),
        };
        match scan.response(&turn, &upstream(owners, &forward)) {
            FollowUp::Next(next) => scan = next,
            FollowUp::Response(response) => return (sent + 1, response),
        }
    }
    unreachable!()
}

#[test]
fn pages_reach_every_visible_result_once_and_have_no_holes() {
    let mut random = Random(3);
    let queries = notes();
    let ann = caller(Some("ann"));
    for round in 0..300 {
        let count = random.below(40);
        let share = 1 + random.below(5);
        let hidden = [SKIPPED, "bob"];
        let mut owner = || if random.below(share) == 0 { "ann" } else { hidden[random.below(2)] };
        let owners: Vec<&str> = (0..count).map(|_| owner()).collect();
        let size = 1 + random.below(5);
        let (mut found, mut next) = (Vec::new(), Value::Null);
        loop {
            let (sent, response) = page(&queries, &owners, json!({ "PageSize": size, "Next": next }), &ann);
            let text = response.to_string();
            assert!(!text.contains("bob") && !text.contains("Auto/") && !text.contains("TotalResults"), "{text}");
            let results = response["Results"].as_array().unwrap();
            assert!(results.len() <= size && sent <= 4 * size, "round {round}: {sent} requests");
            // An included document is there for each visible result, and for no hidden one.
            let includes = response["Includes"].as_object().unwrap();
            let products: Vec<&str> = results.iter().map(|note| note["product"].as_str().unwrap()).collect();
            assert!(includes.len() == products.len() && products.iter().all(|id| includes.contains_key(*id)), "{text}");
            found.extend(results.iter().map(|note| note["@metadata"]["@id"].as_str().unwrap().to_owned()));
            next = response["Next"].clone();
            if next.is_null() {
                break;
            }
            // A page that is not full but has a `Next` has judged the maximum number of results.
            assert!(results.len() == size || sent > 1, "round {round}: {text}");
        }
        let wanted: Vec<String> = owners
            .iter()
            .enumerate()
            .filter(|(_, owner)| **owner == "ann")
            .map(|(at, _)| format!("notes/{at}-A"))
            .collect();
        assert_eq!(found, wanted, "round {round}");
    }
}

#[test]
fn the_total_of_a_query_that_filters_is_not_its_end() {
    let filtered = queries(json!({ "query": "from Notes filter size > 3" })).unwrap();
    let owners = [SKIPPED, "ann", "ann", SKIPPED, "ann", "ann", SKIPPED, "ann"];
    let (mut sizes, mut next) = (Vec::new(), Value::Null);
    loop {
        let (_, response) = page(&filtered, &owners, json!({ "PageSize": 2, "Next": next }), &caller(Some("ann")));
        sizes.push(response["Results"].as_array().unwrap().len());
        next = response["Next"].clone();
        if next.is_null() {
            break;
        }
    }
    assert_eq!(sizes, [2, 2, 1]);
}

#[test]
fn what_is_left_out_is_left_out_once_however_many_pages_that_takes() {
    let mut random = Random(11);
    let queries = notes();
    let ann = caller(Some("ann"));
    for round in 0..60 {
        let share = 1 + random.below(6);
        let owners: Vec<&str> = (0..60).map(|_| if random.below(share) == 0 { "ann" } else { "bob" }).collect();
        let (skip, mut found, mut body) = (random.below(9), Vec::new(), Value::Null);
        loop {
            let next = body["Next"].clone();
            let request = if next.is_null() { json!({ "Skip": skip }) } else { json!({ "Next": next }) };
            body = page(&queries, &owners, request, &ann).1;
            let results = body["Results"].as_array().unwrap();
            found.extend(results.iter().map(|note| note["@metadata"]["@id"].as_str().unwrap().to_owned()));
            if body["Next"].is_null() {
                break;
            }
        }
        let own = (0..60).filter(|at| owners[*at] == "ann").skip(skip).map(|at| format!("notes/{at}-A"));
        assert_eq!(found, own.collect::<Vec<_>>(), "round {round}, skip {skip}");
    }
}

#[test]
fn an_etag_is_for_one_caller_one_request_and_what_it_shows() {
    let queries = notes();
    let respond = |owners: &[&str], body: Value, who: &Caller| {
        let (_, response) = run(&queries, owners, body, who, None);
        response.header("etag").unwrap().to_owned()
    };
    let ann = caller(Some("ann"));
    let (both, parameters) = (["ann", "bob"], json!({ "Parameters": { "least": 1 } }));
    // A claim that the query does not even use, the same parameters in another spelling, another page size.
    let mut team = caller(Some("ann"));
    team.claims = Claims::read(&object(&json!({ "name": "ann", "team": 1 })), &["name".into(), "team".into()]).unwrap();
    let mut nobody = caller(Some("ann"));
    nobody.identity = None;
    let all = [
        respond(&both, json!({}), &ann),
        respond(&both, json!({}), &caller(Some("bob"))),
        respond(&both, json!({}), &team),
        respond(&both, json!({}), &nobody),
        respond(&both, parameters, &ann),
        respond(&["ann", "ann"], json!({}), &ann),
        respond(&["bob"], json!({}), &ann),
    ];
    for (at, etag) in all.iter().enumerate() {
        assert!(all.iter().skip(at + 1).all(|other| other != etag), "{at}: {all:?}");
    }
    // What others have does not change it.
    assert_eq!(respond(&["ann", "bob", "bob"], json!({}), &ann), all[0]);
    for (known, status) in [(&all[0], 304), (&all[1], 200), (&"*".to_owned(), 200)] {
        let (sent, response) = run(&queries, &both, json!({}), &ann, Some(known));
        assert_eq!((sent, response.status, response.body.is_empty()), (1, status, status == 304));
        assert_eq!(response.header("etag"), Some(all[0].as_str()));
    }
}

#[test]
fn a_count_has_no_results_and_needs_a_query_that_tells_it() {
    let counted =
        queries(json!({ "query": "from index 'Notes/ByOwner'", "total": true, "collections": ["notes"] })).unwrap();
    let (sent, response) = page(&counted, &["bob", "ann"], json!({ "PageSize": 0 }), &caller(Some("ann")));
    assert_eq!((sent, &response["Results"], &response["TotalResults"]), (1, &json!([]), &json!(2)));
    assert_eq!(response["Collections"], json!(["Notes"]));
    assert!(begin(&notes(), json!({ "PageSize": 0 }), &caller(Some("ann"))).is_err());
}

#[test]
fn the_request_is_written_anew_with_parameters_and_claims() {
    let begun = begin(&notes(), json!({ "Parameters": { "least": 2 } }), &caller(Some("ann")));
    let Ok(Step::Forward(forward)) = begun else { panic!("{begun:?}") };
    assert_eq!(forward.path, "/databases/Shop/queries");
    assert_eq!(
        forward.body.unwrap(),
        "{\"Query\":\"from Notes where owner = $name and size >= $least include product\",\
         \"QueryParameters\":{\"least\":2,\"name\":\"ann\"},\"Start\":0,\"PageSize\":3}"
    );
}

#[test]
fn a_missing_claim_finds_nothing_and_asks_nobody() {
    let (sent, response) = page(&notes(), &["ann"], json!({}), &caller(None));
    assert_eq!(
        (sent, response),
        (0, json!({ "Results": [], "Includes": {}, "IsStale": false, "Next": null, "Collections": ["Notes"] }))
    );
}

#[test]
fn a_request_that_is_not_declared_is_refused() {
    let ann = caller(Some("ann"));
    let (_, response) = page(&notes(), &["ann"; 9], json!({}), &ann);
    let next = response["Next"].clone();
    for body in [
        json!({ "Query": "from Secrets" }),
        json!({ "Parameters": { "name": "bob" } }),
        json!({ "Parameters": { "least": "0" } }),
        json!({ "PageSize": 0 }),
        json!({ "Skip": 21 }),
        json!({ "Next": "x" }),
        // Sealed for other parameters.
        json!({ "Next": next, "Parameters": { "least": 1 } }),
    ] {
        assert!(begin(&notes(), body.clone(), &ann).is_err(), "{body}");
    }
    assert!(begin(&notes(), json!({ "Next": next }), &ann).is_ok());
    assert!(begin(&notes(), json!({ "Next": next }), &caller(Some("bob"))).is_err(), "sealed for another caller");
}

#[test]
fn a_larger_page_than_the_largest_is_the_largest_and_goes_on() {
    let ann = caller(Some("ann"));
    let (_, response) = page(&notes(), &["ann"; 9], json!({ "PageSize": 1_024 }), &ann);
    assert_eq!(response["Results"].as_array().unwrap().len(), 5);
    let (_, rest) = page(&notes(), &["ann"; 9], json!({ "PageSize": 1_024, "Next": response["Next"] }), &ann);
    assert_eq!((rest["Results"].as_array().unwrap().len(), &rest["Next"]), (4, &Value::Null));
    // A small page may begin as far behind as the largest one.
    let (_, one) = page(&notes(), &["ann"; 30], json!({ "PageSize": 1, "Skip": 20 }), &ann);
    assert_eq!(one["Results"][0]["@metadata"]["@id"], "notes/20-A");
}

#[test]
fn a_projection_has_the_declared_members_of_visible_documents() {
    let queries =
        queries(json!({ "query": "from Notes", "projection": ["product"], "total": true, "wait": 1500 })).unwrap();
    let begun = begin(&queries, json!({}), &caller(Some("ann")));
    let Ok(Step::Forward(forward)) = begun else { panic!("{begun:?}") };
    assert!(forward.body.unwrap().contains("\"WaitForNonStaleResultsTimeout\":\"00:00:01.5000000\""));
    let (_, response) = page(&queries, &["bob", "ann"], json!({}), &caller(Some("ann")));
    let metadata = json!({ "@id": "notes/1-A", "@collection": "Notes", "@projection": true });
    assert_eq!(response["Results"], json!([{ "product": "products/1-A", "@metadata": metadata }]));
    assert_eq!(response["TotalResults"], 2);
}

#[test]
fn an_error_of_the_configuration_names_its_place() {
    for (query, error) in [
        (json!({}), "notes.query: the text"),
        (json!({ "query": "from Notes select a" }), "notes.query: `select` is not accepted"),
        (json!({ "query": "from Notes where a = $nmae" }), "notes.query: $nmae is neither"),
        (
            json!({ "query": "from Notes where a = $name", "parameters": { "name": { "type": "string" } } }),
            "notes.query: $name is both",
        ),
        (
            json!({ "query": "from Notes", "parameters": { "x": { "type": "string" } } }),
            "notes.parameters.x: the query does not use it",
        ),
        (json!({ "query": "from Notes", "page": { "default": 9, "max": 5 } }), "notes.page.default: is above"),
        (json!({ "query": "from Notes", "page": { "size": 9 } }), "notes.page.size: is not known"),
        (json!({ "query": "from Notes", "wait": 100_000 }), "notes.wait: must be a whole number"),
        (json!({ "query": "from Notes", "projection": [] }), "notes.projection: must be"),
        (json!({ "query": "from Notes", "projection": ["@metadata"] }), "notes.projection: must be"),
        (json!({ "query": "from Notes", "limit": 5 }), "notes.limit: is not known"),
        (json!({ "query": "from Secrets" }), "notes.query: callers may not read \"Secrets\""),
        (json!({ "query": "from Drafts" }), "notes.query: callers may not read \"Drafts\""),
        (json!({ "query": "from index 'x'", "collections": ["Secrets"] }), "notes.collections: callers may not read"),
        (json!({ "query": "from" }), "notes.query: `from` needs"),
    ] {
        let found = queries(query.clone()).unwrap_err();
        assert!(found.starts_with(error), "{query}: {found}");
    }
}
