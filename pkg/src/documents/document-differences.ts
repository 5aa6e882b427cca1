// The differences between two versions of a document, as `whatChanged` reports them.

import { LIST_UNCOMPARED } from "../../gen/protocol.js";
import { isObject as isAny } from "../common/arguments.js";
import type { JsonObject } from "../common/json.js";

const IGNORED: ReadonlySet<string> = new Set(LIST_UNCOMPARED);

/** The kind of a change. */
export type ChangeType =
  | "DocumentAdded"
  | "DocumentDeleted"
  | "FieldChanged"
  | "NewField"
  | "RemovedField"
  | "ArrayValueChanged"
  | "ArrayValueAdded"
  | "ArrayValueRemoved";

/** A change of a document. For `DocumentAdded` and `DocumentDeleted`, only {@link change} has a meaning. */
export class DocumentsChanges {
  declare readonly change: ChangeType;
  /** Name of the field; for a change in a list, the name of the list. */
  declare readonly fieldName: string;
  /** Path to the field: `""` at the top, `deep.a`, `lines[0]`. */
  declare readonly fieldPath: string;
  /** `null` for a removed value. */
  declare readonly fieldNewValue: unknown;
  /** `null` for an added value. */
  declare readonly fieldOldValue: unknown;

  /**
   * Added and deleted documents have no field: `null` and `undefined` there are those of npm `ravendb`.
   * @internal
   */
  constructor(
    change: ChangeType,
    fieldName: string | null | undefined,
    fieldNewValue: unknown,
    fieldOldValue: unknown,
    fieldPath: string | null | undefined,
  ) {
    Object.assign(this, { change, fieldName, fieldNewValue, fieldOldValue, fieldPath });
  }

  /** Path and name. */
  get fieldFullName(): string {
    return this.fieldPath ? `${this.fieldPath}.${this.fieldName}` : this.fieldName;
  }
}

/** @internal */
export const change = (...parts: ConstructorParameters<typeof DocumentsChanges>) =>
  new DocumentsChanges(...parts);

/**
 * The changes from one object to another, in the order in which npm `ravendb` reports them.
 * @internal
 */
export function differences(
  before: JsonObject,
  after: JsonObject,
  path = "",
  found: DocumentsChanges[] = [],
): DocumentsChanges[] {
  const here = (name: string) => (path === "" ? name : `${path}.${name}`);
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name) && !IGNORED.has(name))
      found.push(change("RemovedField", name, null, before[name], path));
  }
  for (const [name, value] of Object.entries(after)) {
    if (IGNORED.has(name)) continue;
    const was = before[name];
    if (!Object.hasOwn(before, name)) found.push(change("NewField", name, value, null, path));
    else if (Array.isArray(value) && Array.isArray(was)) items(was, value, here(name), name, found);
    else if (isObject(value) && isObject(was)) differences(was, value, here(name), found);
    else if (value !== was) found.push(change("FieldChanged", name, value, was, path));
  }
  return found;
}

function items(
  before: unknown[],
  after: unknown[],
  path: string,
  name: string,
  found: DocumentsChanges[],
): void {
  const shared = Math.min(before.length, after.length);
  for (let at = 0; at < shared; at++) {
    const [was, value] = [before[at], after[at]];
    const here = `${path}[${at}]`;
    if (isObject(was) && isObject(value)) differences(was, value, here, found);
    else if (Array.isArray(was) && Array.isArray(value)) items(was, value, here, name, found);
    else if (was !== value) {
      // An object that is replaced, or a value where there was nothing, counts as added.
      const kind = isObject(was) || (!was && value) ? "ArrayValueAdded" : "ArrayValueChanged";
      found.push(change(kind, name, value, was, here));
    }
  }
  for (const gone of before.slice(shared)) found.push(change("ArrayValueRemoved", name, null, gone, path));
  for (const fresh of after.slice(shared)) found.push(change("ArrayValueAdded", name, fresh, null, path));
}

const isObject = (value: unknown): value is JsonObject => isAny(value) && !Array.isArray(value);
