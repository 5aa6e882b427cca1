// What a request brought.

/** A request's body, unless it was cut off: then it has not arrived. */
export async function whole(request) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}
