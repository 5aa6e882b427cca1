// Keeps the files of the page on the device, so that it starts without a connection. Requests to `/raven` are not its business:
// documents and changes are kept by the package.
import { cleanupOutdatedCaches, precacheAndRoute } from "workbox-precaching";

precacheAndRoute(self.__WB_MANIFEST);
cleanupOutdatedCaches();
// The page of the first visit gets its files from here, too: it may need a part for the first time when the connection is gone.
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
