// Keeps the page on the device. The build writes `VERSION` and `FILES` before this. Documents and changes are kept by raven-edge.
self.addEventListener("install", (event) =>
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES))),
);

self.addEventListener("activate", (event) => event.waitUntil(begin()));

async function begin() {
  for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
  // The page of the first visit, too, gets its files from the cache.
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  const isWorkers = pathname.startsWith("/raven/") || pathname === "/sign-in";
  if (method !== "GET" || origin !== self.location.origin || isWorkers) return;
  const file = mode === "navigate" ? "/" : event.request;
  // A server that says `Vary: Origin`, as `vite preview` does, means nothing by it for these files.
  const found = caches.match(file, { ignoreVary: true });
  event.respondWith(found.then((response) => response ?? fetch(event.request)));
});
