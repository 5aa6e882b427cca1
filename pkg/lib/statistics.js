// What the server says of a database.

import { camel } from "./camel.js";

export class GetStatisticsOperation {
  getCommand() {
    return {
      request: { route: "stats" },
      settle({ text }) {
        this.result = camel(JSON.parse(text));
      },
    };
  }
}
