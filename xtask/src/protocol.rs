//! The constants that the package shares with the core, written from the core's own table.

use crate::repo;
use anyhow::{Context, Result};
use raven_edge::protocol::{TABLE, Value};
use std::fmt::Write;
use std::fs;

/// Writes `pkg/gen/protocol.js` and its types: a number or a text has the type of its one value.
pub(crate) fn write() -> Result<()> {
    let mut text = String::from("// Written by `cargo xtask build` from src/protocol.\n");
    let mut types = text.clone();
    for (module, name, value) in TABLE.into_iter().flatten() {
        let (value, kind) = match value {
            Value::Number(number) => (number.to_string(), None),
            Value::Text(text) => (serde_json::to_string(text)?, None),
            Value::List(texts) => (serde_json::to_string(texts)?, Some("readonly string[]")),
        };
        writeln!(text, "export const {}_{name} = {value};", module.to_uppercase())?;
        writeln!(types, "export declare const {}_{name}: {};", module.to_uppercase(), kind.unwrap_or(&value))?;
    }
    fs::create_dir_all(repo::path("pkg/gen"))?;
    fs::write(repo::path("pkg/gen/protocol.d.ts"), types).context("pkg/gen/protocol.d.ts")?;
    fs::write(repo::path("pkg/gen/protocol.js"), text).context("pkg/gen/protocol.js")
}
