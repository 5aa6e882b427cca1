// Keeps the page on the device. The build writes `FILES` before this.
const KEPT = { cacheName: FILES.join(), ignoreVary: true };
const keep = async () => (await caches.open(KEPT.cacheName)).addAll(FILES);
self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || new URL(url).pathname.startsWith("/raven/")) return;
  const file = caches.match(mode === "navigate" ? "/" : event.request, KEPT);
  event.respondWith(file.then((found) => found ?? fetch(event.request)));
});
