// Scripts that change a document on the server. Text of the app becomes part of the script only if it is a valid
// path or key; values are sent as parameters.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";

const NAME = "[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]*";
/** Valid paths and keys. Made for the first patch: the engine takes a while to collect the letters of all languages. */
let valid: { path: RegExp; key: RegExp } | undefined;

function validTexts() {
  const items = `\\.${NAME}|\\[\\d+\\]|\\["([^"\\\\\\p{Cc}]|\\\\.)*"\\]|\\['([^'\\\\\\p{Cc}]|\\\\.)*'\\]`;
  valid ??= { path: new RegExp(`^${NAME}(${items})*$`, "u"), key: new RegExp(`^${NAME}$`, "u") };
  return valid;
}

/** The script's name of a path in a document: `lines[0].product`, `prices["1 kg"]`. Other text could be a script and is refused. */
export function place(path: unknown): string {
  if (typeof path !== "string" || !validTexts().path.test(path))
    fail(
      "InvalidArgument",
      `"${path}" is not a path in a document, such as lines[0].price or prices["1 kg"]`,
    );
  return `this.${path}`;
}

type WriteLine = (path: string, name: (value: unknown) => string) => string;

/** A script that changes a member of a document, line by line. */
class PatchScript extends AnyThis {
  /** The values that the script names. */
  readonly parameters: Record<string, unknown> = {};
  #path: string;
  #lines: string[] = [];
  #suffix: number;
  #count = 0;

  protected constructor(suffix: number, path: unknown) {
    super();
    this.#suffix = suffix;
    this.#path = place(path);
  }

  /** The script so far. */
  get script(): string {
    return this.#lines.join("\n");
  }

  /**
   * Adds a line. `write` gets the path of the member and a function that adds a parameter and returns its name.
   * @internal
   */
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

/**
 * A class of scripts, whose constructor apps must not see.
 * @internal
 */
export type ScriptClass<Script> = new (suffix: number, path: unknown) => Script;

/** The change of an array that {@link AdvancedSession.patchArray} makes; each call adds a step. */
export class JavaScriptArray<T = unknown> extends PatchScript {
  /** Appends values. */
  push(...values: T[]): this {
    if (values.length === 0) return this;
    return this.line((path, name) => `${path}.push(${values.map(name)});`);
  }

  /** Removes the item at an index. */
  removeAt(index: number): this {
    return this.line((path, name) => `${path}.splice(${name(index)}, 1);`);
  }
}

const member = (path: string, key: unknown): string =>
  path + (validTexts().key.test(key as string) ? `.${key}` : `[${JSON.stringify(String(key))}]`);

/** The change of an object that {@link AdvancedSession.patchObject} makes; each call adds a step. */
export class JavaScriptMap<TKey = string, TValue = unknown> extends PatchScript {
  /** Sets the value of a key, whatever the key's characters. */
  set(key: TKey, value: TValue): this {
    return this.line((path, name) => `${member(path, key)} = ${name(value)};`);
  }

  /** Removes a key. */
  remove(key: TKey): this {
    return this.line((path) => `delete ${member(path, key)};`);
  }
}
