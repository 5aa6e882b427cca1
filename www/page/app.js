// The page: joins the package's client, the server's side and the two cards.

import { Client } from "./client.js";
import { at, count, write } from "./dom.js";
import { Ids } from "./ids.js";
import { Orders } from "./orders.js";
import { Problem } from "./problem.js";
import { readMax, readOrders, readServer } from "./server.js";

const client = new Client(draw, read);
const problem = new Problem(read);
const ids = new Ids(client, problem, read);
const orders = new Orders(client, problem, async (id) => {
  ids.show(id, "for the order just saved");
  await read();
});

const nouns = {
  leases: ["lease", "leases"],
  saves: ["save", "saves"],
  issued: ["id issued", "ids issued"],
};

let server;

/** What this page knows by itself. */
function draw() {
  for (const [name, value] of Object.entries(client.counts)) {
    write(at(name), count(value));
    write(at(`${name}-of`), nouns[name][value === 1 ? 0 : 1]);
  }
  ids.draw();
}

/** What the server knows. */
async function read() {
  try {
    const [max, saved] = await Promise.all([readMax(), readOrders()]);
    ids.max = max;
    orders.draw(saved);
    server ??= await readServer();
    write(at("server"), `Server: ${server}`);
    problem.clear();
  } catch (error) {
    problem.show(error);
  }
}

// Others may have written meanwhile.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") read();
});

draw();
read();
