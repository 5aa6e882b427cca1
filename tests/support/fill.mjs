// Stores many documents in a database, quickly.
import { KINDS } from "../bench/session/kinds.mjs";
import { send } from "./server.mjs";

/** Stores this many orders under consecutive ids. */
export async function fill(server, name, count) {
  for (let at = 0; at < count; at += 5_000) {
    const Commands = Array.from({ length: Math.min(5_000, count - at) }, (_, i) => ({
      Type: "PUT",
      Id: `orders/${String(at + i).padStart(7, "0")}`,
      Document: { ...KINDS.plain.stored(at + i), "@metadata": { "@collection": "Orders" } },
    }));
    const { status, text } = await send(server.url, "POST", `/databases/${name}/bulk_docs`, { Commands });
    if (status !== 201) throw new Error(`filling ${name}: ${status} ${text}`);
  }
}
