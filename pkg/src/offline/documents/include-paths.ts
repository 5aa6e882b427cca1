// The ids that documents contain at the paths of includes.

import { isObject } from "../../common/arguments.js";

/** `customerId(customers/)`: what the document contains is the end of the id. */
const PREFIXED = /^(.*)\(([^)]*)\)$/;

/** The ids at a path, such as `customerId`, `lines[].product` or `address.cityId`. */
export function idsAt(document: object, path: string): string[] {
  const [, inner = path, prefix = ""] = PREFIXED.exec(path) ?? [];
  let values: unknown[] = [document];
  for (const name of inner.split(".").map((part) => part.replace(/\[\]$/, "")))
    values = values.flatMap((value) => membersOf(value, name));
  return values.filter((value) => typeof value === "string" && value !== "").map((id) => prefix + id);
}

function membersOf(value: unknown, name: string): unknown[] {
  const member =
    name === "" ? value : isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return Array.isArray(member) ? member.flat(Number.POSITIVE_INFINITY) : [member];
}
