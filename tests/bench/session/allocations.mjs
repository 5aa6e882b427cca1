// Bytes per document that each step allocates in the JavaScript heap, garbage included. The young generation is so large that nothing is
// collected meanwhile; npm `ravendb` allocates more than fits.
// usage: node --min-semi-space-size=512 --max-semi-space-size=512 tests/bench/session/allocations.mjs CLIENT KIND; prints one JSON line.
import { clients } from "./clients.mjs";
import { kindOf } from "./kinds.mjs";
import { transport } from "./transport.mjs";

const COUNT = 10_000;
const [client, kindName] = process.argv.slice(2);
const kind = kindOf(kindName);
const ids = Array.from({ length: COUNT }, (_, i) => `orders/${i + 1}-A`);

async function allocated(step) {
  const before = process.memoryUsage().heapUsed;
  await step();
  return Math.round((process.memoryUsage().heapUsed - before) / COUNT);
}

const { fetch } = transport(kind, COUNT);
const store = await clients[client](fetch, kind);
const entities = Array.from({ length: COUNT }, (_, i) => kind.entity(i));
const session = store.openSession();
const figures = {
  store: await allocated(async () => {
    for (const entity of entities) await session.store(entity);
  }),
  save: await allocated(() => session.saveChanges()),
  compare: await allocated(() => session.hasChanges()),
  load: await allocated(() => store.openSession().load(ids)),
};
console.log(JSON.stringify(figures));
process.exit(0);
