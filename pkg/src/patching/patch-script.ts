// Scripts that change a document on the server. Text of the app becomes part of the script only if it is a valid
// path or key; values are sent as parameters.

import { fail } from "../common/error.js";

const NAME = "[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]*";
const PATH = new RegExp(
  `^${NAME}(\\.${NAME}|\\[\\d+\\]|\\["([^"\\\\\\p{Cc}]|\\\\.)*"\\]|\\['([^'\\\\\\p{Cc}]|\\\\.)*'\\])*$`,
  "u",
);
const ALONE = new RegExp(`^${NAME}$`, "u");

/** The script's name of a path in a document: `lines[0].product`, `prices["1 kg"]`. Other text could be a script and is refused. */
export function place(path: unknown): string {
  if (typeof path !== "string" || !PATH.test(path))
    fail("InvalidArgument", `"${path}" is no path into a document, such as lines[0].price or prices["1 kg"]`);
  return `this.${path}`;
}

type WriteLine = (path: string, name: (value: unknown) => string) => string;

/** A script that changes a member of a document, line by line. */
class Script {
  /** Values by their names in the script. */
  parameters: Record<string, unknown> = {};
  #path: string;
  #lines: string[] = [];
  #suffix: number;
  #count = 0;

  constructor(suffix: number, path: unknown) {
    this.#suffix = suffix;
    this.#path = place(path);
  }

  get script(): string {
    return this.#lines.join("\n");
  }

  /** Adds a line. `write` gets the path of the member and a function that adds a parameter and returns its name. */
  line(write: WriteLine): this {
    this.#lines.push(write(this.#path, (value) => this.#name(value)));
    return this;
  }

  #name(value: unknown): string {
    const name = `val_${this.#count++}_${this.#suffix}`;
    this.parameters[name] = value;
    return `args.${name}`;
  }
}

export class JavaScriptArray extends Script {
  push(...values: unknown[]): this {
    if (values.length === 0) return this;
    return this.line((path, name) => `${path}.push(${values.map(name)});`);
  }

  removeAt(index: number): this {
    return this.line((path, name) => `${path}.splice(${name(index)}, 1);`);
  }
}

const member = (path: string, key: string): string =>
  path + (ALONE.test(key) ? `.${key}` : `[${JSON.stringify(String(key))}]`);

export class JavaScriptMap extends Script {
  set(key: string, value: unknown): this {
    return this.line((path, name) => `${member(path, key)} = ${name(value)};`);
  }

  remove(key: string): this {
    return this.line((path) => `delete ${member(path, key)};`);
  }
}
