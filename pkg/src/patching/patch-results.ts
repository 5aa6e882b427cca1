// Shows in entities of the session what a patch has made of their documents.

import type { Entity, IMetadataDictionary, ServerDocument } from "../documents/entity-types.js";
import { same } from "../documents/snapshots/equal-values.js";
import { put } from "../documents/snapshots/put-member.js";
import { idOf } from "../documents/snapshots/snapshot-values.js";
import { revise } from "../loading/refresh.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";
import { inexact } from "../wire/inexact-numbers.js";

/** How many objects and arrays are open inside of a result. */
const DEPTH = 3;

/** Names and values of members. */
type Change = [name: string, value: unknown];

/** Returns a function that applies the results of a response one by one; `text`: the whole response. */
export function patched(state: SessionState, text: string): (slot: number, result: CommandResult) => void {
  const { unitOfWork } = state;
  let numbers: ReturnType<typeof inexact> | undefined;
  return (slot, result) => {
    const { Id } = result;
    const document = result.ModifiedDocument as ServerDocument;
    const metadata = {
      ...document["@metadata"],
      "@id": unitOfWork.idAt(slot),
      "@change-vector": result.ChangeVector,
      "@last-modified": result.LastModified,
    };
    const { snapshots } = unitOfWork;
    const entity: Entity = unitOfWork.at(slot);
    // What the app has changed while the request was under way stays a change.
    const mine = changes(snapshots.before(slot), shown(() => unitOfWork.now(slot)) ?? entity, entity);
    const meta = entity["@metadata"];
    const own = changes(snapshots.own(slot), shown(() => snapshots.metadata(meta)) ?? meta, meta);
    numbers ??= inexact(text, DEPTH, (each) => idOf(each) ?? ((each as CommandResult).Id as string));
    revise(state, slot, { ...document, "@metadata": metadata } as ServerDocument, numbers.get(Id as string));
    for (const change of mine) put(entity, ...change);
    for (const change of own) put(entity["@metadata"] as IMetadataDictionary, ...change);
  };
}

/** Names and values of the members that differ. */
function changes(was: Entity = {}, now: Entity = {}, values: Entity = {}): Change[] {
  const names = Object.keys({ ...was, ...now }).filter((name) => !same(was[name], now[name]));
  return names.map((name) => [name, values[name]]);
}

/** `undefined` if it throws: a BigInt, which has no text in JSON, must not make a save fail that has succeeded. */
function shown<Value>(text: () => Value): Value | undefined {
  try {
    return text();
  } catch {
    return undefined;
  }
}
