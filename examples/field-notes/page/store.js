// The user's documents and changes on this device.
import { DocumentStore } from "raven-edge";
import { offline } from "raven-edge/offline";

/** Ids that the device keeps of each collection, for documents that are created without a connection. */
const SPARE_IDS = 20;

export function openStore(user) {
  const store = new DocumentStore("/raven", "FieldNotes", {
    keep: Number.POSITIVE_INFINITY,
    offline: offline({
      user,
      documents: { maxBytes: 20_000_000 },
      // All visits of the user, also after days without a connection; new ones are shown before the server has compared them.
      sets: { visits: { named: "visits", collection: "Visits", live: true } },
      // Two devices may change different members of a visit. If both change the same one, the user decides: see conflict-form.js.
      merge: { Visits: "fields" },
    }),
  }).initialize();
  return store;
}

/** Prepares for a time without a connection. */
export async function prepare(store) {
  await Promise.all(["visits", "items"].map((tag) => store.hilo(tag).reserve(SPARE_IDS)));
  await navigator.storage.persist?.();
}
