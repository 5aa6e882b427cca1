import {
  ConfigureRevisionsOperation,
  DocumentStore,
  RevisionsCollectionConfiguration,
  RevisionsConfiguration,
} from "raven-edge";

interface Order {
  total: number;
}

const store = new DocumentStore("https://ravendb.example", "Shop").initialize();
const all = new RevisionsConfiguration();
all.collections = new Map([["Orders", new RevisionsCollectionConfiguration()]]);
await store.maintenance.send(new ConfigureRevisionsOperation(all));
const first = store.openSession();
const kept: Order & { "@metadata": object } = { total: 1, "@metadata": { "@collection": "Orders" } };
await first.store(kept, "orders/1-A");
await first.saveChanges();
const signing = {
  signed: first.advanced.getChangeVectorFor(kept),
  "@metadata": { "@collection": "Contracts" },
};
await first.store(signing, "contracts/1-A");
kept.total = 2;
await first.saveChanges();
// the block
await store.dispose();
