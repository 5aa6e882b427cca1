// Numbers that the whole cluster counts: `companies/1`, `companies/2` without a gap.

import { fail } from "./error.js";
import { isText } from "./given.js";

/** One per logical call: however often it is sent, it counts once. */
export function raftId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function assertName(name) {
  if (!isText(name)) fail("InvalidArgument", "the identity needs a name");
}

class Identity {
  result = null;
  #name;
  #raft = raftId();

  constructor(name) {
    assertName(name);
    this.#name = name;
  }

  route(action, more = "") {
    const name = encodeURIComponent(this.#name);
    return {
      method: "POST",
      route: `identity/${action}?name=${name}${more}&raft-request-id=${this.#raft}`,
      safe: true,
    };
  }

  settle({ text }) {
    const { NewIdentityValue, NewSeedValue } = JSON.parse(text);
    this.result = NewIdentityValue ?? NewSeedValue;
  }
}

export class NextIdentityForCommand extends Identity {
  get request() {
    return this.route("next");
  }
}

export class SeedIdentityForCommand extends Identity {
  #value;
  #force;

  constructor(name, value, forced = false) {
    super(name);
    if (!Number.isSafeInteger(value)) fail("InvalidArgument", "an identity is seeded with a whole number");
    this.#value = value;
    this.#force = forced;
  }

  get request() {
    return this.route("seed", `&value=${this.#value}${this.#force ? "&force=true" : ""}`);
  }
}

/** Each sending of an operation is a call of its own. */
export class NextIdentityForOperation {
  #name;

  constructor(name) {
    assertName(name);
    this.#name = name;
  }

  getCommand() {
    return new NextIdentityForCommand(this.#name);
  }
}

export class SeedIdentityForOperation {
  #arguments;

  constructor(name, value, forceUpdate = false) {
    assertName(name);
    this.#arguments = [name, value, forceUpdate];
  }

  getCommand() {
    return new SeedIdentityForCommand(...this.#arguments);
  }
}

export class GetIdentitiesOperation {
  getCommand() {
    return {
      request: { route: "debug/identities" },
      settle({ text }) {
        this.result = JSON.parse(text);
      },
    };
  }
}
