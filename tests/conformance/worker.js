// A Worker that is nothing but the authority: every database name its own Durable Object.
import { AuthorityObject, authorityFor } from "../../pkg/authority.js";

export { AuthorityObject };

export default {
  fetch: (request, env) => authorityFor(env.AUTHORITY, request.url).fetch(request),
};
