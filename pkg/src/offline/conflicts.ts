// Conflicts: shows the app all three sides, and carries out what it decides.

import { PART_CONFLICT, PART_STALE, REMADE_DROP, REMADE_RENAME, STATE_CONFLICT } from "../../gen/protocol.js";
import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { StoreBase } from "../store/store.js";
import type { ChangeHandles } from "./change-handles.js";
import { viewOf } from "./device/queue-core.js";
import type { QueueState } from "./device/queue-state.js";
import type { ConflictEvent, DocumentConflict, OfflineDocument } from "./offline-types.js";
import { type StalePart, staleIds, staleParts } from "./sending/conflict-sides.js";
import type { Drain } from "./sending/drain.js";
import { ifRefused } from "./sending/failures.js";
import { type RemadePart, remakeStep, written } from "./sending/remake.js";
import type { QueueRequests } from "./sending/send-batch.js";

type Choice = "mine" | "theirs" | readonly OfflineDocument[];

/** `resolved` is called when a conflict is resolved. */
export function conflictsOf(
  store: StoreBase,
  state: QueueState,
  drain: Drain,
  requests: QueueRequests,
  handles: ChangeHandles,
  resolved: () => void,
) {
  /** Changes whose event is still to be emitted, because the server's documents could not be read. */
  const untold = new Set<number>();

  /** Emits the event `conflict` for a change; later, if the server's documents cannot be read now. Never rejects. */
  async function tell(change: number): Promise<void> {
    if (store.listenersOf("conflict").length === 0) return;
    untold.delete(change);
    try {
      const conflict = await event(change);
      if (conflict) store.emitLater("conflict", conflict);
    } catch {
      untold.add(change);
    }
  }

  /** Emits the events that are still to be emitted: the server may be reached again. */
  function tellAgain(): void {
    for (const change of untold) tell(change);
  }

  /** The three sides of a conflict, as they are now; `undefined` if it is none any more. */
  async function event(change: number): Promise<ConflictEvent | undefined> {
    const memory = state.memory;
    const record = memory?.changes.get(change);
    const view = memory && viewOf(memory.core, change);
    if (!memory || !record || view?.state !== STATE_CONFLICT) return undefined;
    // What the user may not read cannot be shown; `changes()` has the change.
    const found = await requests.read(staleIds(view, record)).catch(ifRefused);
    const [member] = await drain.members([change]);
    if (!member || !found) return undefined;
    const parts = staleParts(view, member, found);
    return {
      change: handles.of(record),
      documents: parts.map(({ conflict }) => structuredClone(conflict)),
      resolve: (choice) => resolve(change, view.version, parts, choice),
    };
  }

  async function resolve(
    change: number,
    version: number,
    parts: StalePart[],
    choice: Choice,
  ): Promise<Record<string, string>> {
    const made: RemadePart[] = [];
    for (const [at, part] of parts.entries()) made.push(await remadeBy(part, at, choice));
    const [member] = await drain.members([change]);
    const view = state.memory && viewOf(state.memory.core, change);
    const isOpen =
      view?.version === version &&
      view.parts.some(({ expects }) => expects === PART_CONFLICT || expects === PART_STALE);
    if (!member || !isOpen)
      fail("InvalidOperation", "the conflict has changed since: the event `conflict` tells what it is now");
    await drain.exchange([remakeStep(change, version, member, made)]);
    resolved();
    const renamed = made.filter(({ how }) => how === REMADE_RENAME);
    return Object.fromEntries(renamed.map(({ part, id }) => [part.conflict.id, id as string]));
  }

  async function remadeBy(part: StalePart, at: number, choice: Choice): Promise<RemadePart> {
    const { conflict } = part;
    if (choice === "theirs") return { part, how: REMADE_DROP };
    if (choice === "mine") {
      const isTaken = conflict.hidden || (conflict.base === null && conflict.theirs !== null);
      if (part.command.kind === "PUT" && isTaken) return { part, how: REMADE_RENAME, id: await newId(part) };
      if (!conflict.hidden) return written(part, undefined);
      fail("InvalidOperation", `${conflict.id} is there, but this user may not read it: resolve("theirs")`);
    }
    const document = Array.isArray(choice) ? (choice[at] as unknown) : undefined;
    if (document !== null && !isObject(document))
      fail(
        "InvalidArgument",
        'resolve takes "mine", "theirs" or a list with a document, or null, for each conflict',
      );
    if (document && conflict.hidden)
      fail("InvalidOperation", `${conflict.id} is there, but this user may not read it: resolve("mine")`);
    return written(part, document === null ? null : complete(document, conflict));
  }

  /** An id of the same collection, for a new document whose id is taken. */
  async function newId({ conflict: { id, collection } }: StalePart): Promise<string> {
    const { conventions } = store;
    const tag = collection
      ? conventions.transformClassCollectionNameToDocumentIdPrefix(collection)
      : (id.split("/")[0] as string);
    return store.hilo(tag).next();
  }

  store.on("succeedRequest", tellAgain);
  return { tell, tellAgain, event };
}

/** The document that the app gives, in its own copy, with the metadata that every document has. */
function complete(given: Record<string, unknown>, { mine, theirs }: DocumentConflict): OfflineDocument {
  const document = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
  document["@metadata"] ??= (mine ?? theirs)?.["@metadata"];
  return document;
}
