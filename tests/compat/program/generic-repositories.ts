// Programs with repositories for documents of any type: what they call compiles and works with both packages.
import { PassThrough } from "node:stream";
import {
  AfterConversionToEntityEventArgs,
  type AwaitableMaintenanceOperation,
  BeforeConversionToDocumentEventArgs,
  CreateDatabaseOperation,
  DeleteDatabasesOperation,
  type DocumentStore,
  EntityObjectLiteralDescriptor,
  type Field,
  GetBuildNumberOperation,
  type IAuthOptions,
  type IDisposable,
  type IDocumentSession,
  type IMetadataDictionary,
  type IRequestAuthOptions,
  type IStoreAuthOptions,
  type MetadataObject,
  PropsBasedObjectLiteralDescriptor,
  RequestExecutor,
  SessionAfterSaveChangesEventArgs,
  SessionBeforeDeleteEventArgs,
  SessionBeforeQueryEventArgs,
  SessionBeforeStoreEventArgs,
} from "client";
import { area, outcome, plain } from "./harness.js";

interface Stored {
  id?: string;
  name: string;
}

class Repository<T extends object> implements IDisposable {
  constructor(
    private readonly session: IDocumentSession,
    private readonly collection: string,
  ) {}

  find(field: string, value: unknown): Promise<T[]> {
    return this.session
      .query<T>({ collection: this.collection })
      .waitForNonStaleResults()
      .whereEquals(field, value as never)
      .all();
  }

  findKnown(field: Field<T>, value: unknown, order: string): Promise<T[]> {
    return this.session
      .query<T>({ collection: this.collection })
      .waitForNonStaleResults()
      .whereEquals(field, value as never)
      .orderBy(order)
      .all();
  }

  findIn(field: string, values: unknown[]): Promise<T[]> {
    return this.session
      .query<T>({ collection: this.collection })
      .waitForNonStaleResults()
      .whereIn(field, values)
      .all();
  }

  between(field: string, from: unknown, to: unknown): Promise<number> {
    return this.session
      .query<T>({ collection: this.collection })
      .waitForNonStaleResults()
      .whereBetween(field, from, to)
      .count();
  }

  async names(field: string): Promise<unknown[]> {
    const query = this.session.query<T>({ collection: this.collection }).waitForNonStaleResults();
    return (await query.selectFields<string>(field).all()).sort();
  }

  async remove(id: string): Promise<void> {
    await this.session.delete<T>(id);
    await this.session.saveChanges();
  }

  dispose(): void {
    this.session.dispose();
  }
}

/** One document or several, as the argument says. */
async function load<Ids extends string | string[]>(session: IDocumentSession, ids: Ids): Promise<unknown> {
  return typeof ids === "string"
    ? session.load<Stored>(ids)
    : Object.keys(await session.load<Stored>(ids as string[]));
}

class Crate extends EntityObjectLiteralDescriptor<{ weight: number }> {
  name = "Crate";
  isType(object: object): boolean {
    return "weight" in object;
  }
  construct(document: object): { weight: number } {
    return document as { weight: number };
  }
}

class Box extends PropsBasedObjectLiteralDescriptor<{ width: number }> {
  name = "Box";
  properties = ["width", "height"];
  construct(document: object): { width: number } {
    return document as { width: number };
  }
}

export default area({
  "a repository": async ({ open, observe, server }) => {
    for (const n of [1, 2, 3]) await server.put(`stored/${n}`, { name: `name ${n}`, n }, "Stored");
    const repository = new Repository<Stored>(open().openSession(), "Stored");
    observe("find", (await repository.find("name", "name 1")).length);
    observe("find by a known field", (await repository.findKnown("name", "name 2", "name")).length);
    observe("by several", (await repository.findIn("n", [1, 3])).length);
    observe("between", await repository.between("n", 1, 2));
    observe("names", await repository.names("name"));
    await repository.remove("stored/3");
    observe("removed", await server.document("stored/3"));
    repository.dispose();
    const session = open().openSession();
    observe("load one", (await load(session, "stored/1")) !== null);
    observe("load several", await load(session, ["stored/1", "stored/2"]));
  },

  "a download as a stream of Node": async ({ open, observe, server }) => {
    await server.put("files/1", { name: "a" }, "Files");
    await server.send("PUT", "/attachments?id=files/1&name=a", "content");
    const found = await open().openSession().advanced.attachments.get("files/1", "a");
    const stream = found?.data as PassThrough;
    const parts: Buffer[] = [];
    for await (const part of stream.pipe(new PassThrough())) parts.push(part as Buffer);
    observe("the content", Buffer.concat(parts).toString());
  },

  metadata: async ({ open, observe, server }) => {
    await server.put("files/2", { name: "a" }, "Files");
    await server.send("PUT", "/attachments?id=files/2&name=a", "content");
    const session = open().openSession();
    const file = (await session.load<Stored>("files/2")) as Stored;
    const metadata: IMetadataDictionary = session.advanced.getMetadataFor(file);
    const known: MetadataObject = metadata;
    observe(
      "attachments",
      known["@attachments"]?.map(({ name, size }) => [name, size]),
    );
    observe("any member", metadata.color?.name);
  },

  "options about certificates": async ({ observe, open }) => {
    const options: IAuthOptions & IStoreAuthOptions & IRequestAuthOptions = {
      type: "pem",
      certificate: "none",
    };
    const Store = open().constructor;
    const store = new (Store as new (url: string, name: string, options: IAuthOptions) => DocumentStore)(
      "https://127.0.0.1:1",
      "none",
      options,
    );
    observe("are read", store.authOptions?.certificate);
  },

  "classes of events": async ({ observe, open, server }) => {
    const classes: Record<string, new (...given: never[]) => object> = {
      SessionBeforeStoreEventArgs,
      SessionAfterSaveChangesEventArgs,
      SessionBeforeDeleteEventArgs,
      SessionBeforeQueryEventArgs,
      BeforeConversionToDocumentEventArgs,
      AfterConversionToEntityEventArgs,
    };
    const seen: Record<string, string[]> = {};
    const store = open();
    for (const name of [
      "beforeStore",
      "afterSaveChanges",
      "beforeDelete",
      "beforeQuery",
      "beforeConversionToDocument",
      "afterConversionToEntity",
    ] as const)
      store.addSessionListener(name as "beforeStore", (event: object) => {
        seen[name] = Object.keys(classes).filter((key) => event instanceof (classes[key] as never));
      });
    await server.put("events/1", { name: "a" }, "Events");
    const session = store.openSession();
    const loaded = (await session.load<Stored>("events/1")) as Stored;
    loaded.name = "b";
    await session.query({ collection: "Events" }).all();
    await session.saveChanges();
    await session.delete(loaded);
    await session.saveChanges();
    observe("are those of the events", seen);
    observe("nothing else is one", {} instanceof SessionBeforeQueryEventArgs);
    const made = new SessionBeforeStoreEventArgs(session as never, "events/2", loaded);
    observe("one of the app", [made.documentId, made.getEntity() === loaded, made.isMetadataAccessed()]);
    observe("is one", made instanceof SessionBeforeStoreEventArgs);
    class Mine extends SessionBeforeQueryEventArgs {}
    const mine = new Mine(session as never, null as never);
    observe("a class of the app", [mine instanceof Mine, mine instanceof SessionBeforeQueryEventArgs]);
    observe(
      "has its own objects",
      new SessionBeforeQueryEventArgs(null as never, null as never) instanceof Mine,
    );
    observe("the executor", store.getRequestExecutor() instanceof RequestExecutor);
    observe("is none", ({} as object) instanceof RequestExecutor);
  },

  "descriptors of plain objects": async ({ observe, open, server }) => {
    const store = open((conventions) => {
      conventions.registerEntityType(new Crate());
      conventions.registerEntityType(new Box());
    });
    const session = store.openSession();
    await session.store({ weight: 1 }, "crates/1");
    await session.store({ width: 1, height: 2 }, "boxes/1");
    await session.saveChanges();
    for (const id of ["crates/1", "boxes/1"])
      observe(id, (await server.document(id))?.["@metadata"]["@collection"]);
    observe("isType", [new Box().isType({ width: 1 }), new Box().isType({ width: 1, height: 1 })]);
  },

  "operations on the server": async ({ observe, open }) => {
    const store = open();
    const { server } = store.maintenance;
    const { fullVersion, buildVersion } = await server.send(new GetBuildNumberOperation());
    observe("the version", [fullVersion, buildVersion]);
    const name = `compat-${crypto.randomUUID().slice(-12)}`;
    const created = await server.send(
      new CreateDatabaseOperation((builder) =>
        builder
          .regular(name)
          .withReplicationFactor(1)
          .withSettings({ "Indexing.MapTimeoutInSec": "30" })
          .disabled(),
      ),
    );
    observe("created", [created.name === name, created.nodesAddedTo.length]);
    observe("again", await outcome(() => server.send(new CreateDatabaseOperation((b) => b.regular(name)))));
    observe("without a name", await outcome(() => server.send(new CreateDatabaseOperation(() => {}))));
    await server.send(new DeleteDatabasesOperation({ databaseNames: [name], hardDelete: true }));
    const begun: AwaitableMaintenanceOperation | undefined = undefined;
    observe("the type of an operation", begun);
    observe("a document of any shape", plain({ n: 1 })["@metadata" as "id"] !== undefined);
  },
});
