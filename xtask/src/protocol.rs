//! The constants that the package shares with the core, written from the core's own table.

use crate::repo;
use anyhow::{Context, Result};
use raven_edge::protocol::{TABLE, Value};
use std::fmt::Write;
use std::fs;

/// Writes `pkg/gen/protocol.js`.
pub(crate) fn write() -> Result<()> {
    let mut text = String::from("// Written by `cargo xtask build` from src/protocol.rs.\n");
    for (module, name, value) in TABLE {
        let value = match value {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => serde_json::to_string(text)?,
        };
        writeln!(text, "export const {}_{name} = {value};", module.to_uppercase())?;
    }
    fs::create_dir_all(repo::path("pkg/gen"))?;
    let file = repo::path("pkg/gen/protocol.js");
    fs::write(&file, text).with_context(|| file.display().to_string())
}
