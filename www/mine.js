// The gateway of the page "my orders": each caller sees, creates and pays its own orders.
import gateway from "raven-edge/gateway";
import { names } from "./names.js";
import { signedIn } from "./sign-in.js";

/** `upstream`: where RavenDB is, in the form of the gateway's option. */
export function mine(database, upstream) {
  return gateway({
    ...names,
    upstream,
    database,
    path: "/mine",
    secret: (env) => env.GATEWAY_SECRET,
    async authorize(request, _intent, env) {
      const name = await signedIn(request, env);
      return name && { name };
    },
    collections: {
      Orders: { allow: ["create", "read"], rows: { customerId: "$name" } },
    },
  });
}
