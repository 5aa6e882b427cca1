// What an app imports from npm `ravendb` for the same work; its bundle is the comparison in the size table.
export { DocumentStore } from "ravendb";
