// Keeps the books while the drill runs: what clients report, what passes the wire, what faults were caused.
import http from "node:http";
import { after } from "../../support/cleanup.mjs";
import { whole } from "../../support/request-body.mjs";
import { marksIn } from "./marks.mjs";

export class Recorder {
  issued = [];
  grants = [];
  histories = [];
  /** When a client was about to write a mark. */
  begun = new Map();
  removals = [];
  told = { saved: new Set(), queued: new Set(), notSaved: new Set() };
  waiting = new Map();
  writes = new Map();
  /** For the report: marks by outcome that the books do not judge, and errors by code. */
  counts = new Map();
  /** `{ at, kind, what }` for the picture: operations and faults; `at` in milliseconds since the start. */
  timeline = [];
  #log;
  #began = performance.now();

  /** `log` takes the lines of everything that happens. */
  constructor(log) {
    this.#log = log;
  }

  /** The drill's time begins now. */
  start() {
    this.#began = performance.now();
  }

  get now() {
    return performance.now() - this.#began;
  }

  count(name, more = 1) {
    this.counts.set(name, (this.counts.get(name) ?? 0) + more);
  }

  /** Returns the entry of the picture, for when it ends. */
  fault(what) {
    this.count(`fault ${what}`);
    this.say(`fault: ${what}`);
    const entry = { at: this.now, kind: "fault", what };
    this.timeline.push(entry);
    return entry;
  }

  operation(what) {
    this.count(`operation ${what}`);
    this.timeline.push({ at: this.now, kind: "operation", what });
  }

  say(text) {
    this.#log(`${(this.now / 1_000).toFixed(3).padStart(9)}  ${text}`);
  }

  /** A report of a client. */
  take(note) {
    const at = this.now;
    const { kind, who, marks = [] } = note;
    this.say(JSON.stringify(note));
    if (kind === "took") {
      this.issued.push({ id: note.id, at, seen: note.seen, who });
      this.operation("id");
    } else if (kind === "begun") {
      for (const mark of marks) this.begun.set(mark, at);
      if (note.removes) this.removals.push({ mark: marks[0], marks: note.removes, at });
    } else if (kind === "removing") this.removals.push({ mark: undefined, marks, at });
    else if (kind === "waiting") {
      // The texts of shared documents have the marks of others, too.
      for (const mark of marksIn(note.text)) if (mark.includes(`~${who}x`)) this.waiting.set(mark, at);
    } else if (this.told[kind]) {
      for (const mark of marks) this.told[kind].add(mark);
      this.operation(kind);
      if (note.code) this.count(`error ${note.code}`);
    } else if (kind === "regression") this.count(`regression ${note.what}`);
    else this.operation(kind);
  }

  /** A write that is being forwarded; the returned function takes the status of the response. */
  write(text) {
    const marks = marksIn(text);
    const entry = { at: this.now, history: this.histories.length - 1 };
    for (const mark of marks) {
      const all = this.writes.get(mark) ?? [];
      this.writes.set(mark, all);
      all.push(entry);
    }
    return (status) => {
      entry.isDone = status < 400;
      // RavenDB may hold a request while its database loads: a backup that began meanwhile need not have it.
      entry.at = this.now;
      if (entry.isDone) return;
      for (const mark of marks) {
        const all = this.writes.get(mark);
        all.splice(all.indexOf(entry), 1);
      }
    };
  }

  grant(grant) {
    this.say(`grant ${JSON.stringify(grant)}`);
    this.grants.push({ ...grant, at: this.now });
  }
}

/** Serves clients that report, on a port of its own, which no fault concerns; returns its address. */
export async function listen(t, recorder) {
  const server = http.createServer(async (request, response) => {
    const headers = { "access-control-allow-origin": "*" };
    const text = await whole(request);
    if (text === undefined) return;
    try {
      for (const note of [JSON.parse(text)].flat()) recorder.take(note);
      response.writeHead(204, headers).end();
    } catch (error) {
      recorder.say(`a report failed: ${error.stack}`);
      response.writeHead(400, headers).end();
    }
  });
  // If a connection ended during a request, the browser would send the request again.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${server.address().port}/`;
}
