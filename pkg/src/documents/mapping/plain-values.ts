// Makes JSON values of dates, sets, maps and instances of classes inside documents. JSON has none: they are noted in a document's
// metadata (`@nested-object-types`) as npm `ravendb` does it, so that both packages read each other's documents.

import { isObject } from "../../common/arguments.js";
import { builtInOf } from "../../common/value-kinds.js";
import { put } from "../snapshots/put-member.js";
import { type DateConventions, dateText } from "./date-format.js";

/** The conventions that decide which values get a note, and how dates are written. */
export interface WritingConventions extends DateConventions {
  /** The name of a value's class; `undefined` for a plain object. */
  classNameOf(value: object): string | undefined;
}

/** The classes of values inside a document (`"date"`, `"Set"`, `"Map"`, names of classes), by their paths. */
export type Notes = Record<string, unknown>;

/** `JSON` of newer engines, which have numbers that no double holds (`JSON.rawJSON`). */
type NewJson = typeof JSON & { isRawJSON?(value: unknown): boolean };

/** The notes of built-in classes. */
const NOTES: Record<string, string> = { Date: "date", Set: "Set", Map: "Map" };

/** In place of a note, for a value inside of a set or map that needs none. */
const PLAIN = "";

/** A number that makes its own text: its digits. */
export const isRawJson = (value: unknown): boolean => !!(JSON as NewJson).isRawJSON?.(value);

/** Values as a document has them, and their notes. */
export class PlainValues {
  readonly notes: Notes = {};
  #conventions;
  #isItem;

  /** `isItem`: inside of a set or map, where values without a note are marked. */
  constructor(conventions: WritingConventions, isItem = false) {
    this.#conventions = conventions;
    this.#isItem = isItem;
  }

  /** `path`: its place in the document; none for the document itself. `whole`: the object whose `toJSON` has returned the value. */
  of(value: unknown, path?: string, whole = value): unknown {
    if (!isObject(value)) {
      if (value != null) this.#note(path);
      return value;
    }
    const kind = builtInOf(value);
    if (whole === value && kind !== "Date" && typeof value.toJSON === "function") {
      const shown: unknown = value.toJSON();
      if (shown !== value) return this.of(shown, path, value);
    }
    const below = (key: string | number) => (path === undefined ? `${key}` : `${path}.${key}`);
    if (Array.isArray(value)) {
      this.#note(path);
      return value.map((item, at) => this.of(item, below(at)));
    }
    if (kind) {
      this.#note(path, NOTES[kind]);
      if (kind === "Date") return dateText(value as object as Date, this.#conventions);
      if (!NOTES[kind]) return value.valueOf();
      const items = [...(value as object as Iterable<unknown[]>)];
      if (kind === "Set") return this.#items(items, `${path}$SET`, below);
      const [keys = [], values = []] = ["$MAPKEY", "$MAP"].map((shared, part) =>
        this.#items(
          items.map((entry) => entry[part]),
          path + shared,
          (at) => below(`${at}.${part}`),
        ),
      );
      return keys.map((key, at) => [key, values[at]]);
    }
    this.#note(path, this.#conventions.classNameOf(value) ?? this.#conventions.classNameOf(whole as object));
    if (isRawJson(value)) return value;
    // A `toJSON` of the copy would be called again.
    const members = Object.entries(value).filter(([, member]) => typeof member !== "function");
    return Object.fromEntries(members.map(([key, member]) => [key, this.of(member, below(key))]));
  }

  #note(path: string | undefined, kind: string = PLAIN): void {
    if (path !== undefined && (kind || this.#isItem)) put(this.notes, path, kind);
  }

  /** Items of a set, or keys or values of a map. They share a path in the notes, unless their kinds differ. */
  #items(items: unknown[], shared: string, own: (at: number) => string): unknown[] {
    const kinds: Notes = {};
    let areAlike = true;
    const parts = items.map((item) => {
      const values = new PlainValues(this.#conventions, true);
      const value = values.of(item, "");
      for (const [path, kind] of Object.entries(values.notes)) {
        kinds[path] ??= kind;
        areAlike &&= kinds[path] === kind;
      }
      return { value, notes: values.notes };
    });
    return parts.map(({ value, notes }, at) => {
      const path = areAlike ? shared : own(at);
      for (const [inner, kind] of Object.entries(notes)) this.#note(path + inner, kind as string);
      return value;
    });
  }
}
