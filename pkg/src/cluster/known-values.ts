// The compare-exchange values that a session knows.

import type { Kept, SessionPart } from "../capabilities/session-part.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { ResponseBody } from "../loading/request-documents.js";
import type { Listed } from "../operations/compare-exchange.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { CommandResult } from "../saving/settle.js";
import type { SessionState } from "../session/session-state.js";
import { senderOf, TrackedValue } from "./tracked-value.js";

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

export const show: NonNullable<SessionPart["show"]> = (state, result: CompareExchangeResult, command) => {
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
