// Lays the changes that wait on the device over the documents of a response.

import { RavenEdgeError } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { ServerDocument } from "../documents/entity-types.js";
import { META } from "../documents/snapshots/snapshot-values.js";
import type { LoadedBodies, ResponseBody } from "../loading/request-documents.js";
import { parsed, queuedVector } from "./device/records.js";

/** The documents with pending changes on the device, by the keys of their ids. */
export type PendingTexts = ReadonlyMap<string, PendingDocument>;

export interface PendingDocument {
  id: string;
  /** `null` if it is deleted; `undefined` if only scripts are to run, whose result the server makes. */
  text: string | null | undefined;
  /** When it was queued, in milliseconds since 1970. */
  time: number;
}

/** A document of the device as a response would have it. */
export function shown({ id, text, time }: PendingDocument): ServerDocument | null {
  const document = parsed(text ?? null);
  if (!document) return null;
  const metadata = {
    ...(document[META] as object),
    "@id": id,
    "@change-vector": queuedVector(text as string),
    "@last-modified": new Date(time).toISOString(),
  };
  return { ...document, [META]: metadata } as ServerDocument;
}

const keyOf = (document: ServerDocument | null): string | undefined => {
  const metadata = document?.[META];
  // Projections and revisions are not the document of their id.
  const isOther = metadata?.["@projection"] || /Revision\b/.test(String(metadata?.["@flags"]));
  const id = isOther ? undefined : metadata?.["@id"];
  return typeof id === "string" ? idKey(id) : undefined;
};

/** The keys of the documents of a response. */
export function keysIn({ bodies }: LoadedBodies): string[] {
  const documents = bodies.flatMap((body) =>
    body instanceof RavenEdgeError ? [] : [...body.Results, ...Object.values(body.Includes ?? {})],
  );
  return documents.map(keyOf).filter((key) => key !== undefined);
}

/** Lays pending changes over a response; `wanted`: the requested ids. */
export function lay(
  { bodies, numbers }: LoadedBodies,
  pending: PendingTexts,
  wanted: string[] | undefined,
): LoadedBodies {
  for (const { id } of pending.values()) numbers.delete(id);
  if (!wanted)
    return {
      bodies: bodies.map((body) => (body instanceof RavenEdgeError ? body : laid(body, pending))),
      numbers,
    };
  const [body = { Results: [] }] = bodies as [ResponseBody?];
  const found = new Map(body.Results.map((document) => [keyOf(document), document]));
  const Results = wanted.map((id) => {
    const key = idKey(id);
    const change = pending.get(key);
    return change ? shown(change) : (found.get(key) ?? null);
  });
  const { Includes = {} } = laid(body, pending);
  return { bodies: [{ ...body, Results: Results as ServerDocument[], Includes }], numbers };
}

function laid(body: ResponseBody, pending: PendingTexts): ResponseBody {
  const over = (document: ServerDocument | null): ServerDocument | null => {
    const change = pending.get(keyOf(document) ?? "");
    return change ? shown(change) : document;
  };
  const Results = body.Results.map(over).filter((document, at) => document ?? body.Results[at] === null);
  // Deleted on this device.
  const Removed = body.Results.length - Results.length;
  const laid: ResponseBody = {
    ...body,
    ...(Removed > 0 && { Removed }),
    Results: Results as ServerDocument[],
  };
  if (body.Includes) {
    const entries = Object.entries(body.Includes).map(([id, document]) => [id, over(document)] as const);
    laid.Includes = Object.fromEntries(entries.filter(([, document]) => document)) as Record<
      string,
      ServerDocument
    >;
  }
  return laid;
}

/**
 * Tells documents of the device beside the results of queries: `unlisted` wait, `saved` are no longer pending, but some results, by the
 * position of their body, may lack them.
 */
export function withPending(
  response: LoadedBodies,
  unlisted: readonly PendingDocument[],
  saved: readonly (readonly ServerDocument[])[] = [],
): LoadedBodies {
  if (unlisted.length + saved.length === 0) return response;
  const found = new Set(keysIn(response));
  const waiting = unlisted.filter(({ id }) => !found.has(idKey(id)));
  for (const { id } of unlisted) found.add(idKey(id));
  const bodies = response.bodies.map((body, at) => {
    const left = (saved[at] ?? []).filter((document) => !found.has(keyOf(document) as string));
    // Each body has its own copies, which become entities.
    const Pending = [...left, ...waiting.map(shown)];
    return body instanceof RavenEdgeError || Pending.length === 0 ? body : { ...body, Pending };
  });
  return { ...response, bodies };
}
