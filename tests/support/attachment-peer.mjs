// A process that stores an attachment from a stream and reads it again; prints by how many bytes its memory has grown.
import { DocumentStore } from "../../pkg/lib/entries/node.js";

const [url, database, size] = process.argv.slice(2);
const PIECE = 1 << 16;
/** Bytes between two measurements. */
const STEP = 8 << 20;

let most = 0;
/** Measures what is held: garbage is collected before. */
function measure(at) {
  if (at % STEP >= PIECE) return;
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  most = Math.max(most, heapUsed + external);
}

async function* zeros(bytes) {
  for (let left = bytes; left > 0; left -= PIECE) {
    measure(left);
    yield new Uint8Array(Math.min(left, PIECE));
  }
}

const store = new DocumentStore(url, database);
store.conventions.disableTopologyUpdates = true;
store.initialize();

/** Stores and reads an attachment of this size; returns the most memory that was in use. */
async function trip(bytes) {
  const session = store.openSession();
  const entity = { "@metadata": { "@collection": "Files" } };
  await session.store(entity);
  session.advanced.attachments.store(entity, "a", zeros(bytes));
  most = 0;
  await session.saveChanges();
  let read = 0;
  const { data } = await session.advanced.attachments.get(entity, "a");
  for await (const piece of data) {
    read += piece.length;
    measure(read);
  }
  if (read !== bytes) throw new Error(`${read} bytes of ${bytes}`);
  return most;
}

// The first trip brings the process to its working size.
const before = await trip(16 << 20);
const after = await trip(Number(size));
await store.dispose();
console.log(JSON.stringify({ grown: after - before }));
