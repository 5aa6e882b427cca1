// A Worker that contains only the authority: every database name has its own Durable Object.
import { AuthorityObject, authorityFor } from "../../pkg/lib/entries/authority.js";

export { AuthorityObject };

export default {
  fetch: (request, env) => authorityFor(env.AUTHORITY, request.url).fetch(request),
};
