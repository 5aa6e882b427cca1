// What the server says of a database.

export * from "../dts/operations/statistics.js";
