// A save that is carried out, though its wait for copies or indexes took too long.

import { says } from "../../hot/sent.js";
import { slotOf } from "../outcome.js";
import { finish } from "../save.js";

/** The server has saved, but did not say what it has now: `found` was read afterwards, from an answer of this `text`. */
export function saved(unit, { slots, deleted, commands }, others, [found, text]) {
  const { tracker, sent, underWay } = unit;
  const picked = sent.pick(slots);
  for (const document of found) {
    const slot = slotOf(unit, document);
    // What others have written meanwhile was never loaded: its change vector is not of what is known here.
    if (slot >= 0 && says(picked.get(slot), document)) tracker.stamps.read(slot, document["@metadata"]);
  }
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
}
