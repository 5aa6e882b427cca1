// Queued changes as apps see them: their state, and promises for what becomes of them.

import { PLACE_STATE, STATE_CONFLICT, STATE_PARKED, STATE_UNSURE } from "../../gen/protocol.js";
import { AnyThis } from "../common/any-this.js";
import { type ErrorCode, RavenEdgeError } from "../common/error.js";
import type { JsonObject } from "../common/json.js";
import type { QueueState } from "./device/queue-state.js";
import {
  type ChangeRecord,
  type Kind,
  parsed,
  type StoredCommand,
  type StoredError,
} from "./device/records.js";
import type {
  ChangeState,
  OfflineDocument,
  QueuedChange,
  QueuedCommand,
  QueuedCommandDetails,
  QueuedCounter,
  QueuedPatch,
} from "./offline-types.js";
import type { Drain } from "./sending/drain.js";
import { attachmentOf } from "./sending/queued-attachments.js";
import type { Member } from "./sending/send-batch.js";

const STATES: Record<number, ChangeState> = {
  [STATE_CONFLICT]: "conflict",
  [STATE_PARKED]: "refused",
  [STATE_UNSURE]: "unknown",
};

/** The state of a change that is on the device. */
export const stateOf = (code: number): ChangeState => STATES[code] ?? "queued";

/** What a handle has of the record of its change. */
type Shown = Pick<ChangeRecord, "id" | "time" | "number"> & {
  commands: readonly Pick<StoredCommand, "kind" | "id" | "collection">[];
};

/** How a change ended. */
type End = "saved" | "discarded";

class Handle extends AnyThis implements QueuedChange {
  readonly id: string;
  readonly queuedAt: Date;
  readonly saved: Promise<void>;
  /** The number of the change on this device; 0: it was never there. */
  readonly #number: number;
  readonly #source;
  #commands: readonly QueuedCommand[];
  #end: End | undefined;
  #resolve: (() => void) | undefined;
  #reject: ((error: RavenEdgeError) => void) | undefined;

  constructor({ id, time, number, commands }: Shown, source?: { state: QueueState; drain: Drain }) {
    super();
    this.id = id;
    this.#number = number;
    this.queuedAt = new Date(time);
    this.#commands = commands.map(commandOf);
    this.#source = source;
    this.saved = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // An app that does not wait for it gets no warning.
    this.saved.catch(() => {});
  }

  get #record(): ChangeRecord | undefined {
    return this.#source?.state.memory?.changes.get(this.#number);
  }

  get commands(): readonly QueuedCommand[] {
    const record = this.#record;
    // Documents may have got new ids since, and merging may leave less to do.
    if (record) this.#commands = record.commands.map(commandOf);
    return this.#commands;
  }

  get documents(): readonly string[] {
    return [...new Set(this.commands.map(({ id }) => id))];
  }

  get state(): ChangeState {
    if (this.#end) return this.#end;
    if (this.#source?.drain.underWay.has(this.#number)) return "sending";
    const code = this.#source?.state.memory?.core.record(this.#number)[PLACE_STATE];
    return code === undefined ? "queued" : stateOf(code);
  }

  get error(): RavenEdgeError | undefined {
    const error = this.#record?.error;
    return error && errorOf(error);
  }

  async details(): Promise<QueuedCommandDetails[]> {
    const members = await this.#source?.drain.members([this.#number]);
    // It may have ended while its texts were read.
    return this.#end ? [] : (members ?? []).flatMap(detailsOf);
  }

  toJSON(): object {
    const { id, documents, commands, state, queuedAt } = this;
    // The message of an `Error` is not shown by itself.
    return { id, documents, commands, state, queuedAt, error: this.#record?.error };
  }

  end(how: End, reason?: RavenEdgeError): void {
    if (this.#end) return;
    this.#end = how;
    if (how === "saved") this.#resolve?.();
    else this.#reject?.(reason ?? new RavenEdgeError("Canceled", "the change was discarded"));
  }
}

function errorOf({ code, message, type, status }: StoredError): RavenEdgeError {
  return new RavenEdgeError(code as ErrorCode, message, { type, status });
}

export type ChangeHandles = ReturnType<typeof changeHandles>;

/** The handles of the changes of a queue that this page knows. */
export function changeHandles(state: QueueState, drain: Drain) {
  const handles = new Map<number, Handle>();
  let knownBorn: string | undefined;
  return {
    of(record: ChangeRecord): QueuedChange {
      const handle = handles.get(record.number) ?? new Handle(record, { state, drain });
      handles.set(record.number, handle);
      return handle;
    },
    /** A change that was sent without the device, and is saved. */
    saved(commands: readonly StoredCommand[]): QueuedChange {
      const handle = new Handle({ id: "", time: Date.now(), number: 0, commands });
      handle.end("saved");
      return handle;
    },
    /** The number of a change, given by itself or by its id; `undefined`: it is not on the device. */
    number(change: QueuedChange | string): number | undefined {
      const id = typeof change === "string" ? change : change.id;
      for (const record of state.memory?.changes.values() ?? []) if (record.id === id) return record.number;
      return undefined;
    },
    /** Ends the handles of changes that are no longer on the device. */
    settle(): void {
      const { memory, isCurrent } = state;
      // What a transaction that failed has changed in memory is still on the device.
      if (!memory || !isCurrent) return;
      const { changes, control, damaged } = memory;
      // A damaged change is not saved.
      const kept = new Set([
        ...changes.keys(),
        ...damaged.map((row) => (row as Partial<ChangeRecord> | null)?.number),
      ]);
      if (kept.has(undefined)) return;
      // One that was never written has no name yet.
      const born = control.revision > 0 ? control.born : undefined;
      const isOther = knownBorn !== undefined && knownBorn !== born;
      knownBorn = born;
      const lost =
        isOther && new RavenEdgeError("Storage", "the data of the site was cleared, and the change with it");
      for (const [number, handle] of handles) {
        if (!lost && kept.has(number)) continue;
        handles.delete(number);
        if (lost) handle.end("discarded", lost);
        else handle.end(control.discarded.includes(number) ? "discarded" : "saved");
      }
    },
  };
}

const KINDS: Record<Kind, QueuedCommand["kind"]> = {
  PUT: "store",
  DELETE: "delete",
  PATCH: "patch",
  ATTACH: "attachment",
  COUNT: "counters",
};

export const commandOf = ({
  kind,
  id,
  collection,
}: Pick<StoredCommand, "kind" | "id" | "collection">): QueuedCommand => ({
  kind: KINDS[kind],
  id,
  collection,
});

export function detailsOf({ record, texts }: Member): QueuedCommandDetails[] {
  return record.commands.map((command, at) => {
    const { text = null, before = null, content } = texts[at] ?? {};
    const { kind } = command;
    const shown = { ...commandOf(command), before: readable(before) };
    if (kind === "PUT" || kind === "DELETE") return { ...shown, document: readable(text) };
    const whole = readable(text) ?? {};
    if (kind === "ATTACH") return { ...shown, attachment: attachmentOf(whole, content) };
    return kind === "PATCH" ? { ...shown, patch: patchOf(whole) } : { ...shown, counters: countersOf(whole) };
  });
}

/** `null` for a text that is damaged. */
function readable(text: string | null): OfflineDocument {
  try {
    return parsed(text);
  } catch {
    return null;
  }
}

/** A patch command, which the server reads, in the form for apps: it has a name or a script. */
function patchOf({ Named, Parameters, Patch }: JsonObject): QueuedPatch {
  if (Named !== undefined) return { named: Named as string, parameters: (Parameters ?? {}) as object };
  const { Script, Values } = (Patch ?? {}) as JsonObject;
  return { script: (Script ?? "") as string, parameters: (Values ?? {}) as object };
}

function countersOf({ Counters }: JsonObject): QueuedCounter[] {
  const { Operations = [] } = (Counters ?? {}) as { Operations?: JsonObject[] };
  return Operations.map(({ Type, CounterName, Delta }) => {
    const name = CounterName as string;
    return Type === "Delete"
      ? { action: "delete", name }
      : { action: "increment", name, delta: Delta as number };
  });
}
