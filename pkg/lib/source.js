// Where numbers come from, as the app chose it: what that is to the core, to the device, and how the app is called.

import { decoder, encoder } from "../hot/text.js";
import { fail } from "./error.js";

/** In the order in which the core knows them. */
const KINDS = ["server", "document", "own", "classic"];
const SPELLINGS = ["Raven/Hilo", "Raven/HiLo", "Replication/HiLo"];

/** Numbers in a range, at most. */
export const LARGEST = 1_048_576;

/**
 * `kind`, `detail` and `scoped` are for the core; `name` and `id` are what the device keeps the numbers under. `call` has what the
 * core wants of the app, in place of requests.
 */
export function sourceOf(source) {
  const chosen = source ?? "server";
  // A string has none of these.
  const { capacity, scope, spelling = SPELLINGS[0], next, lease, release } = chosen;
  const kind = chosen.kind ?? (lease ? "own" : chosen);
  const at = KINDS.indexOf(kind);
  const own = at > 1;
  const calls = own ? (at === 2 ? [lease, release ?? lease] : [next]) : [];
  if (at < 0 || calls.some((call) => typeof call !== "function"))
    fail("InvalidArgument", 'source: "server", "document", { kind: "classic", next, capacity }, { lease }');
  const speller = SPELLINGS.indexOf(spelling);
  if (speller < 0 || scope === "" || typeof (scope ?? "") !== "string")
    fail("InvalidArgument", `scope is a name, spelling one of ${SPELLINGS}`);
  if (kind === "classic" || capacity !== undefined) checkCapacity(capacity);
  return {
    kind: at,
    detail: [0, speller, +!!release, capacity][at],
    scoped: !own || !!scope,
    // RavenDB does not tell spellings apart that differ in case.
    id: own ? [scope] : at ? [spelling.toLowerCase()] : [],
    name: kind,
    capacity: own ? undefined : capacity,
    call: own && {
      // The app is not called while Rust is on the stack.
      lease: async ({ tag, size, above }) => {
        await undefined;
        return at === 2 ? chosen.lease(tag, size, above) : chosen.next(tag);
      },
      // At once, because the page may be going.
      release: (range) => chosen.release(range),
    },
  };
}

export function checkCapacity(capacity) {
  if (!(Number.isInteger(capacity) && capacity >= 1 && capacity <= LARGEST))
    fail("InvalidArgument", `capacity takes a whole number from 1 to ${LARGEST}`);
}

/** Calls the app for the core; resolves with what a task wants to know. */
export async function callApp(call, body) {
  const answer = await call(JSON.parse(decoder.decode(body)));
  let text;
  try {
    text = JSON.stringify(answer);
  } catch {
    // What JSON cannot show makes no sense there.
  }
  return [201, encoder.encode(text)];
}
