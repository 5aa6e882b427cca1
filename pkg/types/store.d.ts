// A store: the connection to a database.

export { DocumentStore, type IDocumentStore } from "../dts/store/store-types.js";
