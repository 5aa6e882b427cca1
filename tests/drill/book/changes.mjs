// The balance of documents, queued changes and attachments: what the app was told is what the server has.
import { inherits } from "./ids.mjs";
import { isAttachment } from "./marks.mjs";

/** What is wrong with the marks, as sentences by book; `story` is what `balance` gets. */
export function balanceChanges(story) {
  const { begun, told, found } = story;
  const wrong = { documents: [], queues: [], attachments: [] };
  const say = (mark, what) => {
    const book = isAttachment(mark) ? "attachments" : told.queued.has(mark) ? "queues" : "documents";
    wrong[book].push(`${mark} ${what}`);
  };
  for (const [mark, places] of found) {
    if (places.length > 1) say(mark, `is there ${places.length} times: ${places.join(", ")}`);
    if (!begun.has(mark)) say(mark, "is there, and nobody has written it");
    if (told.notSaved.has(mark)) say(mark, "was reported as not saved, and is there");
  }
  const removals = removed(story);
  for (const mark of new Set([...told.saved, ...told.queued])) {
    if (found.has(mark) || removals.begun.has(mark)) continue;
    const why = whyLost(story, mark);
    if (why) say(mark, `was reported as ${told.saved.has(mark) ? "saved" : "queued"}, and ${why}`);
  }
  for (const mark of removals.sure) if (found.has(mark)) say(mark, "was removed, and is there");
  return wrong;
}

/** Marks of removed documents: of those whose removal was begun, and of those that must be gone. */
function removed({ removals, told, histories }) {
  const last = histories.at(-1).restored;
  const marks = { begun: new Set(), sure: new Set() };
  for (const { mark, marks: gone, at } of removals) {
    // A removal is written nowhere.
    marks.begun.add(mark);
    for (const each of gone) {
      marks.begun.add(each);
      // A restored backup may have brought the document back.
      if ((told.queued.has(mark) || told.saved.has(mark)) && at > last) marks.sure.add(each);
    }
  }
  return marks;
}

/** Why a mark that is not there should be; `undefined`: a restored backup has rightly taken it away. */
function whyLost({ begun, writes, waiting, histories }, mark) {
  const now = histories.length - 1;
  const { restored, marks } = histories[now];
  const sent = writes.get(mark) ?? [];
  if (begun.get(mark) > restored) return sent.length > 0 ? "it is not there" : "it never reached the server";
  if (waiting.get(mark) > restored) return "it waited on its device after the last restore";
  if (marks?.has(mark)) return "it was in the restored backup";
  // Where the server ended before its response, nobody knows whether it had written.
  const done = sent.filter(({ isDone }) => isDone);
  if (sent.length === 0) return "it never reached the server";
  if (done.some(({ history, at }) => inherits(histories, now, history, at))) return "it is not there";
  return undefined;
}
