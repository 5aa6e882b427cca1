// "My orders": lists them by a named query, creates one, and pays one by a named patch. The gateway decides whose they are.
import { DocumentStore } from "raven-edge";

const byId = (id) => document.getElementById(id);
const { database } = await (await fetch("/server")).json();
/** @type {DocumentStore<typeof import("../names.js").names>} */
const store = new DocumentStore("/mine", database).initialize();
let name;

async function list() {
  const session = store.openSession();
  const orders = await session.query({ named: "myOrders" }).take(20).all();
  byId("orders").tBodies[0].replaceChildren(...orders.map(row));
  byId("orders").hidden = orders.length === 0;
  byId("message").textContent =
    `Signed in as ${name}: ${orders.length === 0 ? "no orders" : "the newest orders"}.`;
}

function row({ id, customerId, total, state }) {
  const made = document.createElement("tr");
  for (const text of [id, customerId, total, state]) made.insertCell().textContent = text;
  made.cells[2].className = "number";
  const last = made.insertCell();
  if (state === "paid") return made;
  const pay = last.appendChild(document.createElement("button"));
  Object.assign(pay, { type: "button", textContent: "Pay", onclick: () => act(() => payOrder(id)) });
  return made;
}

async function payOrder(id) {
  const session = store.openSession();
  session.advanced.patch(id, { named: "pay" });
  await session.saveChanges();
}

async function createOrder() {
  const session = store.openSession();
  const total = 10 + Math.floor(Math.random() * 90);
  const at = new Date().toISOString();
  await session.store({
    customerId: name,
    total,
    at,
    state: "open",
    "@metadata": { "@collection": "Orders" },
  });
  await session.saveChanges();
}

async function signIn(as) {
  const response = await fetch("/sign-in", { method: "POST", body: as });
  if (!response.ok) throw new Error(await response.text());
  name = as;
  for (const id of ["ann", "bob"]) byId(id).setAttribute("aria-pressed", String(id === as));
  byId("order").disabled = false;
}

/** Does something, and shows the orders afterwards, or what went wrong. */
async function act(work) {
  document.body.ariaBusy = "true";
  try {
    await work();
    await list();
  } catch ({ message }) {
    byId("message").textContent = message;
  }
  document.body.ariaBusy = "false";
}

for (const id of ["ann", "bob"]) byId(id).onclick = () => act(() => signIn(id));
byId("order").onclick = () => act(createOrder);
document.body.dataset.ready = "";
