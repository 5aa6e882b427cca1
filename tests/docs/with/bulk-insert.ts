import { DocumentStore, type IMetadataDictionary, RavenEdgeError } from "raven-edge";

interface Order {
  total: number;
  "@metadata"?: IMetadataDictionary;
}

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
void [RavenEdgeError, {} as Order];
// the block
await store.dispose();
