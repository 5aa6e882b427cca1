// Compares saved documents with those on the server.
import { ravendb, send } from "../../support/server.mjs";
import { TAGS } from "./plan.mjs";

const PAGE = 1_000;

/** The differences, as sentences. */
export async function compare(database, { saved, taken, concurrency }) {
  const stored = new Map();
  for (const tag of Object.keys(TAGS))
    for (const [id, mark] of await marks(database, tag)) stored.set(id.toLowerCase(), mark);
  const wrong = [];
  for (const { id, mark } of saved)
    if (stored.get(id.toLowerCase()) !== mark) wrong.push(`${id} was saved and is not there`);
  // All stored documents, also those whose page died before it could report that they were saved.
  for (const [id, mark] of stored)
    if (taken.get(id)?.mark !== mark)
      wrong.push(`${id} holds a document of a page that did not take this id`);
  if (new Set(stored.values()).size < stored.size) wrong.push("one document is stored under two ids");
  for (const note of concurrency) wrong.push(JSON.stringify(note));
  return wrong;
}

async function marks(database, tag) {
  const found = [];
  for (;;) {
    const path = `/databases/${database}/docs?startsWith=${tag}/&start=${found.length}&pageSize=${PAGE}`;
    const { Results } = (await send(ravendb.url, "GET", path)).json;
    found.push(...Results.map(({ mark, "@metadata": metadata }) => [metadata["@id"], mark]));
    if (Results.length < PAGE) return found;
  }
}
