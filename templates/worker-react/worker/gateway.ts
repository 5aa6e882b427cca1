// Who may do what. Pages reach RavenDB only through this.
import { env } from "cloudflare:workers";
import gateway, { fromEnv } from "raven-edge/gateway-live";
import { names } from "./names";
import { signedIn } from "./sign-in";

export default gateway<Env>({
  ...names,
  ...fromEnv(env),
  path: "/raven",
  secret: (env) => env.GATEWAY_SECRET,
  async authorize(request, _intent, env) {
    const name = await signedIn(request, env);
    return name && { name };
  },
  // Everyone sees and changes only their own tasks.
  collections: { Tasks: { allow: "write", rows: { owner: "$name" } } },
  live: true,
});
