// The Worker: sign-in, the gateway to RavenDB, and the files of the page, on one origin.
import gateway from "./gateway.js";
import { signIn } from "./sign-in.js";

export { ChangesHub } from "raven-edge/changes-hub";

const SECURITY = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/raven/")) return gateway.fetch(request, env, context);
    if (pathname === "/sign-in" && request.method !== "GET") return signIn(request, env);
    const file = await env.ASSETS.fetch(request);
    const response = new Response(file.body, file);
    for (const [name, value] of Object.entries(SECURITY)) response.headers.set(name, value);
    return response;
  },
};
