// Decides who may call. The forwarder removes the Origin header and with it RavenDB's own defence against foreign
// pages, and any page open on this machine can reach a server on loopback. So the same check is made here first.

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/;

/**
 * Whether a request comes from a page of another origin, or reaches this machine under a foreign host name (DNS
 * rebinding).
 */
export function isForeign(request, { PUBLIC }) {
  const { host, hostname } = new URL(request.url);
  if (!PUBLIC && !LOOPBACK.test(hostname)) return true;
  const origin = request.headers.get("Origin");
  if (origin !== null && (!URL.canParse(origin) || new URL(origin).host !== host)) return true;
  // Browsers send no Origin with a GET, but they send this header. Navigating to the page is allowed.
  const site = request.headers.get("Sec-Fetch-Site");
  return (
    (site === "cross-site" || site === "same-site") && request.headers.get("Sec-Fetch-Mode") !== "navigate"
  );
}
