// The two ends of a page's connection for changes. The core decides what passes.

import type { LiveWatches } from "../../gen/edge_gateway.js";
import type { WorkerSocket } from "../common/worker-sockets.js";
import { nameOf, type Permitted } from "./identity.js";
import type { Operation } from "./options-types.js";

/** Maximum commands of a page that wait for `authorize`. */
const MOST_WAITING = 256;

/** Codes of RFC 6455. */
const UNSUPPORTED = 1003;
const POLICY = 1008;
const FAILURE = 1011;

interface Rights {
  /** The caller's name when the connection began. */
  name: string | undefined;
  /** Asks `authorize`; `null` or `false` if it does not permit all. */
  ask(operations: Operation[]): Promise<Permitted | null | false>;
  /** Milliseconds until it is asked again about all watches. */
  reauthorizeMs: number;
}

export class LiveConnection {
  #watches: LiveWatches;
  #caller: WorkerSocket;
  #server: WorkerSocket;
  #rights: Rights;
  /** The commands, one after the other. */
  #commands: Promise<void> = Promise.resolve();
  #waiting = 0;
  #due: number;
  #isOver = false;

  constructor(watches: LiveWatches, caller: WorkerSocket, server: WorkerSocket, rights: Rights) {
    this.#watches = watches;
    this.#caller = caller;
    this.#server = server;
    this.#rights = rights;
    this.#due = Date.now() + rights.reauthorizeMs;
  }

  begin(): void {
    const gone = () => this.#end(FAILURE, "the connection to RavenDB was lost");
    for (const [socket, received] of [
      [this.#caller, (data: unknown) => this.#command(data)],
      [this.#server, (data: unknown) => this.#received(data)],
    ] as const) {
      socket.accept();
      socket.addEventListener("message", ({ data }) => received(data));
      for (const type of ["close", "error"] as const) socket.addEventListener(type, gone);
    }
  }

  #command(data: unknown): void {
    if (typeof data !== "string" || this.#waiting >= MOST_WAITING) {
      this.#end(UNSUPPORTED, "not a command");
      return;
    }
    this.#waiting++;
    this.#commands = this.#commands.then(async () => {
      this.#waiting--;
      if (this.#isOver) return;
      const asked = this.#watches.take(data);
      if (asked !== undefined) {
        const identity = await this.#rights.ask(JSON.parse(asked));
        if (this.#isOver) return;
        this.#watches.settle(Boolean(identity));
      }
      if (this.#watches.closes) return this.#end(UNSUPPORTED, "not a command");
      const [sent, reply] = [this.#watches.sent(), this.#watches.reply()];
      if (sent !== undefined) this.#server.send(sent);
      if (reply !== undefined) this.#caller.send(reply);
    });
    this.#commands.catch(() => this.#end(FAILURE, "the gateway failed"));
  }

  #received(data: unknown): void {
    if (this.#isOver) return;
    const forwarded = typeof data === "string" ? this.#watches.forward(data) : undefined;
    if (forwarded === undefined) {
      this.#end(FAILURE, "RavenDB sent something else");
      return;
    }
    this.#caller.send(forwarded);
    // RavenDB and the hub say every five seconds that they are there, so no timer is needed.
    if (Date.now() >= this.#due) this.#askAgain().catch(() => this.#end(FAILURE, "the gateway failed"));
  }

  async #askAgain(): Promise<void> {
    this.#due = Date.now() + this.#rights.reauthorizeMs;
    const identity = await this.#rights.ask(JSON.parse(this.#watches.operations()));
    const isSame = identity && nameOf(identity) === this.#rights.name;
    if (!isSame) this.#end(POLICY, "the caller may no longer listen");
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const socket of [this.#caller, this.#server]) {
      try {
        socket.close(code, reason);
      } catch {
        // It is closed already.
      }
    }
    this.#watches.free();
  }
}
