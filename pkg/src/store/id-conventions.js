import { fail } from "../common/error.js";
import { checkName } from "../common/known-names.js";

/** What may change at any time, as in npm `ravendb`. */
const FREE = ["findCollectionNameForObjectLiteral", "maxNumberOfRequestsPerSession"];

/** Refuses to be given members that it does not have: a convention that is not known would be ignored in silence. */
function Closed() {}
Closed.prototype = new Proxy(
  {},
  {
    set(_target, name, _value, conventions) {
      checkName("convention", name, Object.keys(conventions));
    },
  },
);

/** What a store of ids alone has to be told about names. */
export class IdConventions extends Closed {
  identityPartsSeparator = "/";
  disableTopologyUpdates = false;
  #frozen = false;

  /** From now on only what is free can be changed. */
  freeze() {
    if (this.#frozen) return;
    this.#frozen = true;
    for (const name of Object.keys(this)) {
      const value = this[name];
      const set = () => this.mayChange(name);
      if (!FREE.includes(name)) Object.defineProperty(this, name, { get: () => value, set });
    }
  }

  mayChange(name) {
    if (this.#frozen)
      fail("InvalidOperation", `conventions.${name} cannot change after initialize(): set it before`);
  }
}
