// A demo sign-in: whoever states a name gets a cookie with the name and its HMAC. Before it signs a name, an app of yours checks a
// password, or asks an identity provider.
const encoder = new TextEncoder();
const THIRTY_DAYS = 30 * 86_400;

const keyOf = ({ SESSION_SECRET }) =>
  crypto.subtle.importKey("raw", encoder.encode(SESSION_SECRET), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
const cookie = (value, seconds) =>
  `user=${value}; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=${seconds}`;

/** Signs in (POST; the body is the name) or out (DELETE). */
export async function signIn(request, env) {
  // Pages of other sites may not choose the user.
  if (request.headers.get("Origin") !== new URL(request.url).origin)
    return new Response(null, { status: 403 });
  if (request.method === "DELETE")
    return new Response(null, { status: 204, headers: { "Set-Cookie": cookie("", 0) } });
  const name = await request.text();
  if (!/^[a-z]{1,20}$/.test(name))
    return new Response("A name has 1 to 20 letters from a to z.", { status: 400 });
  const mac = await crypto.subtle.sign("HMAC", await keyOf(env), encoder.encode(name));
  const value = `${name}.${Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  return new Response(null, { status: 204, headers: { "Set-Cookie": cookie(value, THIRTY_DAYS) } });
}

/** The name of the caller; `null` if nobody is signed in. */
export async function signedIn(request, env) {
  const cookies = request.headers.get("Cookie") ?? "";
  const [, name, mac] = /(?:^|; )user=([a-z]{1,20})\.([0-9a-f]{64})(?:;|$)/.exec(cookies) ?? [];
  if (!name) return null;
  const bytes = Uint8Array.from(mac.match(/../g), (pair) => Number.parseInt(pair, 16));
  const isOurs = await crypto.subtle.verify("HMAC", await keyOf(env), bytes, encoder.encode(name));
  return isOurs ? name : null;
}
