// Writes documents, as the text of one JSON object, into a stream of the app.

import { isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { listing } from "../loading/rare-loads.js";
import { type ResponseBody, request } from "../loading/request-documents.js";
import type { StartingWithOptions, WritableTarget } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import { byIds } from "../wire/documents-request.js";

/** Documents by their ids. They are always requested, and not added to the session. */
export async function loadIntoStream(
  state: SessionState,
  ids: string[],
  writable: WritableTarget,
): Promise<void> {
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every(isText))
    fail("InvalidArgument", "loadIntoStream takes a list of ids");
  await send(state, "", ids, writable);
}

/** Documents by the prefix of their ids. */
export async function loadStartingWithIntoStream(
  state: SessionState,
  startsWith: string,
  writable: WritableTarget,
  options?: StartingWithOptions,
): Promise<void> {
  if (!isText(startsWith)) fail("InvalidArgument", "loadStartingWithIntoStream takes the beginning of ids");
  await send(state, listing(startsWith, options ?? undefined), undefined, writable);
}

async function send(
  state: SessionState,
  parameters: string,
  ids: string[] | undefined,
  writable: WritableTarget,
): Promise<void> {
  if (!isObject(writable) || !("getWriter" in writable || writable.write))
    fail(
      "InvalidArgument",
      "the last argument is a stream to write into: a WritableStream or a Writable of Node",
    );
  const { route, body } = byIds(parameters, ids);
  const { bodies } = await request(state, route, body && JSON.stringify(body), 1, 0, ids?.length);
  const [{ Results: results, Includes: includes = {} } = { Results: [] }] = bodies as ResponseBody[];
  await write(writable, JSON.stringify({ includes, results }));
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
