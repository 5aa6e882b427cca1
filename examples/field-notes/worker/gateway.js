// Who may do what. Pages reach RavenDB only through this.
import gateway from "raven-edge/gateway-live";
import { names } from "./names.js";
import { signedIn } from "./sign-in.js";

export default gateway({
  ...names,
  upstream: (env) => ({ url: env.RAVENDB_URL }),
  database: "FieldNotes",
  path: "/raven",
  secret: (env) => env.GATEWAY_SECRET,
  async authorize(request, _intent, env) {
    const name = await signedIn(request, env);
    return name && { name };
  },
  collections: {
    // Everyone sees and changes only their own visits.
    Visits: {
      allow: ["write", "attach", "readAttachments"],
      rows: { owner: "$name" },
      attachments: { maxBytes: 10_000_000, contentTypes: ["image/*"] },
    },
    // The stock is everyone's. Its amounts are changed by the patch `take` alone.
    Items: ["create", "read"],
  },
  live: { hub: (env) => env.CHANGES_HUB },
});
