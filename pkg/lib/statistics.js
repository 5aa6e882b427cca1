// What the server says of a database.

import { camel } from "./camel.js";

/** A question to the server; `read` makes the result of the response. */
const question = (route, read = camel) => ({
  request: { route },
  settle({ text }) {
    this.result = read(JSON.parse(text));
  },
});

export class GetStatisticsOperation {
  getCommand() {
    return question("stats");
  }
}

export class GetEssentialStatisticsOperation {
  getCommand() {
    return question("stats/essential");
  }
}

export class GetDetailedStatisticsOperation {
  #debugTag;

  constructor(debugTag) {
    this.#debugTag = debugTag;
  }

  getCommand() {
    return question(this.#debugTag ? `stats/detailed?${this.#debugTag}` : "stats/detailed");
  }
}

export class GetCollectionStatisticsOperation {
  getCommand() {
    // Collections keep their names.
    return question("collections/stats", ({ Collections, ...rest }) => ({
      ...camel(rest),
      collections: Collections,
    }));
  }
}

export class GetDetailedCollectionStatisticsOperation {
  getCommand() {
    return question("collections/stats/detailed");
  }
}
