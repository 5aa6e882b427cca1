// Where numbers come from, as the app chose it: what that is to the core, to the device, and how the app is called.

import { LIMIT_RANGE, LIST_SOURCES, LIST_SPELLINGS, SOURCE_OWN } from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { decoder, encoder } from "../common/text-codec.js";

/**
 * `kind`, `detail` and `scoped` are for the core; `name` and `id` are what the device keeps the numbers under. `call` has what the
 * core wants of the app, in place of requests.
 */
export function sourceOf(source) {
  const chosen = source ?? "server";
  // A string has none of these.
  const { capacity, scope, spelling = LIST_SPELLINGS[0], next, lease, release } = chosen;
  const kind = chosen.kind ?? (lease ? "own" : chosen);
  const at = LIST_SOURCES.indexOf(kind);
  const own = at >= SOURCE_OWN;
  const calls = own ? (at === SOURCE_OWN ? [lease, release ?? lease] : [next]) : [];
  if (at < 0 || calls.some((call) => typeof call !== "function"))
    fail("InvalidArgument", 'source: "server", "document", { kind: "classic", next, capacity }, { lease }');
  const speller = LIST_SPELLINGS.indexOf(spelling);
  if (speller < 0 || scope === "" || typeof (scope ?? "") !== "string")
    fail("InvalidArgument", `scope is a name, spelling one of ${LIST_SPELLINGS}`);
  if (kind === "classic" || capacity !== undefined) checkCapacity(capacity);
  return {
    kind: at,
    detail: [0, speller, +!!release, capacity][at],
    scoped: !own || !!scope,
    // RavenDB does not tell spellings apart that differ in case.
    id: own ? [scope] : at ? [idKey(spelling)] : [],
    name: kind,
    capacity: own ? undefined : capacity,
    call: own && {
      // The app is not called while Rust is on the stack.
      lease: async ({ tag, size, above }) => {
        await undefined;
        return at === SOURCE_OWN ? chosen.lease(tag, size, above) : chosen.next(tag);
      },
      // At once, because the page may be going.
      release: (range) => chosen.release(range),
    },
  };
}

export function checkCapacity(capacity) {
  if (!(Number.isInteger(capacity) && capacity >= 1 && capacity <= LIMIT_RANGE))
    fail("InvalidArgument", `capacity takes a whole number from 1 to ${LIMIT_RANGE}`);
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
