// Classes of queued documents: a page that is loaded later must be able to make the same objects of them.

import { fail } from "../../common/error.js";
import type { JsonObject } from "../../common/json.js";
import type { SessionState } from "../../session/session-state.js";

/**
 * Fails if the class of an entity would not be found by its document. `store()` learns the name of a class that is not registered, but
 * the next page does not know it: there the document that waits would be a plain object.
 */
export function assertLoadable(
  { conventions, unitOfWork }: SessionState,
  slot: number,
  id: string,
  document: JsonObject,
): void {
  const type = conventions.typeOf(unitOfWork.at(slot));
  // Plain objects need no class, and descriptors of plain objects are registered.
  if (typeof type !== "function" || type === Object) return;
  const isFound = conventions.getJsType(id, document) === type;
  if (isFound && (conventions.hasOwn("findJsType") || !conventions.learned.has(type))) return;
  fail(
    "Unsupported",
    `queueChanges does not take ${id}: its class ${type.name} is not registered, so a later page could not load the document as one; call conventions.registerEntityType(${type.name}) before initialize(), or use saveChanges()`,
  );
}
