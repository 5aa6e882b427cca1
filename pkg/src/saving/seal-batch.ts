// Seals the batch of a save: plans it, makes its text, and fixes everything that the save will know of it.

import {
  COMMAND_CHECK,
  COMMAND_DELETE,
  COMMAND_PUT,
  DEFERRED_GUARDED,
  DEFERRED_ONCE,
  DEFERRED_PART,
} from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import { refuseInvalidDates } from "../documents/mapping/date-format.js";
import { explained } from "../documents/unserializable.js";
import type { Parts } from "../runtime/load-part.js";
import type { SessionState } from "../session/session-state.js";
import type { SaveOptions } from "../session/session-types.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { Convert } from "../wire/outgoing-batch.js";
import type { ICommandData } from "./batch-commands.js";
import { assertThere, check } from "./save-checks.js";

/** A command whose class says what its loss means. */
interface OwnCommand extends ICommandData {
  /** Whether carrying it out twice does no harm. */
  readonly isRepeatable?: boolean;
  /** Whether it is carried out if the new document that it is about is written with it. */
  readonly isPart?: boolean;
}

/** What a save sends. Nothing that the app calls after it was sealed changes it. */
export interface Batch {
  /** The commands about documents of the session, as bits. */
  readonly plan: Uint32Array;
  /** The slot of each command that writes a document of the session, in request order; -1 for other commands. */
  readonly items: readonly number[];
  /** The ids of these slots as they are sent. */
  readonly ids: readonly string[];
  /** The slots that it writes, and those that the app has deleted. */
  readonly slots: readonly number[];
  readonly deleted: ReadonlySet<number>;
  /** The commands besides those about documents of the session. */
  readonly commands: readonly ICommandData[];
  /** The deferred ones are the first `count` of this list. */
  readonly list: readonly ICommandData[];
  readonly count: number;
  /** What the save waits for. */
  readonly options: Readonly<SaveOptions>;
  readonly cluster: boolean;
  /** `@flags` of the documents that a transaction of the whole cluster writes. */
  readonly flags: readonly string[];
}

/** What few saves need, and is loaded for them. */
interface Rare {
  /** Refuses numbers that JavaScript cannot hold. */
  readonly refuse: Parts["session"]["refuseInexact"] | undefined;
  readonly convert: Convert | undefined;
}

/** Seals the batch with these slots; `undefined` if there is nothing to send. An error means that the save has changed nothing. */
export function seal(
  state: SessionState,
  slots: number[],
  deleted: Set<number>,
  { refuse, convert }: Rare,
): Batch | undefined {
  // Read once: getters and `toJSON` of the app may change it while the texts are made.
  const { cluster } = state;
  const plan = planned(state, slots, deleted, cluster);
  if (plan.length + state.pending.length === 0) return;
  check(state);
  refuse?.(state, slots);
  state.tracker.snapshots.compact();
  const batch = {
    plan,
    slots,
    deleted,
    cluster,
    flags: cluster ? slots.map((slot) => String(state.tracker.at(slot)?.["@metadata"]?.["@flags"])) : [],
    ...write(state, plan, slots, convert),
    options: { ...state.saveOptions },
  };
  state.sent.finish(cluster);
  const deferred = Uint32Array.from(batch.commands, (command) => reported(state, command));
  return state.enter((core) => core.seal(deferred)) ? batch : undefined;
}

/** The commands about documents of the session, as bits; the core decides. */
function planned(state: SessionState, slots: number[], deleted: Set<number>, cluster: boolean): Uint32Array {
  const { tracker, optimistic } = state;
  const documents: number[] = [];
  tracker.report([...deleted], COMMAND_DELETE, documents);
  tracker.report(slots, COMMAND_PUT, documents);
  if (state.concurrency === "WritesAndReads") {
    const written = new Set(slots);
    const read = [...tracker.slots()].filter(
      (slot) => !written.has(slot) && !deleted.has(slot) && !tracker.isNew(slot),
    );
    tracker.report(read, COMMAND_CHECK, documents);
  }
  return state.enter((core) => core.plan(optimistic || cluster, new Uint32Array(documents)));
}

/** What the core must know of a command besides those about documents, as bits: `Deferred` in `src/session/plan.rs`. */
function reported({ tracker }: SessionState, command: OwnCommand): number {
  const slot = command.isPart ? tracker.slot(command.id as string) : -1;
  return (
    (command.type === "DELETE" || command.isRepeatable ? 0 : DEFERRED_ONCE) |
    (command.changeVector == null ? 0 : DEFERRED_GUARDED) |
    (slot >= 0 && tracker.isNew(slot) ? DEFERRED_PART | (slot << 8) : 0)
  );
}

/** Makes the text of a batch; returns what it contains. */
function write(state: SessionState, plan: Uint32Array, slots: readonly number[], convert?: Convert) {
  const { tracker, sent } = state;
  const items: number[] = [];
  const ids: string[] = [];
  const add = (command: object, slot = -1, id = "", replace?: typeof refuseInvalidDates) => {
    items.push(slot);
    ids.push(id);
    const text = JSON.stringify(command, replace);
    if (text === undefined) fail("InvalidArgument", "a deferred command has nothing to send");
    sent.add(text);
  };
  const ofKind = (kind: number) => plan.filter((bits) => (bits & 3) === kind);
  for (const bits of ofKind(COMMAND_DELETE))
    add({ Type: "DELETE", Id: tracker.idAt(bits >>> 8), ChangeVector: tracker.versions.expected(bits) });
  const puts = ofKind(COMMAND_PUT);
  for (let at = 0; at < puts.length; ) {
    const { room } = sent;
    explained(state, () => sent.put(puts.subarray(at, at + room), convert));
    at += room;
  }
  assertThere(state, slots);
  for (const slot of slots) {
    items.push(slot);
    ids.push(tracker.idAt(slot));
  }
  // Before patches: RavenDB would mistake their changes for those of another client.
  const read = Array.from(ofKind(COMMAND_CHECK), (bits) => [
    tracker.idAt(bits >>> 8),
    tracker.versions.expected(bits),
  ]);
  if (read.length > 0) add({ Type: "BatchTrackChanges", TrackedEntities: Object.fromEntries(read) });
  const commands = state.begin();
  const list = state.deferred;
  const count = list.length;
  for (const command of commands) {
    const { type, id } = command;
    const made = command.serialize(state.conventions as DocumentConventions);
    if (type === "PUT" && id) add(made, tracker.slot(id), id, refuseInvalidDates);
    else add(made, -1, "", refuseInvalidDates);
  }
  return { items, ids, commands, list, count };
}
