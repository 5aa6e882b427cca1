// Sends a blob from a page. Only `XMLHttpRequest` reports the progress of an upload.

import type { RequestParts } from "../wire/transport.js";

/** The statuses of responses that have no body. */
const EMPTY = [204, 205, 304];

/** Resolves with the response; rejects as `fetch` does. `onProgress` gets the bytes that were sent so far. */
export function sendByXhr(
  url: string,
  { method = "POST", headers, body, signal }: RequestParts,
  onProgress: (sent: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const lost = () => reject(new TypeError("Failed to fetch"));
    xhr.open(method, url);
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.responseType = "arraybuffer";
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded);
    xhr.onload = () => {
      const { status } = xhr;
      const content = EMPTY.includes(status) ? null : (xhr.response as ArrayBuffer);
      resolve(new Response(content, { status, headers: headersOf(xhr.getAllResponseHeaders()) }));
    };
    xhr.onerror = lost;
    xhr.onabort = lost;
    signal?.addEventListener("abort", () => xhr.abort(), { once: true });
    xhr.send(body as Blob);
  });
}

/** The headers of a response, from their text. */
function headersOf(text: string): Headers {
  const headers = new Headers();
  for (const line of text.split("\r\n")) {
    const at = line.indexOf(":");
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}
