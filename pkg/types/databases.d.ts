// Databases of a server.

export * from "../dts/operations/databases.js";
