// The frame: who is signed in, which page is shown, and the line at the bottom that says what waits.
import { button, element } from "./element.js";
import { signIn } from "./sign-in.js";
import { openStore, prepare } from "./store.js";
import "./outbox-panel.js";
import "./stock-list.js";
import "./visit-list.js";
import "./visit-page.js";

const main = document.querySelector("main");
const nav = document.querySelector("nav");
const state = document.querySelector("#state");
/** The last user of this device, so that the app starts without a connection. The server trusts only the cookie. */
let { user } = localStorage;
let store;

function show() {
  const path = location.hash.slice(2) || "visits";
  const [page] = path.split("/");
  const id = decodeURIComponent(path);
  for (const link of nav.querySelectorAll("a")) link.ariaCurrent = link.hash === `#/${page}` ? "page" : null;
  if (!store) return main.replaceChildren(element("sign-in"));
  const name = { stock: "stock-list", outbox: "outbox-panel" }[page];
  const shown = name ?? (path === "visits" ? "visit-list" : "visit-page");
  main.replaceChildren(element(shown, { store, user, visit: id }));
}

function showState() {
  // The store of the user who has left tells its end, too.
  if (!store) return;
  const { ready, online, queued, sending, conflicts, refused, unknown, needsAuth } = store.offline.status();
  // Nothing is known before the device was read: "everything sent" may be wrong.
  if (!ready) return;
  const waiting = queued + sending;
  const stuck = refused + unknown;
  const parts = [
    online ? "Connected" : "No connection",
    waiting > 0 && `${waiting} waiting`,
    conflicts > 0 && `${conflicts} to decide`,
    stuck > 0 && `${stuck} not saved`,
    waiting + conflicts + stuck === 0 && "everything sent",
  ];
  state.textContent = `${user}: ${parts.filter(Boolean).join(" · ")}`;
  if (needsAuth) state.append(" ", button("Sign in again", signInAgain));
}

async function signInAgain() {
  await signIn(user);
  await store.offline.retry();
}

function start(name) {
  user = localStorage.user = name;
  store = openStore(user);
  store.on("offline", showState);
  nav.hidden = false;
  nav.append(button("Switch user", switchUser));
  showState();
  show();
  // Without a connection this is tried again by the next page.
  prepare(store).catch(() => {});
}

/** Changes of a user stay on the device until the same user is back: they are never sent as somebody else. */
async function switchUser() {
  const count = await store.offline.pending();
  if (count > 0 && !confirm(`${count} not sent. They wait here until ${user} signs in again. Go on?`)) return;
  await fetch("/sign-in", { method: "DELETE" });
  delete localStorage.user;
  const left = store;
  store = undefined;
  nav.hidden = true;
  nav.lastChild.remove();
  // What is shown stops listening before its store ends.
  show();
  state.textContent = "";
  await left.dispose();
}

addEventListener("hashchange", show);
addEventListener("signed-in", ({ detail }) => start(detail));
addEventListener("failed", ({ detail }) => {
  state.textContent = detail.message;
});
if (user) start(user);
else show();
navigator.serviceWorker?.register("/service-worker.js");
