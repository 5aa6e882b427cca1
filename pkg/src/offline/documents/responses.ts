// What responses say of documents and results, read again from their texts: sessions make entities of what they were given.

import type { LoadedBodies, ResponseBody } from "../../loading/request-documents.js";
import { type Requested, type Seen, seenIn } from "./requested.js";

/** One part of the response to a `multi_get`. */
interface ResponsePart {
  StatusCode: number;
  Result: ResponseBody;
}

/** What the parts of a response say; `collections`: see `seenIn`. */
export function seenInResponse(
  requested: readonly (Requested | undefined)[],
  route: string,
  { text, numbers }: LoadedBodies,
  collections: readonly string[] | undefined,
): Seen {
  const seen: Required<Pick<Seen, "documents" | "results">> = { documents: [], results: [] };
  const bodies = text === undefined ? [] : bodiesIn(text, route === "multi_get");
  requested.forEach((part, at) => {
    // A 404 without a text: the document does not exist.
    const body = bodies[at] ?? (text === undefined && part?.ids ? { Results: [] } : undefined);
    if (!part || !body) return;
    const { documents, results } = seenIn(part, body, numbers, collections);
    for (const document of documents) seen.documents.push(document);
    for (const result of results) seen.results.push(result);
  });
  return seen;
}

/** One body for each part; `undefined` for a part that was refused or has no text. */
function bodiesIn(text: string, several: boolean): (ResponseBody | undefined)[] {
  const body = JSON.parse(text) as ResponseBody;
  if (!several) return [body];
  const parts = body.Results as unknown[] as ResponsePart[];
  return parts.map(({ StatusCode, Result }) =>
    StatusCode === 404 ? { Results: [] } : StatusCode === 200 ? Result : undefined,
  );
}
