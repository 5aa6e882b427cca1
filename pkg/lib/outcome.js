// What became of a save. The core decides (`src/session`): this tells it what has happened, reads documents back, and compares.

import { acceptPicked, says } from "../hot/sent.js";
import { idOf } from "../hot/values.js";
import { RavenEdgeError } from "./error.js";
import { later } from "./later.js";
import { finish } from "./save.js";

/** What has happened; see `src/protocol.rs`. */
const [APPLIED, WAITED, CONFLICT, REFUSED, UNSENT, LOST, SEEN, UNREAD] = [0, 1, 2, 3, 4, 5, 6, 7];

/** What follows; see `src/session/outcome.rs`. From `UNKNOWN` on, the outcome is unknown and the number says what the app should do. */
export const READ = 1;
export const PLAN = 2;
const [DONE, SAVED, NOT_SAVED, CONFLICT_UNKNOWN, UNKNOWN] = [0, 3, 4, 6, 7];

const ADVICE = [
  "saving again is safe",
  "call it for what was to be written on condition of a change vector before you save again",
  "look first: ids that the server makes, and patches, would be made twice",
];

/** All is saved, but was not replicated or indexed in time. */
const TOO_LATE = "Raven.Client.Exceptions.RavenTimeoutException";

/** RavenDB's refusals have a type; so have those of the gateway, but for what it did not understand of RavenDB's answer. */
const NOBODY = /^undefined$|Gateway.Upstream/;

/** Whether the server may have done what failed like this. */
function isLost(error) {
  // What RavenDB itself refuses was not done; what took it too long may be done yet. A response without its type is of
  // somebody in between (a proxy, a captive portal), who may have put it in the place of RavenDB's, whatever the status.
  return (
    error.code === "BadAnswer" ||
    error.status === 408 ||
    (error.code !== "ForeignOrigin" && (error.outage || error.status > 0) && NOBODY.test(error.type))
  );
}

function eventOf(error) {
  if (!(error instanceof RavenEdgeError) || error.unsent) return UNSENT;
  if (error.type === TOO_LATE) return WAITED;
  if (isLost(error)) return LOST;
  if (error.code === "Concurrency") return CONFLICT;
  return error.status ? REFUSED : UNSENT;
}

/** Documents with an unknown outcome are looked for before the next batch is planned. */
export async function begin(unit) {
  const next = unit.enter((core) => core.begin(unit.tracker.takeGone()));
  if (next !== READ) return;
  const [found] = await documents(unit, readable(unit)).catch((error) => {
    const advice = report(unit, UNREAD).next;
    throw unknown(error, advice);
  });
  const { settled } = report(unit, SEEN, { found });
  if (settled.length > 0) finish(unit, settled, []);
}

/** The batch is saved. */
export function applied(unit) {
  report(unit, APPLIED);
}

/**
 * A save has failed. Resolves with whether it is saved nevertheless; `PLAN` if it is to be planned anew; throws what the app is to
 * be told. `batch`: what was sent, see `finish`.
 */
export async function failed(unit, error, batch) {
  const { tracker } = unit;
  const event = eventOf(error);
  const slot = error.id ? tracker.slot(error.id) : -1;
  let { next } = report(unit, event, { slot, sharded: error.sharded });
  let settled = [];
  if (next === READ) {
    const ids = event === WAITED ? unit.underWay.map(({ id }) => tracker.slot(id ?? "")) : [];
    const wanted = event === WAITED ? [...batch.slots, ...ids] : [];
    const read = await documents(unit, [...new Set([...readable(unit), ...wanted])]).catch(() => undefined);
    ({ next, settled } = read ? report(unit, SEEN, { found: read[0] }) : report(unit, UNREAD));
    if (next === SAVED) (await later("session")).saved(unit, batch, ids, read ?? [[]]);
  }
  if (next === DONE) return;
  if (settled.length > 0) finish(unit, settled, []);
  if (next === PLAN) return PLAN;
  if (next >= UNKNOWN) throw unknown(error, next);
  if (next === SAVED) error.outcome = "saved";
  if (next === NOT_SAVED && error.unsent) error.outcome = "not saved";
  if (next === CONFLICT_UNKNOWN) error.outcome = "unknown";
  throw error;
}

/** Tells the core what has happened; settles what it says, and keeps what it may ask for later. */
function report(unit, event, { slot = -1, sharded = false, found = [] } = {}) {
  const { tracker, sent } = unit;
  const bySlot = new Map(found.map((document) => [slotOf(unit, document), document]));
  const seen = event === SEEN ? compared(unit, bySlot) : [];
  const args = [tracker.takeGone(), event, slot < 0 ? undefined : slot, sharded, Uint32Array.from(seen)];
  const [next, keep, version, ...pairs] = unit.enter((core) => core.on(...args));
  sent.version = version;
  const settled = pairs.filter((_, at) => at % 2 === 0);
  const current = sent.pick(settled);
  settled.forEach((each, at) => {
    settle(
      unit,
      each,
      tracker.unknown.get(each)?.get(pairs[2 * at + 1]) ?? current.get(each),
      bySlot.get(each),
    );
  });
  if (keep) {
    for (const [each, picked] of sent.pick(readable(unit))) tracker.texts(each).set(version, picked);
  }
  return { next, settled };
}

/** Pairs of slot and finding: 0 for no document, 1 for something else, 2 and the version for what was sent. */
function compared(unit, bySlot) {
  const { tracker, sent } = unit;
  const slots = readable(unit);
  const current = sent.pick(slots);
  return slots.flatMap((slot) => {
    const document = bySlot.get(slot);
    if (!document) return [slot, 0];
    let finding = 1;
    // In the order of versions: the newest of those that say the same.
    for (const [version, picked] of tracker.unknown.get(slot) ?? [])
      if (says(picked, document)) finding = 2 + version;
    if (says(current.get(slot), document)) finding = 2 + sent.version;
    return [slot, finding];
  });
}

/** A document is saved as it was sent once: as `picked`, and read back as `document`. */
function settle({ tracker }, slot, picked, document) {
  if (document) tracker.stamps.read(slot, document["@metadata"]);
  acceptPicked(tracker.snapshots, new Map([[slot, picked]]));
  tracker.unknown.delete(slot);
}

function unknown(cause, next) {
  const { request, status } = cause;
  const message = `the answer to a save was lost (${cause.message}): its outcome is unknown; advanced.refresh() shows it, ${ADVICE[next - UNKNOWN]}`;
  const error = new RavenEdgeError("OutcomeUnknown", message, { cause, request, status });
  error.outcome = "unknown";
  return error;
}

function readable(unit) {
  const slots = unit.enter((core) => core.readable());
  return [...slots].filter((slot) => unit.tracker.at(slot) !== undefined);
}

/** Documents as the server has them, and the text of its answer. */
async function documents(unit, slots) {
  const { tracker } = unit;
  const ids = slots.filter((slot) => tracker.isNamed(slot)).map((slot) => tracker.idAt(slot));
  if (ids.length === 0) return [[]];
  const { text } = await unit.ask({ method: "POST", route: "docs", body: { Ids: ids }, safe: true });
  const found = text && JSON.parse(text).Results;
  return [Array.isArray(found) ? found.filter(idOf) : [], text];
}

/** The slot of a document as the server has it. */
export function slotOf(unit, document) {
  return unit.tracker.slot(document["@metadata"]["@id"]);
}
