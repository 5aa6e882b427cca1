// Ways to send something while a page closes. Each way is a page. After the test has called `arm(n)` in it, the
// page sends one request with this number when it is left.

/** A page whose script defines `send(url, text)`. */
const page = (send) => `<!doctype html><meta charset=utf-8><title>unload</title>
<script>
const send = ${send};
let number;
globalThis.arm = (n) => { number = n; };
addEventListener("pagehide", (event) => {
  if (number === undefined) return;
  const text = JSON.stringify({ persisted: event.persisted, filling: "x".repeat(460) });
  send("/sent?n=" + number, text);
  number = undefined;
});
</script>`;

const FETCH = `method: "POST", keepalive: true, headers: { "content-type": "application/json" }, body: text`;

export const ways = [
  { name: "fetch, keepalive", page: page(`(url, text) => { fetch(url, { ${FETCH} }).catch(() => {}); }`) },
  {
    name: "the same with an AbortSignal",
    page: page(`(url, text) => {
      fetch(url, { ${FETCH}, signal: new AbortController().signal }).catch(() => {});
    }`),
  },
  {
    name: "sendBeacon, text/plain",
    page: page(`(url, text) => navigator.sendBeacon(url, new Blob([text], { type: "text/plain" }))`),
  },
];

/** The page that is navigated to. */
export const ELSEWHERE = "<!doctype html><meta charset=utf-8><title>elsewhere</title>";
