// What both areas of attachments use: contents, and what the server has of them, read beside the client.

import type { Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: arguments of any shape
export type Any = any;

export class MyProduct {
  id?: string;
  constructor(public name = "") {}
}

export const bytes = (text: string) => Buffer.from(text);

/** The content of an attachment as the server has it; `undefined`: none. */
export async function content(server: Server, id: string, name: string): Promise<string | undefined> {
  const query = `id=${encodeURIComponent(id)}&name=${encodeURIComponent(name)}`;
  const response = await server.send("GET", `/attachments?${query}`);
  return response.status === 404 ? undefined : response.text();
}

export async function text(data: AsyncIterable<Any>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of data) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The attachments in the metadata of a stored document. */
export async function listed(server: Server, id: string): Promise<unknown> {
  return (await server.document(id))?.["@metadata"]["@attachments"]?.map(
    ({ Name, ContentType, Size }: Any) => [Name, ContentType, Size],
  );
}

/** A document with attachments, made beside the client. */
export async function prepared(server: Server, id: string, contents: Record<string, string>): Promise<void> {
  await server.put(id, { n: 1 }, "MyProducts");
  for (const [name, value] of Object.entries(contents))
    await server.send(
      "PUT",
      `/attachments?id=${encodeURIComponent(id)}&name=${name}&contentType=text/plain`,
      value,
    );
}
