// The compare-exchange values that a session knows, and what the next save does with each.

import type { Kept, SessionPart } from "../capabilities/session-part.js";
import { isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { EntityType } from "../documents/entity-types.js";
import { put } from "../documents/snapshots/put-member.js";
import type { ResponseBody } from "../loading/request-documents.js";
import { type Listed, reader } from "../operations/compare-exchange.js";
import { CompareExchangeValue } from "../operations/compare-exchange-value.js";
import {
  DeleteCompareExchangeCommandData,
  type ICommandData,
  PutCompareExchangeCommandData,
} from "../saving/batch-commands.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";

const NAME = "cluster";
/** Values with this prefix are the server's: they protect documents. */
const GUARD = /^rvn-atomic\//i;

export class KnownValues implements Kept {
  #state;
  /** By the keys of their keys: the server ignores case. */
  #values = new Map<string, TrackedValue>();

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** Those of a session. */
  static of(state: SessionState): KnownValues {
    const known = state.unitOfWork.kept.get(NAME);
    if (known instanceof KnownValues) return known;
    const made = new KnownValues(state);
    state.unitOfWork.kept.set(NAME, made);
    return made;
  }

  get(key: string): TrackedValue | undefined {
    return this.#values.get(idKey(key));
  }

  /** The value of a key, which is tracked from now on. */
  track(key: string): TrackedValue {
    const value = this.get(key) ?? new TrackedValue(this.#state, key);
    this.#values.set(idKey(key), value);
    return value;
  }

  /** Takes what the server has of a value. A session without tracking does not remember it. */
  take(listed: Listed): TrackedValue {
    const { Key: key, Index: index } = listed;
    if (index >= 0 && GUARD.test(key))
      fail("InvalidOperation", `${key} is an atomic guard, which a session cannot load`);
    const value = this.#state.noTracking ? new TrackedValue(this.#state, key) : this.track(key);
    value.take(listed);
    return value;
  }

  /** The session no longer knows a value; `value`: only if it is this one. */
  drop(key: string, value = this.get(key)): void {
    if (this.get(key) === value) this.#values.delete(idKey(key));
  }

  /** Documents that are deleted or evicted leave all values: keys are no ids. */
  delete(): void {}

  commands(): ICommandData[] {
    return [...this.#values.values()].flatMap(({ command = [] }) => command);
  }
}

/** What the server reports of a command. */
interface CompareExchangeResult extends CommandResult {
  Key?: string;
  Index?: number;
}

export const applyResult: NonNullable<SessionPart["applyResult"]> = (
  state,
  result: CompareExchangeResult,
  command,
) => {
  const value = senderOf(command);
  // The result of a deferred command, or none: the value is read when it is needed.
  if (!value?.saved(command, result.Index)) KnownValues.of(state).drop(command.id as string, value);
};

/** What a response has of compare-exchange values. */
interface IncludedValues extends ResponseBody {
  CompareExchangeValueIncludes?: Record<string, Listed>;
}

export function include(state: SessionState, body: IncludedValues): void {
  if (!state.cluster) fail("InvalidOperation", 'compare-exchange values need transactionMode: "ClusterWide"');
  const known = KnownValues.of(state);
  for (const listed of Object.values(body.CompareExchangeValueIncludes ?? {}))
    if (!known.get(listed.Key)?.value()) known.take(listed);
}

/** What a session knows of a value: it exists, does not, or the next save creates or deletes it. */
type Status = "there" | "missing" | "created" | "deleted";

/** Sends a value as it was when the save began. */
class PutTracked extends PutCompareExchangeCommandData {
  /** `text`: the value and its metadata, as they are sent. */
  constructor(
    readonly tracked: TrackedValue,
    readonly text: string,
    index: number,
  ) {
    super(tracked.key, JSON.parse(text) as object, index);
  }
}

class DeleteTracked extends DeleteCompareExchangeCommandData {
  constructor(
    readonly tracked: TrackedValue,
    index: number,
  ) {
    super(tracked.key, index);
  }
}

class TrackedValue {
  readonly key: string;
  #state;
  #status: Status = "missing";
  #index = 0;
  /** As the server sent it, until the app reads it. */
  #listed: Listed | undefined;
  /** The object that the app has. */
  #value: CompareExchangeValue | undefined;
  /** What the server has, as it would be sent. */
  #text: string | undefined;
  #type: EntityType | undefined;

  constructor(state: SessionState, key: string) {
    this.#state = state;
    this.key = key;
  }

  /** The value for the app; `null`: it does not exist, or the session is to delete it. `type`: its class, when it is first read. */
  value(type?: EntityType): CompareExchangeValue | null {
    if (this.#status === "missing" || this.#status === "deleted") return null;
    if (this.#listed && !this.#value) {
      this.#type = type;
      this.#value = this.#read(this.#listed);
      // After it was made: what its class adds is no change of the app's.
      this.#text = this.#now();
    }
    return this.#value ?? null;
  }

  /** Takes what the server has. What the app has changed stays: its save then fails, because the index is another one. */
  take(listed: Listed): void {
    if (this.command) return;
    this.#status = listed.Index >= 0 ? "there" : "missing";
    this.#index = listed.Index;
    this.#listed = listed;
    const value = this.#value;
    if (!value || this.#status === "missing") {
      this.#value = undefined;
      return;
    }
    const fresh = this.#read(listed);
    value.index = this.#index;
    value.value = updated(value.value, fresh.value);
    if (value.hasMetadata() || fresh.hasMetadata()) updated(value.metadata, fresh.metadata);
    this.#text = this.#now();
  }

  /** The next save creates it. */
  create(value: CompareExchangeValue): CompareExchangeValue {
    this.#assertOpen();
    if (this.#value)
      fail("InvalidOperation", `the session has the compare-exchange value ${this.key}: change its value`);
    this.#value = value;
    this.#text = undefined;
    this.#index = 0;
    this.#status = "created";
    return value;
  }

  /** The next save deletes it. */
  delete(index: number): void {
    this.#assertOpen();
    this.#index = index;
    this.#status = "deleted";
  }

  /** What the next save sends. */
  get command(): ICommandData | undefined {
    if (this.#status === "deleted") return new DeleteTracked(this, this.#index);
    if (!this.#value) return undefined;
    const text = this.#now();
    return text === this.#text ? undefined : new PutTracked(this, text, this.#index);
  }

  /**
   * A command of this value was saved. The app may have changed or deleted it since. `index`: `undefined` if the response did not say it.
   * Returns whether the session still knows the value: what the app has changed since stays, and is refused because of its index.
   */
  saved(command: ICommandData, index: number | undefined): boolean {
    if (command instanceof PutTracked) {
      if (this.#status === "created") this.#status = "there";
      this.#text = command.text;
      if (index === undefined) return this.command !== undefined;
      this.#index = index;
      if (this.#value) this.#value.index = index;
      return true;
    }
    this.#status = "missing";
    this.#value = undefined;
    return index !== undefined;
  }

  #read({ Value }: Listed): CompareExchangeValue {
    // The value may be read again after a change.
    const { "@metadata": metadata, ...stored } = structuredClone(Value ?? {});
    const value = Value ? reader(this.#state.conventions, this.#type)(stored) : null;
    // As in npm `ravendb`, without a change vector.
    return new CompareExchangeValue(this.key, this.#index, value, null as never, metadata);
  }

  /** The value of the app as it is sent. */
  #now(): string {
    const value = this.#value as CompareExchangeValue;
    const metadata = value.hasMetadata() && Object.keys(value.metadata).length > 0;
    return JSON.stringify({
      Object: this.#state.mapper.value(value.value) ?? null,
      "@metadata": metadata ? this.#state.mapper.value(value.metadata) : undefined,
    });
  }

  #assertOpen(): void {
    if (this.#status !== "created" && this.#status !== "deleted") return;
    fail(
      "InvalidOperation",
      `the compare-exchange value ${this.key} is ${this.#status} in this session: save first`,
    );
  }
}

/** The value that has sent a command. */
export const senderOf = (command: ICommandData): TrackedValue | undefined =>
  command instanceof PutTracked || command instanceof DeleteTracked ? command.tracked : undefined;

/** Gives an object or list of the app the members of another; other values are replaced. Returns the current one. */
function updated(mine: unknown, fresh: unknown): unknown {
  if (!isObject(mine) || !isObject(fresh) || Array.isArray(mine) !== Array.isArray(fresh)) return fresh;
  for (const name of Object.keys(mine)) if (!(name in fresh)) Reflect.deleteProperty(mine, name);
  if (Array.isArray(mine) && Array.isArray(fresh)) mine.length = fresh.length;
  for (const [name, value] of Object.entries(fresh)) put(mine, name, value);
  return mine;
}
