// Simplifies the JavaScript that wasm-bindgen has written to FILE: the same calls in half of the bytes. Usage: glue.mjs FILE
// wasm-bindgen writes it for modules and callers of every kind. Ours are called by typed code, and their exports never throw: errors leave
// as results, and after a trap the instance is not entered again.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

const [, , file] = process.argv;
let glue = readFileSync(file, "utf8");

/** No glue contains these texts afterwards. If one does, wasm-bindgen has changed. */
const GONE = [
  "__wbg_call_guard",
  "__wbg_inst ",
  "const val2 = +",
  "Finalization.register(obj, { ptr",
  "Symbol.dispose",
  "if (ptr0)",
  "malloc, realloc",
  "using deprecated parameters for `initSync()`",
];

function replace(pattern, by) {
  glue = glue.replaceAll(pattern, by);
}

/** Methods and functions, with their bodies. */
const FUNCTION = /^( *)(?:export function )?\w+\([^\n]*\) \{\n[\s\S]*?\n\1\}\n/gm;

// Memory that is passed to an export belongs to it. If a later argument could not be passed, the earlier ones would have to be freed.
replace(
  /^ *let ptr\d, len.*;\n *try \{\n([\s\S]*?) *\} catch \(e\) \{\n(?: *if \(ptr.*\n)+ *throw e;\n *\}\n/gm,
  (_, passed) => passed.replaceAll(/^ *(?=ptr|len)/gm, "const "),
);
// The engine converts numbers and booleans.
replace(FUNCTION, (body) => {
  for (const [line, name, value] of body.matchAll(/^ *const (val\d+) = \+(.*);\n/gm))
    body = body.replace(line, "").replace(new RegExp(`\\b${name}\\b`), () => value);
  return body;
});
// Our code calls `free()`.
replace(/^if \(Symbol\.dispose\).*\n/gm, "");
// Functions that pass arguments get memory themselves, instead of the function that gives it.
replace(/(\bpass\w+ToWasm0\(\w+), wasm\.__wbindgen_malloc(?:, wasm\.__wbindgen_realloc)?\)/g, "$1)");
replace(/^function (passArray\w+)\(arg(?:ray)?, malloc\) \{[\s\S]*?\n\}\n/gm, (text) =>
  text.replace(", malloc)", ")").replace("malloc(", "wasm.__wbindgen_malloc("),
);
// Most texts are ASCII, which has one byte for each character.
replace(
  /^function passStringToWasm0[\s\S]*?\n\}\n/gm,
  `function passStringToWasm0(text) {
    const { length } = text;
    const ptr = wasm.__wbindgen_malloc(length, 1) >>> 0;
    const { read } = cachedTextEncoder.encodeInto(text, getUint8ArrayMemory0().subarray(ptr, ptr + length));
    WASM_VECTOR_LEN = length;
    if (read === length) return ptr;
    wasm.__wbindgen_free(ptr, length, 1);
    return passArray8ToWasm0(cachedTextEncoder.encode(text));
}
`,
);
if (glue.includes("return passArray8ToWasm0(cached") && !glue.includes("function passArray8ToWasm0"))
  glue += `function passArray8ToWasm0(bytes) {
    const ptr = wasm.__wbindgen_malloc(bytes.length, 1) >>> 0;
    getUint8ArrayMemory0().set(bytes, ptr);
    WASM_VECTOR_LEN = bytes.length;
    return ptr;
}
`;
replace(/^if \(!\('encodeInto' in [\s\S]*?\n\}\n/gm, "");
// The module is always given as `{ module }`.
replace(/^ *if \(module !== undefined\) \{\n *if[\s\S]*?\n {4}\}\n/gm, "    ({ module } = module);\n");

if (glue.includes("__wbg_instance_id")) {
  // Our modules never ask for a new instance.
  assert.ok(!glue.includes("__wbg_reinit_scheduled = true"));
  replace(/^ *__wbg_call_guard\(\);\n/gm, "");
  replace(/^function __wbg_call_guard[\s\S]*?\n\}\n/gm, "");
  replace(/^.*__wbg_reinit_scheduled = false;\n/gm, "");
  replace(/^ *let ret;\n *ret = /gm, "const ret = ");
  // All classes share the code for objects: `__of` says which memory an object owns, and in which instance.
  replace(/^ *if \(this\.__wbg_inst !== undefined[\s\S]*?\n {8}\}\n/gm, "");
  replace(/^ {4}(?:static __wrap|__destroy_into_raw|free)\([\s\S]*?\n {4}\}\n/gm, "");
  replace(/^const \w+Finalization = [\s\S]*?\n\}\);\n/gm, "");
  replace(
    /^export class (\w+) \{\n/gm,
    (_, name) => `export class ${name} extends Handle {
    __free(ptr, unattended) {
        wasm.__wbg_${name.toLowerCase()}_free(ptr, unattended);
    }
`,
  );
  replace(/^ *this\.__wbg_ptr = (ret.*);\n.*\n.*\n *return this;/gm, "return handle(new.target, $1);");
  replace(/\b(\w+)\.__wrap\(/g, "handle($1, ");
  replace(/(wasm\.\w+\()this\.__wbg_ptr\b/g, "$1pointer(this)");
  assert.ok(
    !/__destroy_into_raw|__wbg_ptr|__wrap/.test(glue),
    "wasm-bindgen has changed: objects of its classes",
  );
  replace("let __wbg_instance_id = 0;\n", "");
  glue = `
let __wbg_instance_id = 0;
const handles = typeof FinalizationRegistry === 'undefined'
    ? { register() {}, unregister() {} }
    : new FinalizationRegistry(({ ptr, instance, Class }) => {
        if (instance === __wbg_instance_id) Class.prototype.__free(ptr, 1);
    });
function handle(Class, ptr) {
    const object = Object.create(Class.prototype);
    object.__of = { ptr, instance: __wbg_instance_id, Class };
    handles.register(object, object.__of, object);
    return object;
}
function pointer({ __of: { ptr, instance } }) {
    if (instance !== __wbg_instance_id) throw new Error("an object of an earlier instance of the module");
    return ptr;
}
class Handle {
    free() {
        handles.unregister(this);
        this.__free(pointer(this), 0);
        this.__of.ptr = 0;
    }
}
${glue}`;
}

for (const text of GONE)
  assert.ok(!glue.includes(text), `wasm-bindgen has changed: its glue still has ${text}`);
writeFileSync(file, glue);
