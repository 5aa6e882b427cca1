// The Worker: sign-in, the gateway to RavenDB, and the files of the page, on one origin.
import gateway from "raven-edge/gateway-live";

const HMAC = { name: "HMAC", hash: "SHA-256" };
const bytes = (text) => new TextEncoder().encode(text);
const keyOf = (env) =>
  crypto.subtle.importKey("raw", bytes(env.SESSION_SECRET), HMAC, false, ["sign", "verify"]);
const cookie = (value, seconds) => ({
  "Set-Cookie": `user=${value}; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=${seconds}`,
});

/** A demo: whoever states a name gets a cookie with the name and its HMAC. An app of yours checks a password first. */
async function signIn(request, env) {
  // Pages of other sites may not choose the user.
  if (request.headers.get("Origin") !== new URL(request.url).origin) return new Response("", { status: 403 });
  if (request.method === "DELETE") return new Response(null, { status: 204, headers: cookie("", 0) });
  const name = await request.text();
  if (!/^[a-z]{1,20}$/.test(name)) return new Response("A name has 1 to 20 letters.", { status: 400 });
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(env), bytes(name)));
  const hex = Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return new Response(null, { status: 204, headers: cookie(`${name}.${hex}`, 30 * 86_400) });
}

/** The name of the caller; `null` if nobody is signed in. */
async function signedIn(request, env) {
  const cookies = request.headers.get("Cookie") ?? "";
  const [, name, hex] = /(?:^|; )user=([a-z]{1,20})\.([0-9a-f]{64})(?:;|$)/.exec(cookies) ?? [];
  if (!name) return null;
  const mac = Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
  return (await crypto.subtle.verify("HMAC", await keyOf(env), mac, bytes(name))) ? name : null;
}

/** Who is a member of a document sees and changes it, and nobody else. */
const MEMBERS = { allow: "write", rows: { members: { contains: "$name" } } };

const raven = gateway({
  upstream: (env) => ({ url: env.RAVENDB_URL }),
  database: "Tracker",
  path: "/raven",
  secret: (env) => env.GATEWAY_SECRET,
  claims: ["name"],
  async authorize(request, _intent, env) {
    const name = await signedIn(request, env);
    return name && { name };
  },
  collections: { Issues: MEMBERS, Comments: MEMBERS, Users: "read" },
  // A device may keep all that its user sees.
  sets: {
    issues: { collection: "Issues" },
    comments: { collection: "Comments" },
    users: { collection: "Users" },
  },
  live: true,
});

export default {
  fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/raven/")) return raven.fetch(request, env, context);
    if (pathname === "/sign-in" && request.method !== "GET") return signIn(request, env);
    return env.ASSETS.fetch(request);
  },
};
