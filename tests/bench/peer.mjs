// What an app imports from npm `ravendb` for the work that raven-edge does: bundled, it is the peer in the size table.
export { DocumentStore } from "ravendb";
