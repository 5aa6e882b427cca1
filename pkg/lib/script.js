// Scripts that change a document on the server. What the app names becomes part of the script only where it is a name;
// values travel beside it.

import { fail } from "./error.js";

const NAME = "[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]*";
const PATH = new RegExp(
  `^${NAME}(\\.${NAME}|\\[\\d+\\]|\\["([^"\\\\\\p{Cc}]|\\\\.)*"\\]|\\['([^'\\\\\\p{Cc}]|\\\\.)*'\\])*$`,
  "u",
);
const ALONE = new RegExp(`^${NAME}$`, "u");

/** Where in a document: `lines[0].product`, `prices["1 kg"]`. Anything else would be a script of its own. */
export function place(path) {
  if (typeof path !== "string" || !PATH.test(path))
    fail("InvalidArgument", `"${path}" is no path into a document, such as lines[0].price or prices["1 kg"]`);
  return `this.${path}`;
}

/** What is to be done to a member of a document, line by line. */
class Script {
  /** Values by the names that the script has for them. */
  parameters = {};
  #path;
  #lines = [];
  #suffix;
  #count = 0;

  constructor(suffix, path) {
    this.#suffix = suffix;
    this.#path = place(path);
  }

  get script() {
    return this.#lines.join("\n");
  }

  /** Adds a line that `write` makes of the member and of a way to name values. */
  line(write) {
    this.#lines.push(write(this.#path, (value) => this.#name(value)));
    return this;
  }

  #name(value) {
    const name = `val_${this.#count++}_${this.#suffix}`;
    this.parameters[name] = value;
    return `args.${name}`;
  }
}

export class JavaScriptArray extends Script {
  push(...values) {
    if (values.length === 0) return this;
    return this.line((path, name) => `${path}.push(${values.map(name)});`);
  }

  removeAt(index) {
    return this.line((path, name) => `${path}.splice(${name(index)}, 1);`);
  }
}

const member = (path, key) => path + (ALONE.test(key) ? `.${key}` : `[${JSON.stringify(String(key))}]`);

export class JavaScriptMap extends Script {
  set(key, value) {
    return this.line((path, name) => `${member(path, key)} = ${name(value)};`);
  }

  remove(key) {
    return this.line((path) => `delete ${member(path, key)};`);
  }
}
