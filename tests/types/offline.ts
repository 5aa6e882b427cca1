// The queue on the device, as apps use it.
import { DocumentStore } from "raven-edge";
import type {
  ConflictEvent,
  NeedsAuthEvent,
  OfflineStatus,
  QueuedChange,
  QueuedCommandDetails,
} from "raven-edge/offline";
import { offline } from "raven-edge/offline";

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
