// Sends a request byte for byte: `fetch` would normalise paths and add a content type.
import http from "node:http";

const agent = new http.Agent({ keepAlive: true });

/** Sends a request below `base`, whose path is a prefix; resolves to status, headers and body text. */
export function send(base, { method = "GET", path, headers = {}, body }) {
  const url = new URL(base);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        agent,
        method,
        hostname: url.hostname,
        port: url.port,
        path: url.pathname.replace(/\/$/, "") + path,
        headers: bytes ? { ...headers, "Content-Length": bytes.length } : headers,
      },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    request.on("error", reject);
    request.end(bytes);
  });
}
