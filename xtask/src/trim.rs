//! Makes the glue of wasm-bindgen 0.2.130 small: cuts what nobody here can reach, and has `js/trim.js` say once what it says for
//! every class and every call. The gate and the façade's `Runtime` keep calls away from instances that are gone.

use crate::names::replace_word;
use anyhow::{Context, Result, bail};

/// Stands before the glue.
const HELPERS: &str = include_str!("../js/trim.js");

/// Ends the part in which the façade calls the module; behind it the module calls the façade.
const IMPORTS: &str = "function __wbg_get_imports() {";

/// Statements that go, by how their first line begins, with the braces they open.
const CUTS: [&str; 18] = [
    // Every entry of an object is called through `Runtime.bound`, which knows the instance.
    "if (this.__wbg_inst !== undefined",
    "Object.defineProperty(this, '__wbg_inst'",
    // For `using`; objects are freed by those who own them.
    "if (Symbol.dispose)",
    // Replaces the instance on demand of the module, which never asks.
    "__wbg_call_guard();",
    "__wbg_reinit_scheduled = false;",
    "if (typeof numBytesDecoded",
    "if (typeof WASM_VECTOR_LEN",
    // For engines from before `encodeInto`; these have no `WeakRef` and no modules either.
    "if (!('encodeInto' in cachedTextEncoder))",
    // After 2 GB a decoder of Safari's fails; no page reads so many names and messages.
    "numBytesDecoded += bytes.length;",
    "if (numBytesDecoded >= MAX_SAFARI_DECODE_BYTES)",
    // An import is found without.
    "__proto__: null,",
    // Nobody here calls it with deprecated parameters.
    "console.warn('using deprecated parameters for",
    // `Owned` does it for all classes.
    "static __wrap(ptr)",
    "__destroy_into_raw()",
    "free()",
    "return this;",
    // Shorter in `js/trim.js`.
    "function passStringToWasm0(",
    "function passArray",
];

/// What is said shorter.
const PHRASES: [(&str, &str); 8] = [
    (": function(arg", "(arg"),
    ("__wbg_ptr", "ptr"),
    ("ptr / 1", "ptr"),
    (", wasm.__wbindgen_malloc, wasm.__wbindgen_realloc)", ")"),
    (", wasm.__wbindgen_malloc)", ")"),
    // No pointer, no length.
    (" ? 0 : pass", " ? [0, 0] : pass"),
    ("return getStringFromWasm0(ret[0], ret[1]);", "return takeString(ret[0], ret[1]);"),
    (
        "wasmInstance = new WebAssembly.Instance(wasmModule, __wbg_get_imports());
    wasm = guard(wasmInstance.exports);
    wasm.__wbindgen_start();",
        "__wbg_finalize_init(new WebAssembly.Instance(wasmModule, __wbg_get_imports()), wasmModule);",
    ),
];

/// The gated glue, made small.
pub(crate) fn trim(glue: &str) -> Result<String> {
    let mut text = cut(glue)?;
    for (long, short) in PHRASES {
        text = text.replace(long, short);
    }
    let (calls, imports) = text.split_once(IMPORTS).context("the generated glue has no imports")?;
    let small = taken(&format!("{}{IMPORTS}{imports}", shorten(calls)))?;
    Ok(format!("{HELPERS}{}", owned(&small)))
}

/// The glue without the statements that go.
fn cut(glue: &str) -> Result<String> {
    let mut found = [false; CUTS.len()];
    let mut kept = Vec::new();
    let mut lines = glue.lines();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        if line.contains("Finalization = (typeof FinalizationRegistry") {
            lines.find(|line| *line == "});").context("a registry without an end")?;
            continue;
        }
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
    Ok(kept.join("\n"))
}

/// Calls of exports with their arguments in their places: wasm-bindgen makes variables of all of them first, to free them
/// where a later one throws. None does here.
fn shorten(calls: &str) -> String {
    let mut arguments = Vec::new();
    let mut kept = Vec::new();
    let mut lines = calls.lines();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let (left, right) = text.trim_end_matches(';').split_once(" = ").unwrap_or_default();
        let name = left.trim_start_matches("const ").trim_start_matches("var ");
        if let Some(at) = name.strip_prefix("ptr") {
            arguments.push((format!("{name}, len{at}"), format!("...{right}")));
        } else if name.starts_with("val") {
            // A call converts its numbers itself.
            arguments.push((name.to_owned(), right.trim_start_matches('+').to_owned()));
        } else if text.starts_with("} catch") || text.starts_with("} finally") {
            let end = format!("{}}}", &line[..line.len() - text.len()]);
            lines.find(|line| *line == end);
        } else if text.contains("wasm.") {
            let mut call = line.replace("ret = wasm.", "const ret = wasm.");
            for (name, value) in arguments.drain(..) {
                call = replace_word(&call, &name, &value);
            }
            kept.push(call);
        } else if !["try {", "let ret;", "let ptr0", "let deferred", "deferred", "len", "const len", "var len"]
            .iter()
            .any(|begin| text.starts_with(begin))
        {
            kept.push(line.to_owned());
        }
    }
    kept.join("\n") + "\n"
}

/// Texts that the module gives away: read and freed in one.
fn taken(glue: &str) -> Result<String> {
    let mut kept: Vec<String> = Vec::new();
    for line in glue.lines() {
        if line.trim_start().starts_with("wasm.__wbindgen_free(") {
            let read = kept.last_mut().context("nothing is read before it is freed")?;
            if !read.contains(" = getStringFromWasm0(") {
                bail!("the generated glue frees something that is no text: {line}");
            }
            *read = read.replace("getStringFromWasm0", "takeString");
        } else {
            kept.push(line.to_owned());
        }
    }
    Ok(kept.join("\n"))
}

/// Classes that are `Owned`.
fn owned(glue: &str) -> String {
    let mut text = glue.to_owned();
    for class in glue.lines().filter_map(|line| line.strip_prefix("export class ")?.strip_suffix(" {")) {
        let free = format!("wasm.__wbg_{}_free(ptr, ", class.to_lowercase());
        let head = format!("export class {class} extends Owned {{\n  static free(ptr, lost) {{ {free}lost); }}");
        text = text.replace(&format!("export class {class} {{"), &head);
        text = text.replace(&format!("{class}.__wrap("), &format!("new {class}("));
    }
    let lines = text.lines().filter(|line| !line.contains("Finalization.register(")).map(|line| {
        let made = line.trim_start().strip_prefix("this.ptr = ").and_then(|made| made.strip_suffix(';'));
        made.map_or_else(|| line.to_owned(), |made| format!("super({made});"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{CUTS, HELPERS, IMPORTS, trim};

    fn trimmed(calls: &str, imports: &str) -> String {
        let cuts: String = CUTS.iter().map(|cut| format!("{cut}\n")).collect();
        let text = trim(&format!("{cuts}{calls}\n{IMPORTS}\n{imports}")).unwrap();
        text.strip_prefix(HELPERS).unwrap().to_owned()
    }

    #[test]
    fn statements_go_whole() {
        let text = trimmed("a {\n  if (this.__wbg_inst !== undefined && x) {\n    throw b;\n  }\n  c\n}", "");
        assert!(text.starts_with("a {\n  c\n}\n"));
    }

    #[test]
    fn arguments_stand_where_they_are_used() {
        let load = "const val3 = +many;
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = passStringToWasm0(route, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = isLikeNone(body) ? 0 : passStringToWasm0(body, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            throw e;
        }
        let ret;
        ret = wasm.load(this.__wbg_ptr, ptr0, len0, ptr1, len1, val3);";
        let call = "const ret = wasm.load(this.ptr, ...passStringToWasm0(route), \
                    ...isLikeNone(body) ? [0, 0] : passStringToWasm0(body), many);";
        assert_eq!(trimmed(load, "").lines().next().unwrap().trim(), call);
    }

    #[test]
    fn texts_are_read_and_freed_in_one() {
        let text = trimmed("", "v0 = getStringFromWasm0(a, b);\nwasm.__wbindgen_free(a, b * 1, 1);\nhand(v0);");
        assert!(text.ends_with("v0 = takeString(a, b);\nhand(v0);"));
    }

    #[test]
    fn classes_are_owned() {
        let text = trimmed("export class Task {\n}\nTask.__wrap(ret)", "");
        let head =
            "export class Task extends Owned {\n  static free(ptr, lost) { wasm.__wbg_task_free(ptr, lost); }\n}";
        assert!(text.starts_with(&format!("{head}\nnew Task(ret)")));
    }

    #[test]
    fn glue_of_another_shape_is_looked_at() {
        assert!(trim("a\nb").is_err());
        assert!(trim(&format!("{}\n{IMPORTS}\na;\nwasm.__wbindgen_free(a, b, 1);", CUTS.join("\n"))).is_err());
    }
}
