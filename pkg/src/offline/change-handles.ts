// Queued changes as apps see them: their state, and promises for what becomes of them.

import { STATE_CONFLICT, STATE_PARKED, STATE_UNSURE } from "../../gen/protocol.js";
import { type ErrorCode, RavenEdgeError } from "../common/error.js";
import type { Memory, QueueState } from "./device/queue-state.js";
import type { ChangeRecord, StoredError } from "./device/records.js";
import type { ChangeState, QueuedChange } from "./offline-types.js";

const STATES: Record<number, ChangeState> = {
  [STATE_CONFLICT]: "conflict",
  [STATE_PARKED]: "refused",
  [STATE_UNSURE]: "unknown",
};

/** The state of a change that is on the device. */
export const stateOf = (code: number): ChangeState => STATES[code] ?? "queued";

/** How a change ended. */
type End = "saved" | "discarded";

class Handle implements QueuedChange {
  readonly id: string;
  readonly queuedAt: Date;
  readonly saved: Promise<void>;
  /** The number of the change on this device; 0: it was never there. */
  readonly number: number;
  #documents: readonly string[];
  #memory;
  #underWay;
  #end: End | undefined;
  #resolve: (() => void) | undefined;
  #reject: ((error: RavenEdgeError) => void) | undefined;

  constructor(
    record: Pick<ChangeRecord, "id" | "time" | "number" | "commands">,
    memory: () => Memory | undefined,
    underWay: ReadonlySet<number>,
  ) {
    this.id = record.id;
    this.number = record.number;
    this.queuedAt = new Date(record.time);
    this.#documents = [...new Set(record.commands.map(({ id }) => id))];
    this.#memory = memory;
    this.#underWay = underWay;
    this.saved = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // An app that does not wait for it gets no warning.
    this.saved.catch(() => {});
  }

  get #record(): ChangeRecord | undefined {
    return this.#memory()?.changes.get(this.number);
  }

  get documents(): readonly string[] {
    const record = this.#record;
    // Documents may have got new ids since.
    if (record) this.#documents = [...new Set(record.commands.map(({ id }) => id))];
    return this.#documents;
  }

  get state(): ChangeState {
    if (this.#end) return this.#end;
    if (this.#underWay.has(this.number)) return "sending";
    const code = this.#memory()?.core.record(this.number)[4];
    return code === undefined ? "queued" : stateOf(code);
  }

  get error(): RavenEdgeError | undefined {
    const error = this.#record?.error;
    return error && errorOf(error);
  }

  get isOver(): boolean {
    return this.#end !== undefined;
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

/** The handles of the changes of a queue that this page knows. */
export class ChangeHandles {
  #state;
  #underWay;
  #handles = new Map<number, Handle>();
  #born: string | undefined;

  /** `underWay`: the changes in the request under way. */
  constructor(state: QueueState, underWay: ReadonlySet<number>) {
    this.#state = state;
    this.#underWay = underWay;
  }

  of(record: ChangeRecord): QueuedChange {
    const known = this.#handles.get(record.number);
    if (known) return known;
    const handle = new Handle(record, () => this.#state.memory, this.#underWay);
    this.#handles.set(record.number, handle);
    return handle;
  }

  /** A change that was sent without the device, and is saved. */
  saved(ids: readonly string[]): QueuedChange {
    const commands = ids.map((id) => ({ id })) as ChangeRecord["commands"];
    const handle = new Handle({ id: "", time: Date.now(), number: 0, commands }, () => undefined, new Set());
    handle.end("saved");
    return handle;
  }

  /** The number of a change, given by itself or by its id; `undefined`: it is not on the device. */
  number(change: QueuedChange | string): number | undefined {
    const id = typeof change === "string" ? change : change.id;
    for (const record of this.#state.memory?.changes.values() ?? [])
      if (record.id === id) return record.number;
    return undefined;
  }

  /** Ends the handles of changes that are no longer on the device. */
  settle(): void {
    const { memory, isCurrent } = this.#state;
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
    const isOther = this.#born !== undefined && this.#born !== born;
    this.#born = born;
    const lost =
      isOther && new RavenEdgeError("Storage", "the data of the site was cleared, and the change with it");
    for (const [number, handle] of this.#handles) {
      if (!lost && kept.has(number)) continue;
      this.#handles.delete(number);
      if (lost) handle.end("discarded", lost);
      else handle.end(control.discarded.includes(number) ? "discarded" : "saved");
    }
  }
}
