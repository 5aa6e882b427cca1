// Who is signed in: a cookie with the name and its HMAC, which only this Worker can make. The demo believes every name; an app asks
// for a password here, or an identity provider.

const encoder = new TextEncoder();

function keyOf({ SESSION_SECRET }) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", encoder.encode(SESSION_SECRET), algorithm, false, ["sign", "verify"]);
}

const hex = (buffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (text) => Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));

/** The response to a request whose body is the name. */
export async function signIn(request, env) {
  const name = await request.text();
  if (!/^[a-z]{1,20}$/.test(name))
    return new Response("a name has 1 to 20 letters from a to z", { status: 400 });
  const mac = await crypto.subtle.sign("HMAC", await keyOf(env), encoder.encode(name));
  const cookie = `user=${name}.${hex(mac)}; Path=/; HttpOnly; Secure; SameSite=Strict`;
  return new Response(null, { status: 204, headers: { "Set-Cookie": cookie } });
}

/** The name of the caller; `null` if nobody is signed in. */
export async function signedIn(request, env) {
  const cookies = request.headers.get("Cookie") ?? "";
  const [, name, mac] = /(?:^|; )user=([a-z]{1,20})\.([0-9a-f]{64})(?:;|$)/.exec(cookies) ?? [];
  if (!name) return null;
  const key = await keyOf(env);
  const isOurs = await crypto.subtle.verify("HMAC", key, bytes(mac), encoder.encode(name));
  return isOurs ? name : null;
}
