// A demo sign-in: whoever states a name gets a cookie with the name and its HMAC. Before it signs a name, your app checks a password, or
// asks an identity provider.
const encoder = new TextEncoder();
const THIRTY_DAYS = 30 * 86_400;
const HMAC = { name: "HMAC", hash: "SHA-256" };

const keyOf = ({ SESSION_SECRET }: Env) =>
  crypto.subtle.importKey("raw", encoder.encode(SESSION_SECRET), HMAC, false, ["sign", "verify"]);
const cookie = (value: string, seconds: number) =>
  `user=${value}; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=${seconds}`;

/** Signs in (POST; the body is the name) or out (DELETE). */
export async function signIn(request: Request, env: Env): Promise<Response> {
  // Pages of other sites may not choose the user.
  if (request.headers.get("Origin") !== new URL(request.url).origin)
    return new Response(null, { status: 403 });
  if (request.method === "DELETE")
    return new Response(null, { status: 204, headers: { "Set-Cookie": cookie("", 0) } });
  const name = await request.text();
  if (!/^[a-z]{1,20}$/.test(name))
    return new Response("A name has 1 to 20 letters from a to z.", { status: 400 });
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(env), encoder.encode(name)));
  const hex = Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return new Response(null, {
    status: 204,
    headers: { "Set-Cookie": cookie(`${name}.${hex}`, THIRTY_DAYS) },
  });
}

/** The name of the caller; `null` if nobody is signed in. */
export async function signedIn(request: Request, env: Env): Promise<string | null> {
  const cookies = request.headers.get("Cookie") ?? "";
  const [, name, mac] = /(?:^|; )user=([a-z]{1,20})\.([0-9a-f]{64})(?:;|$)/.exec(cookies) ?? [];
  if (!name || !mac) return null;
  const bytes = Uint8Array.from(mac.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return (await crypto.subtle.verify("HMAC", await keyOf(env), bytes, encoder.encode(name))) ? name : null;
}
