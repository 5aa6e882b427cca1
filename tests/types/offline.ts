// The queue on the device, as apps use it.
import { DocumentStore, type Names } from "raven-edge";
import type {
  ConflictEvent,
  NeedsAuthEvent,
  OfflineSet,
  OfflineStatus,
  QueuedChange,
  QueuedCommandDetails,
} from "raven-edge/offline";
import { offline } from "raven-edge/offline";
import { hooksFor } from "raven-edge/react";

export async function outbox(): Promise<QueuedChange[]> {
  const store = new DocumentStore("/raven", "Shop", {
    offline: offline({ user: "ann", merge: { Notes: "fields", "*": ({ mine }) => mine } }),
  }).initialize();
  store.on("offline", ({ queued, oldest }: OfflineStatus) => console.log(queued + 1, oldest?.getTime()));
  store.on("needsAuth", ({ user }: NeedsAuthEvent) => console.log(user.length));
  store.on("conflict", async ({ documents, resolve }: ConflictEvent) => {
    const renamed: Record<string, string> = await resolve(documents.map(({ theirs }) => theirs));
    console.log(renamed);
  });
  // @ts-expect-error An event has one name.
  store.on("needsSignIn", () => {});
  const change = await store.openSession().queueChanges();
  const details: readonly QueuedCommandDetails[] = await change.details();
  const shown: (string | undefined)[] = details.map(
    ({ kind, id, collection, before, document, patch, attachment }) =>
      [kind, id, collection, (document ?? before)?.text, patch?.named, attachment?.action].join(),
  );
  const kinds: ("store" | "delete" | "patch" | "attachment" | "counters")[] = change.commands.map(
    ({ kind }) => kind,
  );
  console.log(shown, kinds);
  await change.saved;
  return store.offline.changes();
}

interface Visit {
  customer: string;
}

interface Item {
  price: number;
}

const names = {
  queries: {
    visits: { query: "from Visits where day = $day", parameters: { day: { type: "date" } } },
    all: { query: "from Visits" },
  },
} as const satisfies Names;
type Known = typeof names & { setDocuments: { mine: Visit; items: Item } };

export async function sets(): Promise<void> {
  const mine = {
    named: "visits",
    parameters: { day: new Date() },
    collection: "Visits",
    live: true,
  } as const;
  const store = new DocumentStore<Known>("/raven", "Shop", {
    offline: offline<Known>({ user: "ann", sets: { mine, items: { collection: "Items", maxBytes: 1_000 } } }),
  }).initialize();
  const set: OfflineSet<Visit> = store.offline.set("mine");
  const visits: Visit[] = await set.documents();
  const tracked: (Item & { id: string })[] = await store.offline
    .set("items")
    .documents<Item & { id: string }>();
  set.on("change", ({ added, changed, removed }) => {
    const customers: string[] = [...added, ...changed].map(({ customer }) => customer);
    // @ts-expect-error Not of visits.
    console.log(customers, removed.length, added[0]?.price);
  });
  set.on("synced", ({ syncedAt }) => console.log(visits, tracked, syncedAt.getTime()));
  // @ts-expect-error There is no such set.
  store.offline.set("mien");
  // @ts-expect-error Visits.
  const wrong: Item[] = await store.offline.set("mine").documents();
  // @ts-expect-error There is no such query.
  offline<Known>({ user: "ann", sets: { mine: { named: "visit" }, items: { collection: "Items" } } });
  // @ts-expect-error The parameter is missing.
  offline<Known>({ user: "ann", sets: { mine: { named: "visits" }, items: { collection: "Items" } } });
  // @ts-expect-error A set is not declared.
  offline<Known>({ user: "ann", sets: { mine } });
  // @ts-expect-error It is not among the names.
  offline<Known>({ user: "ann", sets: { mine, items: { collection: "Items" }, more: { named: "all" } } });
  // @ts-expect-error Neither a query nor a collection.
  offline({ user: "ann", sets: { mine: { maxBytes: 1 } } });
  // Without the types of names every name is a set.
  const any: OfflineSet = new DocumentStore("/raven", "Shop").offline.set("mine");
  const known = hooksFor<Known>();
  const same: () => DocumentStore<Known> = known.useStore;
  const shown: readonly Visit[] | undefined = known.useSet("mine").data;
  // @ts-expect-error There is no such set.
  known.useSet("mien");
  // @ts-expect-error Items.
  const others: readonly Visit[] | undefined = known.useSet("items").data;
  set.on("state", ({ isComplete, error }) => console.log(isComplete, error?.code));
  void [shown, others];
  void [wrong, any, same, (await any.documents<Visit>())[0]?.customer];
}
