// Keeps the page on the device. The build writes `FILES` before this.
self.addEventListener("install", (event) =>
  event.waitUntil(caches.open(FILES.join()).then((cache) => cache.addAll(FILES))),
);
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || new URL(url).pathname.startsWith("/raven/")) return;
  const file = caches.match(mode === "navigate" ? "/" : event.request, { cacheName: FILES.join() });
  event.respondWith(file.then((found) => found ?? fetch(event.request)));
});
