// The service worker of an app that starts without a connection.
import { readdirSync } from "node:fs";
import { pkg } from "./pages.mjs";

/** What an app's service worker precaches: the page, and the files of the package that a browser loads. */
export const FILES = [
  "/",
  ...readdirSync(pkg, { recursive: true })
    .filter(
      (file) =>
        /^(lib|gen)\/.*\.(js|wasm)$/.test(file) &&
        !/^(hilo\/)?(node|workerd)\.js$|inline(?!_queue)|^gen\/edge/.test(file),
    )
    .map((file) => `/${file}`),
];

export const WORKER = `
  addEventListener("install", (event) => event.waitUntil(
    caches.open("app").then((cache) => cache.addAll(${JSON.stringify(FILES)})).then(() => skipWaiting())));
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => event.respondWith(
    caches.match(event.request).then((found) => found ?? fetch(event.request))));
`;
