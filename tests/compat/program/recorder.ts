// Records what a client sends to the server, so that the requests of both clients can be compared.
import http from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it was sent. */
export interface Sent {
  method: string;
  /** Path below the database, with its query. */
  route: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the client sends
  body: any;
}

/** Listens before a server; `sent` grows, `close` ends it. */
export async function recorder(url: string) {
  const sent: Sent[] = [];
  const server = http.createServer(async (incoming, outgoing) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const method = incoming.method ?? "GET";
    const route = (incoming.url ?? "").replace(/^\/databases\/[^/]+\//, "");
    sent.push({ method, route, body: text ? JSON.parse(text) : undefined });
    const headers = new Headers(incoming.headers as Record<string, string>);
    for (const name of ["host", "connection", "content-length", "transfer-encoding", "accept-encoding"])
      headers.delete(name);
    const answer = await fetch(url + incoming.url, { method, headers, ...(text ? { body: text } : {}) });
    outgoing.statusCode = answer.status;
    for (const [name, value] of answer.headers)
      if (!/^(connection|keep-alive|transfer-encoding|content-encoding|content-length)$/.test(name))
        outgoing.setHeader(name, value);
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
