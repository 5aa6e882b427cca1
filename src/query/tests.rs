use super::*;
use alloc::format;
use alloc::string::ToString;
use std::vec;

fn body(calls: &str) -> String {
    render(calls).unwrap_or_else(|error| panic!("{calls}: {error:?}"))
}

/// Text and parameters of a query of the orders.
fn orders(calls: &str) -> (String, String) {
    let body = body(&format!(r#"[["collection","Orders"]{}{calls}]"#, if calls.is_empty() { "" } else { "," }));
    let read: serde_json::Value = serde_json::from_str(&body).unwrap();
    let text = read["Query"].as_str().unwrap();
    (text.strip_prefix("from 'Orders'").unwrap().into(), read["QueryParameters"].to_string())
}

#[test]
fn conditions() {
    for (calls, text, parameters) in [
        ("", "", "{}"),
        (r#"["whereEquals","name","a"]"#, " where name = $p0", r#"{"p0":"a"}"#),
        (r#"["whereEquals","id","orders/1-A"]"#, " where id() = $p0", r#"{"p0":"orders/1-A"}"#),
        (r#"["whereEquals","a",1,true]"#, " where exact(a = $p0)", r#"{"p0":1}"#),
        (
            r#"["whereNotEquals","a",null],["whereIn","b",[1,"x"]]"#,
            " where a != $p0 and b in ($p1)",
            r#"{"p0":null,"p1":[1,"x"]}"#,
        ),
        (
            r#"["whereBetween","a",1,null],["orElse"],["whereBetween","a",null,2,true]"#,
            " where a between $p0 and $p1 or exact(a between $p2 and $p3)",
            r#"{"p0":1,"p1":"NULL","p2":"*","p3":2}"#,
        ),
        (
            r#"["whereGreaterThan","a",null],["whereLessThanOrEqual","a",null]"#,
            " where a > $p0 and a <= $p1",
            r#"{"p0":"*","p1":"NULL"}"#,
        ),
        (r#"["not"],["whereEquals","a",1]"#, " where a != $p0", r#"{"p0":1}"#),
        (r#"["not"],["not"],["whereEquals","a",1]"#, " where a = $p0", r#"{"p0":1}"#),
        (r#"["not"],["whereStartsWith","a","x"]"#, " where exists(a) and not startsWith(a, $p0)", r#"{"p0":"x"}"#),
        (r#"["not"],["whereExists","a"]"#, " where true and not exists(a)", "{}"),
        (
            r#"["whereExists","b"],["not"],["openSubclause"],["whereRegex","a","x"],["closeSubclause"]"#,
            " where exists(b) and not (regex(a, $p0))",
            r#"{"p0":"x"}"#,
        ),
        (
            r#"["not"],["openSubclause"],["whereEndsWith","a","x"],["closeSubclause"]"#,
            " where true and not (endsWith(a, $p0))",
            r#"{"p0":"x"}"#,
        ),
        (
            r#"["search","a","x y","AND"],["proximity",3],["search","b","z"]"#,
            " where proximity(search(a, $p0, and), 3) or search(b, $p1)",
            r#"{"p0":"x y","p1":"z"}"#,
        ),
        (
            r#"["openSubclause"],["openSubclause"],["whereEquals","a",1],["closeSubclause"],["closeSubclause"],["boost",2.5]"#,
            " where boost((a = $p0), $p1)",
            r#"{"p0":1,"p1":2.5}"#,
        ),
        (r#"["whereEquals","a",1],["fuzzy",0.5],["boost",2]"#, " where boost(fuzzy(a = $p0, 0.5), 2)", r#"{"p0":1}"#),
        (
            r#"["usingDefaultOperator","OR"],["containsAny","a",[1]],["containsAll","a",[]],["containsAll","a",[2]]"#,
            " where a in ($p0) or true or a all in ($p1)",
            r#"{"p0":[1],"p1":[2]}"#,
        ),
        (
            r#"["whereEquals","a",1],["orElse"],["whereEquals","b",2],["andAlso",true],["whereLucene","c","x*"]"#,
            " where (a = $p0 or b = $p1) and lucene(c, $p2)",
            r#"{"p0":1,"p1":2,"p2":"x*"}"#,
        ),
        (r#"["andAlso"],["orElse"],["whereEquals","a",1],["boost",1]"#, " where a = $p0", r#"{"p0":1}"#),
        (
            r#"["whereEquals","a",1],["intersect"],["whereEquals","b",2]"#,
            " where intersect(a = $p0, b = $p1) ",
            r#"{"p0":1,"p1":2}"#,
        ),
    ] {
        assert_eq!(orders(calls), (text.to_string(), parameters.to_string()), "{calls}");
    }
}

#[test]
fn the_rest_of_a_query() {
    for (calls, text, parameters) in [
        (
            r#"["orderBy","a"],["orderByDescending","b","Long"],["orderBy","c","Double","Last"],["orderByScore"],["orderByScoreDescending"]"#,
            " order by a, b as long desc, c as double nulls last, score(), score() desc",
            "{}",
        ),
        (
            r#"["orderByDescending","a","AlphaNumeric","First"],["orderBy","a",null,null,"my'sorter"]"#,
            r" order by a as alphaNumeric desc nulls first, custom(a, 'my\'sorter')",
            "{}",
        ),
        (r#"["randomOrdering"],["randomOrdering","it's"]"#, r" order by random(), random('it\'s')", "{}"),
        (r#"["skip",2],["take",5]"#, " limit $p0, $p1", r#"{"p0":2,"p1":5}"#),
        (r#"["skip",0]"#, "", "{}"),
        (r#"["skip",0],["take",0]"#, " limit $p0, $p1", r#"{"p0":0,"p1":0}"#),
        (r#"["take",5]"#, " limit $p0, $p1", r#"{"p0":null,"p1":5}"#),
        (
            r#"["include","customer"],["include","customer"],["include","lines[].product"],["timings"]"#,
            " include customer,'lines[].product',timings()",
            "{}",
        ),
        (r#"["timings"]"#, " include timings()", "{}"),
        (
            r#"["groupBy","customer"],["groupByArray","tags"],["whereEquals","id",1],["selectKey"],["selectKey","customer","who"],["selectSum","total","sum"],["selectCount",null,"count"]"#,
            " group by customer, Array(tags) where id = $p0 select key(), customer as 'who', sum(total) as sum, count() as count",
            r#"{"p0":1}"#,
        ),
        (
            r#"["distinct"],["selectFields","id","id","b","c","@metadata.@nested-object-types","__PROJECTED_NESTED_OBJECT_TYPES__"]"#,
            " select distinct id() as id, b as c, @metadata.@nested-object-types as __PROJECTED_NESTED_OBJECT_TYPES__",
            "{}",
        ),
        (
            r#"["whereEquals","a.b",1],["orderBy","id"],["selectFields","my field","my field","a","a","'x'","'x'","@metadata.@nested-object-types","__PROJECTED_NESTED_OBJECT_TYPES__"],["include","c"]"#,
            r" as doc where doc.a.b = $p0 order by id() select doc.'my field' as 'my field', doc.a as a, doc.'x' as '\'x\'', doc.@metadata.@nested-object-types as __PROJECTED_NESTED_OBJECT_TYPES__ include 'c'",
            r#"{"p0":1}"#,
        ),
        (r#"["distinct"]"#, " select distinct *", "{}"),
        (
            r#"["addParameter","$p1","mine"],["whereEquals","a",1],["whereEquals","b",2]"#,
            " where a = $p2 and b = $p3",
            r#"{"p1":"mine","p2":1,"p3":2}"#,
        ),
    ] {
        let (found, found_parameters) = orders(calls);
        assert_eq!(found, text, "{calls}");
        if !calls.contains("addParameter") {
            assert_eq!(found_parameters, parameters, "{calls}");
        }
    }
}

#[test]
fn options_are_beside_the_text() {
    assert_eq!(
        body(
            r#"[["index","Orders/By'Name"],["waitForNonStaleResults",500],["waitForNonStaleResults",300],["noCaching"]]"#
        ),
        r#"{"Query":"from index 'Orders/By\\'Name'","WaitForNonStaleResults":true,"WaitForNonStaleResultsTimeout":500,"DisableCaching":true,"QueryParameters":{}}"#
    );
    assert_eq!(
        body(r#"[["raw","from Orders where a = $a"],["addParameter","a",{"b":[1]}],["skip",1]]"#),
        r#"{"Query":"from Orders where a = $a limit $p1, $p2","QueryParameters":{"a":{"b":[1]},"p1":1,"p2":null}}"#
    );
}

#[test]
fn a_function_of_the_app_stands_as_it_is() {
    let calls = r#"[["collection","Orders","o"],["whereEquals","a",1],["selectFields","{ 'x': o.a }",null]]"#;
    assert!(body(calls).contains("from 'Orders' as o where a = $p0 select { 'x': o.a }\""));
}

#[test]
fn a_query_that_goes_on_is_checked_without_its_end() {
    assert_eq!(render(r#"[["collection","x"],["openSubclause"],["check"]]"#).unwrap(), "");
    assert!(render(r#"[["collection","x"],["boost",2],["check"]]"#).is_err());
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (calls, code) in [
        ("[]", Code::InvalidOperation),
        ("[[1]]", Code::InvalidArgument),
        (r#"[["collection","Orders"],["whereEquals","",1]]"#, Code::InvalidArgument),
        (r#"[["collection","Orders"],["whereEquals",3,1]]"#, Code::InvalidArgument),
        (r#"[["collection","Orders"],["nonsense"]]"#, Code::InvalidArgument),
        (r#"[["collection","Orders"],["openSubclause"]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["closeSubclause"]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["whereEquals","a",1],["andAlso"],["orElse"]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["boost",2]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["whereEquals","a",1],["boost",-1]]"#, Code::InvalidArgument),
        (r#"[["collection","Orders"],["whereEquals","a",1],["fuzzy",1.5]]"#, Code::InvalidArgument),
        (r#"[["collection","Orders"],["whereExists","a"],["fuzzy",0.5]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["whereEquals","a",1],["proximity",1]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["take",-1]]"#, Code::InvalidArgument),
        (r#"[["collection","Orders"],["distinct"],["distinct"]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["whereEquals","a",1],["usingDefaultOperator","OR"]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["addParameter","a",1],["addParameter","$a",1]]"#, Code::InvalidOperation),
        (r#"[["index","x"],["groupBy","a"]]"#, Code::InvalidOperation),
        (r#"[["raw","x"],["whereEquals","a",1]]"#, Code::InvalidOperation),
        (r#"[["collection","Orders"],["intersect"]]"#, Code::InvalidOperation),
    ] {
        assert_eq!(render(calls).map_err(|error| error.code), Err(code), "{calls}");
    }
}

#[test]
fn names_that_rql_would_read_otherwise_are_quoted() {
    for (field, shown) in [
        ("name", "name"),
        ("lines[].product", "lines[].product"),
        ("@metadata.@collection", "@metadata.@collection"),
        ("größe", "'größe'"),
        ("lines[0].product", "lines[0].product"),
        ("a[", "'a['"),
        ("a@b", "'a@b'"),
        ("@", "'@'"),
        ("order.name", "'order.name'"),
        ("my field", "'my field'"),
        ("it's", r"'it\'s'"),
        ("Order", "'Order'"),
        ("1a", "'1a'"),
        ("a..b", "'a..b'"),
        ("a.", "'a.'"),
        ("count()", "'count()'"),
        ("'my field'", "'my field'"),
        ("'my field'.name", "'my field'.name"),
        ("'a''b'", r"'\'a\'\'b\''"),
        ("'a", r"'\'a'"),
        (r"'a\'", r"'\'a\\\''"),
        ("a'b'", r"'a\'b\''"),
        (r"a\", r"'a\\'"),
        ("''", r"'\'\''"),
    ] {
        assert_eq!(field::alias(field), shown);
    }
    for id in ["id", "id()"] {
        assert_eq!(Names::default().name(id), "id()");
    }
}

/// What RQL sees: quoted texts as one sign each, everything else as it is. `None`: a quote is never closed.
fn shape(text: &str) -> Option<Vec<String>> {
    let mut signs = vec![];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                loop {
                    match letters.next()? {
                        '\\' => drop(letters.next()?),
                        end if end == letter => break,
                        _ => {}
                    }
                }
                signs.push("quoted".to_string());
            }
            ' ' => {}
            _ if letter.is_alphanumeric() || "_@-.[]$".contains(letter) => {
                let mut word = letter.to_string();
                while let Some(next) = letters.next_if(|next| next.is_alphanumeric() || "_@-.[]$".contains(*next)) {
                    word.push(next);
                }
                signs.push(word);
            }
            _ => signs.push(letter.to_string()),
        }
    }
    Some(signs)
}

const HOSTILE: &str = r#"'|"|\|''|\'|)|(|,|$p0|--|//|/*|;| or true | and |=|where|select|a|Z|.|..|[|]|@|\n|\u0000|é|💥| |{|}|id()|limit 0"#;

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(17), cases: 2_000, ..Default::default() })]

    #[test]
    fn nothing_that_an_app_gives_changes_the_structure(
        picks in proptest::collection::vec(0..HOSTILE.split('|').count(), 1..8),
        noise in ".{0,6}",
    ) {
        let mut hostile: String = picks.iter().filter_map(|at| HOSTILE.split('|').nth(*at)).collect();
        hostile.push_str(&noise);
        // RQL's word for the id is no name.
        proptest::prop_assume!(hostile != "id()");
        let given = serde_json::to_string(&hostile).unwrap();
        let calls = |name: &str| {
            format!(
                r#"[["collection",{name}],["groupBy",{name}],["whereEquals",{name},{given}],["search",{name},{given}],["orderBy",{name},null,null,{name}],["include",{name}],["selectKey",{name},"shown so"],["selectKey","key",{name}],["selectSum",{name},{name}],["selectFields",{name},{name}],["addParameter","x",{given}]]"#
            )
        };
        let text = |name: &str| {
            let body: serde_json::Value = serde_json::from_str(&render(&calls(name)).unwrap()).unwrap();
            proptest::prop_assert_eq!(&body["QueryParameters"]["p0"], &serde_json::Value::String(hostile.clone()));
            Ok(shape(body["Query"].as_str().unwrap()).expect("quotes are closed"))
        };
        // A name is one sign, quoted or a word as it is; nothing is added and nothing is lost.
        let plain = !field::alias(&hostile).starts_with('\'');
        let (harmless, found) = (text(if plain { r#""plain""# } else { r#""my field""# })?, text(&given)?);
        let same = |found: &[String], harmless: &[String]| {
            let alike = |(found, harmless): (&String, &String)| match harmless.as_str() {
                "plain" => *found == hostile || found == "quoted",
                harmless => found == harmless,
            };
            found.len() == harmless.len() && found.iter().zip(harmless).all(alike)
        };
        let folded: Vec<String> = fold(&found, &hostile);
        proptest::prop_assert!(same(&folded, &fold(&harmless, "my field")), "{:?}\n{:?}", folded, harmless);
    }

    #[test]
    fn any_calls_are_survived(text: String, bytes in "[\\[\\]\\{\\}\",:a-z0-9\\\\ ]{0,60}") {
        let _ = render(&text);
        let _ = render(&bytes);
        let _ = render(&format!(r#"[["collection","x"],[{bytes}]]"#));
    }
}

/// A projection names its field a second time only where RQL calls it otherwise, and an app may have quoted parts of a
/// name itself (`'my field'.name`): both are made one form.
fn fold(signs: &[String], name: &str) -> Vec<String> {
    let mut folded: Vec<String> = vec![];
    for sign in signs {
        let own = name.contains('\'') && (sign.starts_with('.') || sign == "quoted");
        if own && folded.last().is_some_and(|last| last == "quoted") {
            continue;
        }
        folded.push(sign.clone());
    }
    folded
}
