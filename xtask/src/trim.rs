//! Cuts out of the glue of wasm-bindgen 0.2.130 what nobody here can reach; the gate and the façade's `Runtime` already
//! keep calls away from instances that are gone.

use anyhow::{Result, bail};

/// Statements that go, by how their first line begins, with the braces they open.
const CUTS: [&str; 7] = [
    // Every entry of an object is called through `Runtime.bound`, which knows the instance.
    "if (this.__wbg_inst !== undefined",
    "Object.defineProperty(obj, '__wbg_inst'",
    "Object.defineProperty(this, '__wbg_inst'",
    // For `using`; objects are freed by those who own them.
    "if (Symbol.dispose)",
    // Replaces the instance on demand of the module, which never asks.
    "__wbg_call_guard();",
    // For engines from before `encodeInto`; these have no `WeakRef` and no modules either.
    "if (!('encodeInto' in cachedTextEncoder))",
    // Nobody here calls it with deprecated parameters.
    "console.warn('using deprecated parameters for",
];

/// The glue without them.
pub(crate) fn trim(glue: &str) -> Result<String> {
    let mut found = [false; CUTS.len()];
    let mut kept = Vec::new();
    let mut lines = glue.lines();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let Some(cut) = CUTS.iter().position(|cut| text.starts_with(cut)) else {
            kept.push(line);
            continue;
        };
        found[cut] = true;
        if line.ends_with('{') {
            let end = format!("{}}}", &line[..line.len() - text.len()]);
            if !lines.any(|line| line == end) {
                bail!("the generated glue has a statement without an end: {text}");
            }
        }
    }
    if let Some(at) = found.iter().position(|found| !found) {
        bail!("the generated glue has no `{}`: look how this wasm-bindgen writes it", CUTS[at]);
    }
    // Said once and not for every class; workerd before 2025-05-05 is without.
    let said = "(typeof FinalizationRegistry === 'undefined')\n    ? { register: () => {}, unregister: () => {} }\n    : new FinalizationRegistry(";
    let once = "\nfunction finalization(free) { const none = () => {}; return globalThis.FinalizationRegistry ? \
                new FinalizationRegistry(free) : { register: none, unregister: none }; }\n";
    Ok(kept.join("\n").replace(said, "finalization(") + once)
}

#[cfg(test)]
mod tests {
    use super::{CUTS, trim};

    #[test]
    fn statements_go_whole() {
        let each: String = CUTS.iter().map(|cut| format!("{cut}\n")).collect();
        let text = format!("{each}a {{\n  if (this.__wbg_inst !== undefined && x) {{\n    throw b;\n  }}\n  c\n}}");
        assert!(trim(&text).unwrap().starts_with("a {\n  c\n}\n"));
        assert!(trim("a\nb").is_err(), "glue of another shape is looked at");
    }
}
