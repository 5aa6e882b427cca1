// The Worker: sign-in, the gateway to RavenDB, and the files of the page, on one origin.
import gateway from "./gateway";
import { signIn } from "./sign-in";

interface Context {
  waitUntil(promise: Promise<unknown>): void;
}

export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/raven/")) return gateway.fetch(request, env, context);
    if (pathname === "/sign-in" && request.method !== "GET") return signIn(request, env);
    return env.ASSETS.fetch(request);
  },
};
