// The owner of a save from the plan to the end: `seal` fixes what is sent and what its loss would mean, `send` sends it, `settle` and
// `failed` (`fail.ts`) say what became of it. Nothing that the app calls after `seal` changes a batch, and the session forgets changes
// only in `finish`.

import {
  COMMAND_CHECK,
  COMMAND_DELETE,
  COMMAND_PUT,
  DEFERRED_GUARDED,
  DEFERRED_ONCE,
  DEFERRED_PART,
  SAVE_APPLIED,
} from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import { idKey, isFinal } from "../common/id-key.js";
import { refuseInvalidDates } from "../documents/mapping/date-format.js";
import { explained } from "../documents/unserializable.js";
import { loadPart, type Parts } from "../runtime/load-part.js";
import type { SaveOptions } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import type { DocumentConventions } from "../store/conventions.js";
import { type ICommandData, WRITING } from "./batch-commands.js";
import { isOnce, report, type SentCommand } from "./fail.js";
import { joined, SentDocuments } from "./sent-documents.js";
import { finish, type TakenResults, takeOver } from "./settle.js";

export class Batch {
  readonly #state;
  /** The place behind the deferred commands that it contains. */
  #end = 0;
  /** The core's number for it, from its first report on: what was sent is kept under it while the outcome is unknown. */
  version = 0;
  /** Whether it is a transaction of the whole cluster. Read once: getters and `toJSON` of the app may change the session. */
  declare readonly cluster: boolean;
  /** The slots that it writes, and those that the app has deleted. */
  declare readonly slots: readonly number[];
  declare readonly deleted: ReadonlySet<number>;
  /** The values that it writes. */
  declare readonly documents: SentDocuments;
  /** The commands about documents of the session, as bits. */
  declare readonly plan: Uint32Array;
  /** The commands besides those about documents of the session. */
  readonly commands: readonly ICommandData[] = [];
  /** The slot of the document that each command writes, in request order; -1 for other commands. */
  readonly written: readonly number[] = [];
  /** The ids of these documents as they are sent. */
  readonly ids: readonly string[] = [];
  /** What the save waits for. */
  declare readonly options: Readonly<SaveOptions>;
  /** `@flags` of the documents that a transaction of the whole cluster writes. */
  declare readonly flags: readonly string[];
  /** The whole text. It is kept because the batch may be sent to another node. */
  declare readonly body: string;

  /** `convert`: lets listeners replace documents. */
  constructor(
    state: SessionState,
    slots: readonly number[],
    deleted: ReadonlySet<number>,
    convert: Parts["session"]["converted"] | undefined,
  ) {
    this.#state = state;
    this.cluster = state.cluster;
    this.slots = slots;
    this.deleted = deleted;
    this.documents = new SentDocuments(state, convert);
  }

  /** Sets what is fixed. Only `seal` does so. */
  #fix(members: Partial<Batch>): void {
    Object.assign(this, members);
  }

  /** The id under which it writes a document. */
  idOf(slot: number): string | undefined {
    const id = this.ids[this.written.indexOf(slot)];
    return id && isFinal(id) ? id : undefined;
  }

  /**
   * Fixes what is sent; returns whether there is anything. An error means that the save has changed nothing. `refuse`: refuses numbers
   * that JavaScript cannot hold.
   */
  seal(refuse: Parts["session"]["refuseInexact"] | undefined): boolean {
    const state = this.#state;
    const { unitOfWork } = state;
    const { cluster, slots } = this;
    const plan = this.#planned();
    if (plan.length + unitOfWork.commands.length === 0) return false;
    assertSavable(state);
    refuse?.(state, slots);
    unitOfWork.snapshots.compact();
    const flagsAt = (slot: number) => String(unitOfWork.at(slot)?.["@metadata"]?.["@flags"]);
    this.#fix({ plan, flags: cluster ? slots.map(flagsAt) : [] });
    // RavenDB reads the mode only if it follows the array.
    const end = cluster ? '],"TransactionMode":"ClusterWide"}' : "]}";
    this.#fix({ body: `{"Commands":[${this.#write()}${end}`, options: { ...state.saveOptions } });
    const deferred = Uint32Array.from(this.commands, (command) => this.#reported(command));
    return state.enter((core) => core.seal(deferred));
  }

  /** The commands about documents of the session; the core decides. */
  #planned(): Uint32Array {
    const state = this.#state;
    const { unitOfWork, optimistic } = state;
    const { slots, deleted } = this;
    const documents: number[] = [];
    unitOfWork.addFacts([...deleted], COMMAND_DELETE, documents);
    unitOfWork.addFacts(slots, COMMAND_PUT, documents);
    if (state.concurrency === "WritesAndReads") {
      const written = new Set(slots);
      const read = [...unitOfWork.slots()].filter(
        (slot) => !written.has(slot) && !deleted.has(slot) && !unitOfWork.isNew(slot),
      );
      unitOfWork.addFacts(read, COMMAND_CHECK, documents);
    }
    return state.enter((core) => core.plan(optimistic || this.cluster, new Uint32Array(documents)));
  }

  /** What the core must know of a command besides those about documents, as bits: `Deferred` in `src/session/plan.rs`. */
  #reported(command: SentCommand): number {
    const { unitOfWork } = this.#state;
    const slot = command.isPart ? unitOfWork.slot(command.id as string) : -1;
    return (
      (isOnce(command) ? DEFERRED_ONCE : 0) |
      (command.changeVector == null ? 0 : DEFERRED_GUARDED) |
      (slot >= 0 && unitOfWork.isNew(slot) ? DEFERRED_PART | (slot << 8) : 0)
    );
  }

  /** Makes the texts of all commands, with commas between them. */
  #write(): string {
    const state = this.#state;
    const { unitOfWork } = state;
    const { versions } = unitOfWork;
    const [written, ids] = [this.written as number[], this.ids as string[]];
    let texts = "";
    const add = (command: object, slot = -1, id = "", replace?: typeof refuseInvalidDates) => {
      written.push(slot);
      ids.push(id);
      const text = JSON.stringify(command, replace);
      texts = joined(texts, text ?? fail("InvalidArgument", "a deferred command has nothing to send"));
    };
    const ofKind = (kind: number) => this.plan.filter((bits) => (bits & 3) === kind);
    for (const bits of ofKind(COMMAND_DELETE))
      add({ Type: "DELETE", Id: unitOfWork.idAt(bits >>> 8), ChangeVector: versions.expected(bits) });
    texts = joined(
      texts,
      explained(unitOfWork, () => this.documents.put(ofKind(COMMAND_PUT))),
    );
    assertThere(state, this.slots);
    this.#listDocuments();
    // Before patches: RavenDB would mistake their changes for those of another client.
    const read = Array.from(ofKind(COMMAND_CHECK), (bits) => [
      unitOfWork.idAt(bits >>> 8),
      versions.expected(bits),
    ]);
    if (read.length > 0) add({ Type: "BatchTrackChanges", TrackedEntities: Object.fromEntries(read) });
    // Before their texts are made: what code of the app adds to commands from now on is not part of this batch.
    this.#fix({ commands: unitOfWork.commands });
    this.#end = unitOfWork.end;
    for (const command of this.commands) {
      const { type, id } = command;
      const made = command.serialize(state.conventions as DocumentConventions);
      if (type === "PUT" && id) add(made, unitOfWork.slot(id), id, refuseInvalidDates);
      else add(made, -1, "", refuseInvalidDates);
    }
    return texts;
  }

  /** The texts of its documents come next. A method of its own, because V8 compiles a loop together with all that its method calls. */
  #listDocuments(): void {
    const { unitOfWork } = this.#state;
    for (const slot of this.slots) {
      (this.written as number[]).push(slot);
      (this.ids as string[]).push(unitOfWork.idAt(slot));
    }
  }

  /** Resolves with the text of the response. */
  async send(): Promise<string> {
    const { cluster, body } = this;
    const state = this.#state;
    const isPlain =
      !cluster &&
      Object.keys(this.options).length === 0 &&
      this.commands.every(({ type }) => type === "DELETE");
    if (isPlain)
      return state.run(
        state.enter((core) => core.save("", body, 0)),
        ({ text }) => text,
      );
    // Loaded before anything is sent: the part also reads the response to patches, and could not be loaded then if the page is offline.
    return (await loadPart("session")).sendSpecial(state, this);
  }

  /** Applies a response to documents, and reports to the core that the batch is saved. Without a response: the device has kept it. */
  settle(text?: string): Partial<TakenResults> {
    const taken = text === undefined ? {} : takeOver(this.#state, this, text);
    this.documents.accept();
    report(this.#state, SAVE_APPLIED, this);
    return taken;
  }

  /** It was saved: the session forgets the changes, and takes over the results. */
  finish(taken: Partial<TakenResults>): void {
    this.#state.unitOfWork.savedCommands(this.#end);
    finish(this.#state, this.slots, this, taken);
  }
}

/** Refuses to save these slots if a deferred command is about one of the same documents. `types`: of the commands that count. */
export function assertApart({ unitOfWork }: SessionState, slots: number[], types = WRITING): void {
  const about = new Set(unitOfWork.deferred.map(({ id, type }) => id && types.test(type) && idKey(id)));
  for (const slot of about.size > 0 ? slots : []) {
    const id = unitOfWork.idAt(slot);
    if (id && about.has(idKey(id)))
      fail(
        "InvalidOperation",
        `the session changes or deletes the document ${id}, and a deferred command is about it, too`,
      );
  }
}

/** Called after code of the app has run, which may have evicted documents of the save. */
export function assertThere({ unitOfWork }: SessionState, slots: readonly number[]): void {
  for (const slot of slots)
    if (unitOfWork.at(slot) === undefined)
      fail("InvalidArgument", "an entity was evicted while it was saved");
}

/** Refuses a save that the session cannot make. */
export function assertSavable(state: SessionState): void {
  if (state.noTracking) fail("InvalidOperation", "a session without tracking cannot save");
  if (state.cluster && (state.optimistic || state.expects))
    fail("InvalidOperation", "a cluster-wide transaction takes no change vectors of the app");
}
