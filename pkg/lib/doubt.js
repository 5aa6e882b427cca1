// What became of a save whose answer was lost.

import { acceptPicked, says } from "../hot/sent.js";
import { RavenEdgeError } from "./error.js";
import { finish } from "./save.js";

/** RavenDB's refusals have a type; so have those of the gateway, but for what it did not understand of RavenDB's answer. */
const NOBODY = /^undefined$|Gateway.Upstream/;

/** What is new under ids of ours is looked for before it is sent again; what is known by its id is written once more. */
const SAFE = "saving again is safe";

/** Whether the server may have done what failed like this. */
export function isLost(error) {
  if (!(error instanceof RavenEdgeError)) return false;
  // What RavenDB itself refuses was not done; what took it too long may be done yet. A response without its type is of
  // somebody in between (a proxy, a captive portal), who may have put it in the place of RavenDB's, whatever the status.
  return (
    error.code === "BadAnswer" ||
    error.status === 408 ||
    (error.code !== "ForeignOrigin" && (error.outage || error.status > 0) && NOBODY.test(error.type))
  );
}

/**
 * New documents under ids of ours (`fresh`) are read back, and are ours if they say what was sent: then all is well. What
 * is not there may still arrive. Of anything else nobody can tell, because another writer may have written the same.
 */
export async function settle(unit, slots, fresh, error) {
  if (error.unsent) {
    error.outcome = "not saved";
    throw error;
  }
  const own = slots.filter((slot) => unit.tracker.isFresh(slot));
  unit.doubtful = own.length > 0 ? unit.sent.pick(own) : undefined;
  const twice =
    unit.underWay.some(({ type }) => type !== "DELETE") || slots.some((slot) => !unit.tracker.isNamed(slot));
  if (twice) throw unknown(error, "look first: ids that the server makes, and patches, would be made twice");
  const saved = fresh && (await readBack(unit).catch(() => false));
  if (!saved) throw unknown(error, SAFE);
}

/** Before the next save, or after it was refused: has the one before arrived? */
export async function settleDoubt(unit) {
  const slots = [...unit.doubtful.keys()];
  const saved = await readBack(unit).catch((error) => {
    throw unknown(error, SAFE);
  });
  if (!saved) return false;
  finish(unit, slots, []);
  return true;
}

/** The server has saved, but what was to happen afterwards took too long. */
export async function committed(unit, slots, deleted, commands, error) {
  const { tracker, sent, underWay } = unit;
  const others = underWay.map(({ id }) => tracker.slot(id ?? ""));
  const [found, text] = await documents(unit, [...new Set([...slots, ...others])]).catch(() => [[]]);
  const picked = sent.pick(slots);
  // What others have written meanwhile was never loaded: its change vector is not of what is known here.
  take(
    unit,
    found.filter((document) => says(picked.get(slotOf(unit, document)), document)),
  );
  sent.accept();
  const results = underWay.map(({ type, id }, at) => {
    const document = found.find((each) => slotOf(unit, each) === others[at]);
    const {
      "@id": Id = id,
      "@change-vector": ChangeVector,
      "@last-modified": LastModified,
    } = document?.["@metadata"] ?? {};
    return { Type: type, PatchStatus: type, Id, ModifiedDocument: document, ChangeVector, LastModified };
  });
  finish(unit, slots, deleted, commands, [], results, text);
  // Nobody has told what ids the server made: these entities are saved, and no longer of this session.
  for (const slot of slots) if (!tracker.isNamed(slot)) tracker.drop(slot);
  error.outcome = "saved";
  throw error;
}

function unknown(cause, advice) {
  const { request, status } = cause;
  const message = `the answer to a save was lost (${cause.message}): its outcome is unknown; advanced.refresh() shows it, ${advice}`;
  const error = new RavenEdgeError("OutcomeUnknown", message, { cause, request, status });
  error.outcome = "unknown";
  return error;
}

/** Whether the server has what was sent. */
async function readBack(unit) {
  const sent = unit.doubtful;
  const slots = [...sent.keys()];
  const [found] = await documents(unit, slots);
  // It may still be on its way.
  if (found.length === 0) return false;
  unit.doubtful = undefined;
  const ours = found.every((document) => says(sent.get(slotOf(unit, document)), document));
  const asked = slots.filter((slot) => unit.tracker.isNamed(slot));
  if (!ours || found.length < asked.length) return false;
  take(unit, found);
  acceptPicked(unit.tracker.snapshots, sent);
  return true;
}

/** Documents as the server has them, and the text of its answer. */
async function documents(unit, slots) {
  const ids = slots.filter((slot) => unit.tracker.isNamed(slot)).map((slot) => unit.tracker.idAt(slot));
  if (ids.length === 0) return [[]];
  const { text } = await unit.ask({ method: "POST", route: "docs", body: { Ids: ids }, safe: true });
  return [(text ? JSON.parse(text).Results : []).filter(Boolean), text];
}

function slotOf(unit, document) {
  return unit.tracker.slot(document["@metadata"]["@id"]);
}

function take(unit, found) {
  for (const document of found) {
    const slot = slotOf(unit, document);
    // It may have been evicted while it was read.
    if (slot >= 0) unit.tracker.stamps.read(slot, document["@metadata"]);
  }
}
