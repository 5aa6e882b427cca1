// Random ids. `crypto.randomUUID` exists only in secure contexts, and a page may be served over plain http.

/** Random bytes as hexadecimal digits. */
export function randomId(bytes = 16): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
