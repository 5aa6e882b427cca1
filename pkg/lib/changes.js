// What has changed in a document, in the words of npm `ravendb`.

import { isObject as isAny } from "./given.js";

const IGNORED = new Set(["@last-modified", "@collection", "@change-vector", "@id", "@metadata"]);

class DocumentsChanges {
  constructor(change, fieldName, fieldNewValue, fieldOldValue, fieldPath) {
    Object.assign(this, { change, fieldName, fieldNewValue, fieldOldValue, fieldPath });
  }

  get fieldFullName() {
    return this.fieldPath ? `${this.fieldPath}.${this.fieldName}` : this.fieldName;
  }
}

const change = (...parts) => new DocumentsChanges(...parts);

export const added = () => change("DocumentAdded", null, null, null, null);

export const deleted = () => change("DocumentDeleted", undefined, "", "", undefined);

/** The changes from one object to another, in the order in which npm `ravendb` tells them. */
export function differences(before, after, path = "", found = []) {
  const here = (name) => (path === "" ? name : `${path}.${name}`);
  for (const name of Object.keys(before)) {
    if (!(name in after) && !IGNORED.has(name))
      found.push(change("RemovedField", name, null, before[name], path));
  }
  for (const [name, value] of Object.entries(after)) {
    if (IGNORED.has(name)) continue;
    const was = before[name];
    if (!(name in before)) found.push(change("NewField", name, value, null, path));
    else if (Array.isArray(value) && Array.isArray(was)) items(was, value, here(name), name, found);
    else if (isObject(value) && isObject(was)) differences(was, value, here(name), found);
    else if (value !== was) found.push(change("FieldChanged", name, value, was, path));
  }
  return found;
}

function items(before, after, path, name, found) {
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

const isObject = (value) => isAny(value) && !Array.isArray(value);
