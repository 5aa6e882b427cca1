//! `/topology`, `/build/version` and `configuration/client`.

use super::same_name;
use crate::authority::{Options, SERVER_VERSION};
use crate::error::{Error, json_string};
use crate::message::Response;
use crate::prelude::*;
use crate::query::Query;

pub(crate) fn build_version() -> Response {
    Response::new(
        200,
        r#"{"BuildVersion":72051,"ProductVersion":"7.2","CommitHash":"raven-edge","FullVersion":"7.2.7"}"#,
    )
}

pub(crate) fn client_configuration() -> Response {
    Response::new(200, r#"{"Etag":-2,"Configuration":null}"#)
}

pub(crate) fn topology(options: &Options, query: &Query) -> Result<Response, Error> {
    let name = query.required("name")?;
    if !same_name(name, &options.database) {
        return Ok(database_missing(name));
    }
    let nodes: Vec<String> = options
        .nodes
        .iter()
        .map(|node| {
            format!(
                r#"{{"Url":{},"ClusterTag":{},"ServerRole":"Member","Database":{},"ServerVersion":"{SERVER_VERSION}"}}"#,
                json_string(&node.url),
                json_string(&node.tag),
                json_string(name)
            )
        })
        .collect();
    Ok(Response::new(
        200,
        format!(r#"{{"Promotables":[],"Nodes":[{}],"Etag":{}}}"#, nodes.join(","), options.topology_etag),
    ))
}

/// The response for a database that does not exist. No other error response has a body with only `Type` and `Message`, and no other
/// one has the header `Database-Missing`.
pub(crate) fn database_missing(name: &str) -> Response {
    let message = json_string(&format!("Database {name} wasn't found"));
    // Headers are ASCII only, so other characters of the name are escaped.
    let header: String = name
        .chars()
        .flat_map(|c| if c.is_ascii_graphic() || c == ' ' { vec![c] } else { c.escape_unicode().collect() })
        .collect();
    Response::new(503, format!(r#"{{"Type":"Error","Message":{message}}}"#)).with("Database-Missing", header)
}
