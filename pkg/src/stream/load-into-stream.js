// Documents as the text of one JSON object, written into a stream of the app.

import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { GetDocumentsCommand } from "../operations/document-commands.js";

/** Documents by their ids, for which the session is asked nothing and takes nothing in. */
export async function loadIntoStream(unit, ids, writable) {
  if (!Array.isArray(ids) || !ids.every(isText))
    fail("InvalidArgument", "loadIntoStream takes a list of ids");
  await send(unit, { ids }, writable);
}

/** Documents by the beginning of their ids. */
export async function loadStartingWithIntoStream(unit, startsWith, writable, options) {
  if (!isText(startsWith)) fail("InvalidArgument", "loadStartingWithIntoStream takes the beginning of ids");
  const { matches, exclude, startAfter, start, pageSize } = options ?? {};
  await send(unit, { startsWith, matches, exclude, startAfter, start, pageSize }, writable);
}

async function send(unit, options, writable) {
  if (!isObject(writable) || !(writable.getWriter ?? writable.write))
    fail(
      "InvalidArgument",
      "the last argument is a stream to write into: a WritableStream or a Writable of Node",
    );
  const command = new GetDocumentsCommand(options);
  unit.count();
  await unit.store.execute(command);
  await write(writable, JSON.stringify(command.result ?? { results: [], includes: {} }));
}

/** Writes a text and ends the stream. */
async function write(writable, text) {
  if (writable.getWriter) {
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(text));
    return writer.close();
  }
  await new Promise((resolve, reject) => {
    writable.once("error", reject);
    writable.end(text, resolve);
  });
}
