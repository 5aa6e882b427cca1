// Entities become what the server has now.

import { fold } from "../../hot/fold.js";
import { fail } from "../error.js";
import { read } from "../load.js";
import { revise } from "./revise.js";

/** `several`: whether the app gave a list. */
export async function refresh(unit, entities, several) {
  const slots = entities.map((entity) => unit.slot(entity, "InvalidArgument"));
  const ids = slots.map((slot) => unit.tracker.idAt(slot));
  if (ids.length === 0) return;
  const { documents: found, numbers } = await read(unit, ids);
  const documents = new Map(found.map((document) => [fold(document["@metadata"]["@id"]), document]));
  const gone = ids.filter((id) => !documents.has(id && fold(id)));
  if (gone.length > 0)
    fail(
      several ? "InvalidArgument" : "InvalidOperation",
      `the document ${gone.join(", ")} no longer exists; evict it or store it anew`,
    );
  slots.forEach((slot, at) => {
    const document = documents.get(fold(ids[at]));
    revise(unit, slot, document);
    unit.tracker.setNumbers(slot, numbers.get(document["@metadata"]["@id"]));
  });
}
