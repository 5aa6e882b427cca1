// The balance of the books: a pure function of what clients reported, what passed the wire before RavenDB, and what is stored at the end.
import { balanceChanges } from "./changes.mjs";
import { balanceIds } from "./ids.mjs";

/**
 * What is wrong, by book, as sentences. A story has
 * - `issued`: ids that apps got: `{ id, at, seen, who }`; `seen`: the incarnation that the client knew before
 * - `grants`: ranges that the server granted: `{ tag, low, high, at, incarnation }`
 * - `histories`: of the database: `{ incarnation, parent, began, restored, marks }`. All but the first come from a backup of the history
 *   `parent` that began at `began`; `restored` is when it was open again, and `marks` what it had then
 * - `begun`: marks that clients were about to write, and when
 * - `removals`: documents that were removed: `{ mark, marks, at }`
 * - `told`: what apps were told, as sets of marks: `saved`, `queued`, `notSaved`
 * - `waiting`: when a mark was last seen in the queue of a device
 * - `writes`: what reached the server and was not refused: mark to a list of `{ at, history, isDone }`
 * - `found`: marks at the end, with all their places
 * - `counters`: `{ id, count, marks }` of documents whose patch counts and marks
 * - `contents`: attachments whose content is not what was written
 * - `left`: what devices still hold after the last connection
 */
export function balance(story) {
  const { documents, queues, attachments } = balanceChanges(story);
  return {
    ids: balanceIds(story),
    documents,
    queues: [
      ...queues,
      ...story.left.map(({ who, text }) => `${who} still holds ${text}`),
      ...story.counters
        .filter(({ count, marks }) => count !== marks)
        .map(({ id, count, marks }) => `${id} counts ${count} of ${marks} marks`),
    ],
    attachments: [...attachments, ...story.contents.map((name) => `${name} has another content`)],
  };
}
