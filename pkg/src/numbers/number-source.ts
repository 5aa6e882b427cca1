// The source of numbers that the app has chosen: what the core, the device and calls of the app need to know of it.

import {
  LIMIT_RANGE,
  LIST_SOURCES,
  LIST_SPELLINGS,
  SOURCE_DOCUMENT,
  SOURCE_OWN,
} from "../../gen/protocol.js";
import { checkNames, isObject } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { encoder } from "../common/text-codec.js";
import type { Reply } from "../runtime/core.js";
import type { ClassicSource, OwnSource, ReleasedRange, StoreOptions } from "../store/store-options-types.js";

/** A function of the app, by the path that its requests are sent to. */
export type AppCalls = Record<string, (given: never) => unknown>;

/** A source, checked. */
export interface NumberSource {
  /** For the core: `SOURCE_…`. */
  readonly kind: number;
  /** For the hub's core: the spelling of counter documents, whether the app takes back numbers, or how many numbers a Hi stands for. */
  readonly detail: number;
  /** For the core: whether unused numbers can be returned. */
  readonly releasable: boolean;
  /** For the core: whether numbers may be parked. */
  readonly scoped: boolean;
  /** With `id` the key under which the device keeps the numbers. */
  readonly name: string;
  readonly id: readonly (string | undefined)[];
  /** What the ids of counter documents begin with. */
  readonly counters: string;
  /** The only node that has counter documents to read; below 0: any. */
  readonly home: number;
  /** How many numbers a range has; `undefined`: the source does not say, or its app decides. */
  readonly capacity: number | undefined;
  /** Functions of the app that the core calls in place of requests. */
  readonly call: AppCalls | undefined;
}

/** The functions of the app, of which those of its kind of source have been checked. */
type AppFunctions = Pick<ClassicSource, "next"> & Required<Pick<OwnSource, "lease" | "release">>;

/** An object as the app gave it, before it is checked. */
type GivenSource = Partial<
  AppFunctions & Record<"kind" | "scope" | "spelling", string> & { capacity: number }
>;

export function sourceOf(source: StoreOptions["source"] | null): NumberSource {
  const chosen = (source ?? "server") as string | GivenSource;
  // A string has none of these members.
  const { capacity, scope, spelling = LIST_SPELLINGS[0], next, lease, release } = chosen as GivenSource;
  const kind = (chosen as GivenSource).kind ?? (lease ? "own" : (chosen as string));
  const at = LIST_SOURCES.indexOf(kind);
  const own = at >= SOURCE_OWN;
  const calls = own ? (at === SOURCE_OWN ? [lease, release ?? lease] : [next]) : [];
  if (at < 0 || calls.some((call) => typeof call !== "function"))
    fail("InvalidArgument", 'source: "server", "document", { kind: "classic", next, capacity }, { lease }');
  // Other sources are objects of the app, which may have members of their own.
  if (!own && isObject(chosen)) checkNames("option of the source", chosen, ["kind", "capacity", "spelling"]);
  const speller = LIST_SPELLINGS.indexOf(spelling as string);
  if (speller < 0 || scope === "" || typeof (scope ?? "") !== "string")
    fail("InvalidArgument", `scope is a name, spelling one of ${LIST_SPELLINGS}`);
  if (kind === "classic" || capacity !== undefined) checkCapacity(capacity);
  return {
    kind: at,
    detail: [0, speller, +!!release, capacity][at] as number,
    releasable: !own || !!release,
    counters: `${own || !at ? LIST_SPELLINGS[0] : spelling}/`,
    home: at === SOURCE_DOCUMENT ? 0 : -1,
    scoped: !own || !!scope,
    // RavenDB does not distinguish spellings that differ only in case.
    id: own ? [scope] : at ? [idKey(spelling as string)] : [],
    name: kind,
    capacity: own ? undefined : capacity,
    call: own
      ? {
          // Code of the app must not run while Rust is on the stack.
          lease: async ({ tag, size, above }: { tag: string; size: number; above: number }) => {
            await undefined;
            return at === SOURCE_OWN
              ? (chosen as AppFunctions).lease(tag, size, above)
              : (chosen as AppFunctions).next(tag);
          },
          // Called at once, because the page may be going away.
          release: (range: ReleasedRange) => (chosen as AppFunctions).release(range),
        }
      : undefined,
  };
}

export function checkCapacity(capacity: unknown): asserts capacity is number {
  if (!(Number.isInteger(capacity) && (capacity as number) >= 1 && (capacity as number) <= LIMIT_RANGE))
    fail("InvalidArgument", `capacity takes a whole number from 1 to ${LIMIT_RANGE}`);
}

/** Calls the app with the body of a request; resolves with the reply that the task gets. */
export async function callApp(call: (given: never) => unknown, body: string): Promise<Reply> {
  const result = await call(JSON.parse(body) as never);
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch {
    // JSON has no form for it: an empty body is refused as an invalid result.
  }
  return [201, encoder.encode(text)];
}
