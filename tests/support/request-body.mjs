// The body of a received request.

/** A request's body, unless the connection broke: then the request has not arrived. */
export async function whole(request) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}
