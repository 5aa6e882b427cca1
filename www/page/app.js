// The page: connects the package's client, the other tabs and the server with the views that show them.

import { Actions } from "./actions.js";
import { Client } from "./client.js";
import { Compare } from "./compare.js";
import { at, write } from "./dom.js";
import { Figures } from "./figures.js";
import { Known } from "./known.js";
import { Legend } from "./legend.js";
import { LeaseMap } from "./map.js";
import { Network } from "./network.js";
import { Orders } from "./orders.js";
import { Problem } from "./problem.js";
import { Server } from "./server.js";
import { Tabs } from "./tabs.js";

/** Interval in milliseconds for reading device, memory and locks; the server is read every so many intervals. */
const PAUSE = 400;
const SELDOM = 10;

const network = new Network();
const { name, database } = await (await network.look("/server")).json();
const tabs = await Tabs.open(database, (message) => {
  if (known.receive(message)) read();
  look();
});
const known = new Known(database, tabs.letter);
const client = new Client(database, network, {
  issued: (number) => known.issued(number),
  leased: ({ low, high }) => known.leased(low, high),
  returned: () => read(),
});
const server = new Server(network, database);
const problem = new Problem();
const map = new LeaseMap(tabs.letter);
const legend = new Legend(tabs.letter);
const figures = new Figures(client, network);
const orders = new Orders();

let actions;
let named;
let looking;
let again = false;

/** Reads what this device knows. A call during a running read starts another one after it. */
function look() {
  again = true;
  looking ??= (async () => {
    while (again) {
      again = false;
      await lookOnce();
    }
    looking = undefined;
  })();
  return looking;
}

async function lookOnce() {
  const died = await tabs.look();
  const runs = await known.look(() => client.held, tabs.others);
  tabs.say(known.state);
  const own = { letter: tabs.letter, held: known.state.held };
  const all = [own, ...tabs.others].sort((a, b) => (a.letter < b.letter ? -1 : 1));
  map.draw(runs, known.max);
  legend.draw({ runs, max: known.max, parked: known.parked, tabs: all, letter: tabs.letter });
  figures.draw();
  orders.draw(client.waiting);
  if (died) read();
}

/** Reads what the server knows. */
async function read() {
  if (!network.online) return;
  try {
    const found = await known.server(() => server.read());
    if (found) orders.saved = found.orders;
    problem.clear();
    // Orders that could not be saved while the server was unreachable.
    if (client.waiting.length > 0) actions?.save();
    named ??= await server.name(name);
    write(at("server"), named);
  } catch (error) {
    if (network.online) problem.show(error);
  }
  await look();
}

let turn = 0;
setInterval(() => {
  const shown = document.visibilityState === "visible";
  if (known.hasMovingNumbers || (shown && ++turn % SELDOM === 0)) read();
  else look();
}, PAUSE);
document.addEventListener("visibilitychange", read);
// The package now returns the numbers in its memory. The page may be restored later.
for (const [target, event] of [
  [globalThis, "pagehide"],
  [document, "freeze"],
])
  target.addEventListener(event, () => tabs.say({ ...known.state, held: [] }));

write(at("tab"), `This is tab ${tabs.letter}`);
await read();
actions = new Actions({ client, known, network, problem, look, read });
new Compare(client, network, problem);
// For the browser's console: `client.status`.
globalThis.client = client;
document.body.dataset.ready = "true";
