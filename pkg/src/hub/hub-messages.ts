// Headers and errors of the messages between the Worker and its Durable Objects.

/** The header with the incarnation of the database that the Worker knows. */
export const INCARNATION = "raven-edge-incarnation";
/** The header of requests that a page has sent. */
export const PAGE = "raven-edge-page";
/** The address of the objects, which only the Worker calls. */
export const INSIDE = "https://hub";
export const NOTHING = new Uint8Array();

/** A response in the form of RavenDB's own errors; its code is stable. */
export function failure(url: string, code: string | undefined, message: string, status = 503): Response {
  return Response.json(
    { Url: url, Type: code && `RavenEdge.Hub.${code}`, Message: message, Error: message },
    { status },
  );
}
