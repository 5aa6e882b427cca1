// Writes documents, as the text of one JSON object, into a stream of the app.

import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { GetDocumentsCommand, type GetDocumentsCommandOptions } from "../operations/document-commands.js";
import type { StartingWithOptions, WritableTarget } from "../session/advanced-options.js";
import type { SessionState } from "../session/session-state.js";

/** Documents by their ids. They are always requested, and not added to the session. */
export async function loadIntoStream(
  state: SessionState,
  ids: string[],
  writable: WritableTarget,
): Promise<void> {
  if (!Array.isArray(ids) || !ids.every(isText))
    fail("InvalidArgument", "loadIntoStream takes a list of ids");
  await send(state, { ids }, writable);
}

/** Documents by the prefix of their ids. */
export async function loadStartingWithIntoStream(
  state: SessionState,
  startsWith: string,
  writable: WritableTarget,
  options?: StartingWithOptions,
): Promise<void> {
  if (!isText(startsWith)) fail("InvalidArgument", "loadStartingWithIntoStream takes the beginning of ids");
  const { matches, exclude, startAfter, start, pageSize } = options ?? {};
  await send(state, { startsWith, matches, exclude, startAfter, start, pageSize }, writable);
}

async function send(
  state: SessionState,
  options: GetDocumentsCommandOptions,
  writable: WritableTarget,
): Promise<void> {
  if (!isObject(writable) || !("getWriter" in writable || writable.write))
    fail(
      "InvalidArgument",
      "the last argument is a stream to write into: a WritableStream or a Writable of Node",
    );
  const command = new GetDocumentsCommand(options);
  state.count();
  await state.store.execute(command);
  await write(writable, JSON.stringify(command.result ?? { results: [], includes: {} }));
}

/** Writes a text and ends the stream. */
async function write(writable: WritableTarget, text: string): Promise<void> {
  if ("getWriter" in writable) {
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(text));
    return writer.close();
  }
  await new Promise<void>((resolve, reject) => {
    writable.once("error", reject);
    writable.end(text, resolve);
  });
}
