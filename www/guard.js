// Who may call. The forwarder takes the Origin away, and with it RavenDB's own defence against foreign pages; and a
// server on loopback is in reach of every page that is open on this machine. So the same check is made here first.

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** Whether a request comes from a page of another origin, or to this machine under a name that was bent to point here. */
export function isForeign(request, { PUBLIC }) {
  const { host, hostname } = new URL(request.url);
  if (!PUBLIC && !LOOPBACK.test(hostname)) return true;
  const origin = request.headers.get("Origin");
  if (origin !== null && (!URL.canParse(origin) || new URL(origin).host !== host)) return true;
  // Browsers send no Origin with a GET, but this; following a link to the page is welcome.
  const site = request.headers.get("Sec-Fetch-Site");
  return (
    (site === "cross-site" || site === "same-site") && request.headers.get("Sec-Fetch-Mode") !== "navigate"
  );
}
