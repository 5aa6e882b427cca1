import {
  DeleteCompareExchangeValueOperation,
  DocumentStore,
  GetCompareExchangeValueOperation,
  PutCompareExchangeCommandData,
  PutCompareExchangeValueOperation,
} from "raven-edge";

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
void [DeleteCompareExchangeValueOperation, GetCompareExchangeValueOperation];
void [PutCompareExchangeCommandData, PutCompareExchangeValueOperation];
// the block
await store.dispose();
