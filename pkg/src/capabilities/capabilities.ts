// What capabilities that take part in sessions share: which one a name belongs to, calls made before their code was loaded, their part of
// a batch, and what loads and queries include. Loaded with the first of them.

import type { IncludeCall } from "../common/arguments.js";
import { fail, RavenEdgeError } from "../common/error.js";
import { isInvalidDate } from "../common/value-kinds.js";
import type { ResponseBody } from "../loading/request-documents.js";
import type { ReadOptions } from "../loading/track-documents.js";
import { Call, misplaced } from "../rql/call.js";
import type { Names, Parameters } from "../rql/names-and-parameters.js";
import { loadedPart, loadPart } from "../runtime/load-part.js";
import { type EarlyCall, isRecorded, type Methods, type RecordedCall } from "../runtime/stand-in.js";
import type { Batch } from "../saving/batch.js";
import type { ICommandData } from "../saving/batch-commands.js";
import type { SessionState } from "../session/session-state.js";
import type { Parameter } from "../wire/query-string.js";
import type { SendBatch, SessionPart } from "./session-part.js";

/** Loads the code of the capabilities that these calls need. The calls come from an include builder or a query. */
export async function loadIncluded(calls: readonly IncludeCall[]): Promise<void> {
  // JSON would make null of it, which means no limit.
  if (calls.some(([method, ...given]) => /^include./.test(method) && given.flat().some(isInvalidDate)))
    fail("InvalidArgument", "the ends of a range are valid Dates");
  const methods = calls.map(([method]) => method).filter((method) => /^include./.test(method));
  for (const method of methods)
    if (partNames([method]).length === 0) fail("InvalidArgument", `an include builder has no ${method}`);
  // A query can also read a time series without a method `include…`: then only its RQL contains the word `timeseries`.
  const isSeries = calls.some(
    ([method, text]) => !/^include/.test(method) && /timeseries/i.test(`${method} ${text}`),
  );
  await partsOf(isSeries ? [...methods, "TimeSeries"] : methods);
}

/** The parameters of `GET docs` for these calls. */
export async function includeParameters(calls: readonly IncludeCall[]): Promise<Parameter[]> {
  await loadIncluded(calls);
  let parameters = calls.flatMap(([method, path]): Parameter[] =>
    method === "include" ? [[method, path]] : [],
  );
  for (const name of partNames(calls.map(([method]) => method))) {
    const own = calls.filter(([method]) => partNames([method])[0] === name);
    const [part] = await partsOf([own[0]?.[0]]);
    const added = part?.parameters?.(own) ?? fail("Unsupported", `a load has no ${own[0]?.[0]}`);
    parameters = parameters.concat(added);
  }
  return parameters;
}

/** The items of `include …` in RQL for a call. */
export function includedItems({ name, given }: Call, names: Names, parameters: Parameters): string[] {
  const part = loadedCapability(name) ?? misplaced(`${name} becomes RQL only when the query is sent`);
  const writer = {
    parameter: (value: unknown) => parameters.add(value),
    path: (path: string) => names.name(new Call(["", path]).text(0)),
  };
  return part.rql?.([name, ...given], writer) ?? misplaced(`a query has no ${name}`);
}

/** The order of includes in npm `ravendb`: the server caches by the text. */
const KINDS = ["counters(", "timeseries(", "revisions(", "cmpxchg("];
const kindOf = (item: string) => KINDS.findIndex((kind) => item.startsWith(kind));

/** The items of calls in one order, whatever the order of the calls. */
export function inOrder(items: Iterable<string>): string[] {
  return [...items].sort((one, other) => kindOf(one) - kindOf(other));
}

/** Hands each capability its part of the responses; see `fetchResponses`. */
export async function included(
  state: SessionState,
  bodies: readonly (ResponseBody | RavenEdgeError)[],
  readings: readonly (ReadOptions | undefined)[],
  wanted: readonly string[] = [],
): Promise<void> {
  for (const [at, body] of bodies.entries()) {
    const calls = readings[at]?.includes;
    const asked = calls && { calls, ids: wanted };
    if (body instanceof RavenEdgeError) continue;
    for (const part of await partsOf(Object.keys(body))) {
      part.results?.(body);
      if (!state.noTracking && !readings[at]?.untracked) part.include?.(state, body, asked);
    }
  }
}

/** Makes a call that came before the code was loaded. */
export async function makeCall(state: SessionState, call: EarlyCall): Promise<unknown> {
  await loadPart(call[0]);
  return carryOut(state, call);
}

function carryOut(state: SessionState, [name, given, member, more]: EarlyCall): unknown {
  const part: SessionPart | undefined = loadedPart(name);
  return ((part?.of?.(state, ...(given as never[])) ?? {}) as Methods)[member]?.(...more);
}

/**
 * Makes the calls that are recorded among the deferred commands. What one would have thrown at the app refuses the next save, once: the
 * call had no effect.
 */
export async function replay(state: SessionState): Promise<void> {
  const { unitOfWork } = state;
  // While one part is loaded, the app may call methods of another one.
  const missing = () =>
    unitOfWork.deferred.find(
      (command): command is RecordedCall => isRecorded(command) && !loadedPart(command.call[0]),
    );
  for (let next = missing(); next; next = missing()) await loadPart(next.call[0]);
  unitOfWork.storedInPlace((command) => {
    if (!isRecorded(command)) return false;
    try {
      carryOut(state, command.call);
    } catch (error) {
      // A command that makes the next save fail, once.
      const refuse = () => {
        unitOfWork.evictedCommand(refusal);
        throw error;
      };
      const refusal: ICommandData = { type: "", serialize: refuse, onBeforeSaveChanges: refuse };
      unitOfWork.storedCommand(refusal);
    }
    return true;
  });
}

/** `send` sends it, by default its text. Each capability of the batch may send another body. */
export async function sendBatch(state: SessionState, batch: Batch, send: SendBatch): Promise<string> {
  let all = send;
  // Loaded before anything is sent: they also read the response.
  for (const part of await partsOf(batch.commands.map(({ type }) => type))) {
    const inner = all;
    if (part.send) all = () => part.send?.(state, batch, inner) ?? inner();
  }
  return all();
}

/** The parts that take part in sessions, by their words. */
const WORDS = {
  Attachment: "attachments",
  CompareExchange: "cluster",
  Counter: "counters",
  TimeSeries: "timeSeries",
  Revision: "revisions",
} as const;

export type PartName = (typeof WORDS)[keyof typeof WORDS];

/** The names of the capabilities that these names belong to. */
export function partNames(names: readonly (string | undefined)[]): PartName[] {
  const words = Object.keys(WORDS) as (keyof typeof WORDS)[];
  const found = words.filter((word) => names.some((name) => name?.includes(word)));
  return found.map((word) => WORDS[word]);
}

/** The capability that a name belongs to, if its code is loaded. */
export function loadedCapability(name: string | undefined): SessionPart | undefined {
  const [found] = partNames([name]);
  return found && loadedPart(found);
}

/** The code of the capabilities that these names belong to. */
export function partsOf(names: readonly (string | undefined)[]): Promise<SessionPart[]> {
  return Promise.all(partNames(names).map((name): Promise<SessionPart> => loadPart(name)));
}
