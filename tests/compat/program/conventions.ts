// Conventions: the collection, the prefix and the id of an entity.
import { DocumentConventions, type DocumentStore } from "client";
import { WORDS } from "./class-names.js";
import { area, fails, outcome, plain, type Section } from "./harness.js";

type Conventions = DocumentStore["conventions"];

class MyUser {
  id?: string;
  constructor(public name = "") {}
}
class MyCustomer {
  id?: string;
  name = "";
}
class MyBase {
  id?: string;
  constructor(public name = "") {}
}
class MyChild extends MyBase {
  extra = 1;
}
class MyKeyed {
  key?: string;
  id = "is a field";
  name = "a";
}
class MyRegistered {
  id?: string;
  n = 1;
}

/** Where an entity goes: its id and collection, and what is stored. */
const goes = async (
  { open, server }: Section,
  entity: object,
  conventions?: (conventions: Conventions) => void,
) => {
  const session = open(conventions).openSession();
  await session.store(entity);
  await session.saveChanges();
  const id = session.advanced.getDocumentId(entity) as string;
  return [id, (await server.document(id))?.["@metadata"]["@collection"]];
};

export default area({
  "collections of classes": async (section) => {
    const { observe } = section;
    observe("a class", await goes(section, new MyUser("a")));
    observe("an inherited class has its own", await goes(section, new MyChild("a")));
    observe("its base", await goes(section, new MyBase("a")));
    const named = await goes(section, new MyUser("a"), (conventions) => {
      conventions.findCollectionName = (type) => (type === MyUser ? "Persons" : "");
    });
    observe("findCollectionName", named);
    const unnamed = await goes(section, new MyCustomer(), (conventions) => {
      conventions.findCollectionName = () => null as unknown as string;
    });
    observe("findCollectionName that knows none", unnamed);
  },

  registerEntityType: async (section) => {
    const { observe, better } = section;
    const same = await goes(section, new MyRegistered(), (conventions) => {
      conventions.registerEntityType(MyRegistered);
    });
    observe("without a name", same);
    const alias = await goes(section, new MyRegistered(), (conventions) => {
      conventions.registerEntityType(MyRegistered, "MyRegistered");
    });
    observe("with its name: still plural", alias[1]);
    const other = await goes(section, new MyRegistered(), (conventions) => {
      conventions.registerEntityType(MyRegistered, "Clients");
    });
    better("with another name: the collection", other[1], { ravendb: "MyRegistereds", edge: "Clients" });
  },

  "collections of plain objects": async (section) => {
    const { observe, better, open, server } = section;
    const named = await goes(section, { lines: [] }, (conventions) => {
      conventions.findCollectionNameForObjectLiteral = (entity: object) =>
        "lines" in entity ? "Orders" : "Things";
    });
    observe("findCollectionNameForObjectLiteral", named);
    const other = await goes(section, { n: 1 }, (conventions) => {
      conventions.findCollectionNameForObjectLiteral = (entity: object) =>
        "lines" in entity ? "Orders" : "Things";
    });
    observe("by its fields", other);
    const metadata = await goes(section, plain({ n: 1 }, "Marks"), (conventions) => {
      conventions.findCollectionNameForObjectLiteral = undefined as unknown as (entity: object) => string;
    });
    better("@metadata alone, no convention", metadata, {
      ravendb: ["12345678-1234-1234-1234-123456789abc", "Marks"],
      edge: ["marks/1-A", "Marks"],
    });
    const none = open((conventions) => {
      conventions.findCollectionNameForObjectLiteral = undefined as unknown as (entity: object) => string;
    }).openSession();
    const entity = { n: 1 };
    observe("none at all, but an id", await outcome(() => none.store(entity, "bare/1")));
    observe("saving", await outcome(() => none.saveChanges()));
    observe("it has no collection", [
      await server.fields("bare/1"),
      (await server.document("bare/1"))?.["@metadata"]["@collection"],
    ]);
  },

  "documentType of store": async ({ open, observe, server }) => {
    const session = open().openSession();
    await session.store({ name: "a" } as MyUser, "dt/1", MyUser);
    await session.store({ name: "b" } as MyUser, "dt/2", { documentType: MyUser });
    await session.saveChanges();
    observe("as argument", (await server.document("dt/1"))["@metadata"]["@collection"]);
    observe("as option", (await server.document("dt/2"))["@metadata"]["@collection"]);
  },

  identityProperty: async (section) => {
    const { observe, open, server } = section;
    const store = open((conventions) => {
      conventions.identityProperty = "key";
    });
    const session = store.openSession();
    const keyed = new MyKeyed();
    await session.store(keyed);
    observe("the id is there", keyed.key);
    await session.saveChanges();
    observe("and not stored", await server.fields(keyed.key as string));
    const given = Object.assign(new MyKeyed(), { key: "keys/own" });
    await session.store(given);
    await session.saveChanges();
    observe("a semantic one", Object.keys((await server.fields("keys/own")) as object).sort());
    const loaded = (await store.openSession().load("keys/own")) as MyKeyed;
    observe("loaded", [loaded.key, loaded.id]);
  },

  "another property for ids, or none": async ({ open, observe, server }) => {
    const replaced: Record<string, (conventions: Conventions) => void> = {
      "getIdentityProperty that names none": (conventions) => {
        conventions.getIdentityProperty = () => undefined as never;
      },
      "getIdentityProperty that names one": (conventions) => {
        conventions.getIdentityProperty = () => "key";
      },
      "identityProperty undefined": (conventions) => {
        conventions.identityProperty = undefined as never;
      },
      "identityProperty null": (conventions) => {
        conventions.identityProperty = null as never;
      },
      "identityProperty empty": (conventions) => {
        conventions.identityProperty = "";
      },
    };
    for (const [at, [name, prepare]] of Object.entries(replaced).entries()) {
      const session = open(prepare).openSession();
      const entity = { ...plain({ id: "mine", n: at }), inner: new MyUser("a") };
      const fresh = plain({ n: at });
      await session.store(entity, `none/${at}`);
      await session.store(fresh, `none/fresh-${at}`);
      await session.saveChanges();
      observe(`${name}: stored`, [
        await server.fields(`none/${at}`),
        await server.fields(`none/fresh-${at}`),
      ]);
      const shown = (one: object) => Object.entries(one).filter(([member]) => !/^(@|n$|inner)/.test(member));
      observe(`${name}: shown`, [shown(entity), shown(fresh)]);
      observe(`${name}: getDocumentId`, session.advanced.getDocumentId(fresh));
      const other = open(prepare).openSession();
      const loaded = (await other.load(`none/fresh-${at}`)) as { n: number };
      observe(`${name}: loaded`, shown(loaded));
      loaded.n = 10;
      await other.saveChanges();
      observe(`${name}: saved again`, await server.fields(`none/fresh-${at}`));
      observe(`${name}: in a query`, `${other.query({ collection: "Orders" }).whereEquals("id", "a")}`);
    }
  },

  registerEntityIdPropertyName: async ({ open, observe }) => {
    const session = open((conventions) =>
      conventions.registerEntityIdPropertyName(MyKeyed, "key"),
    ).openSession();
    const keyed = new MyKeyed();
    const user = new MyUser("a");
    await session.store(keyed, "kk/1");
    await session.store(user, "kk/2");
    observe("for one class", [keyed.key, keyed.id, user.id]);
  },

  "making ids": async ({ open, observe }) => {
    const custom = open((conventions) => {
      conventions.registerIdConvention(
        MyUser,
        async (database, entity) => `people/${(entity as MyUser).name}/${database.length > 0}`,
      );
    });
    const session = custom.openSession();
    const [ann, customer] = [new MyUser("ann"), new MyCustomer()];
    await session.store(ann);
    await session.store(customer);
    observe("registerIdConvention", ann.id);
    observe("others go on with HiLo", customer.id);
    const named = Object.assign(new MyUser("x"), { id: "own/1" });
    await session.store(named);
    observe("an own id wins", named.id);
    const sync = open((conventions) => {
      conventions.registerIdConvention(MyUser, (_database, entity) =>
        Promise.resolve(`p/${(entity as MyUser).name}`),
      );
    }).openSession();
    const twin = [new MyUser("twin"), new MyUser("twin")];
    await sync.store(twin[0]);
    observe("the same id twice", await outcome(() => sync.store(twin[1])));
    const generator = open((conventions) => {
      let n = 0;
      conventions.documentIdGenerator = async () => `generated/${++n}`;
    }).openSession();
    const generated = [new MyUser("a"), new MyCustomer()];
    for (const one of generated) await generator.store(one);
    observe(
      "documentIdGenerator",
      generated.map(({ id }) => id),
    );
    const server = open((conventions) => {
      conventions.registerIdConvention(MyUser, async () => "made/");
    }).openSession();
    const made = new MyUser("made");
    await server.store(made);
    await server.saveChanges();
    observe("a convention may ask for the server's", made.id);
    const failing = open((conventions) => {
      conventions.registerIdConvention(MyUser, async () => {
        throw new RangeError("no");
      });
    }).openSession();
    const failed = new MyUser("failed");
    observe("one that throws", await outcome(() => failing.store(failed)));
    observe("leaves nothing", [failing.advanced.hasChanges(), failed.id]);
  },

  prefixes: async (section) => {
    const { observe } = section;
    const upper = await goes(section, plain({ n: 1 }, "Shouts"), (conventions) => {
      conventions.transformClassCollectionNameToDocumentIdPrefix = (name) => `${name.toUpperCase()}S`;
    });
    observe("transformClassCollectionNameToDocumentIdPrefix", upper);
    const dash = await goes(section, plain({ n: 1 }, "Dashes"), (conventions) => {
      conventions.identityPartsSeparator = "-";
    });
    observe("identityPartsSeparator", dash);
    observe(
      "the pipe as separator",
      await outcome(() =>
        goes(section, plain({ n: 1 }, "Pipes"), (conventions) => {
          conventions.identityPartsSeparator = "|";
        }),
      ),
    );
    observe(
      "server-side ids with it",
      await outcome(async () => {
        const session = section
          .open((conventions) => {
            conventions.identityPartsSeparator = "-";
          })
          .openSession();
        const one = plain({ n: 1 }, "Dashes");
        await session.store(one, "dash/");
        await session.saveChanges();
        return one.id;
      }),
    );
  },

  frozen: async ({ open, observe, better }) => {
    const { conventions } = open();
    better(
      "after initialize",
      await outcome(() => {
        conventions.identityProperty = "key";
      }),
      { ravendb: fails("RavenException"), edge: fails("InvalidOperationException") },
    );
    observe("identityProperty stays", conventions.identityProperty);
    better(
      "registerIdConvention",
      await outcome(() => conventions.registerIdConvention(MyUser, async () => "x")),
      {
        ravendb: fails("RavenException"),
        edge: fails("InvalidOperationException"),
      },
    );
    observe(
      "registerEntityType is still open",
      await outcome(() => conventions.registerEntityType(MyUser) === conventions),
    );
    const store = open();
    observe("initialize twice", store.initialize() === store);
    conventions.maxNumberOfRequestsPerSession = 7;
    observe("maxNumberOfRequestsPerSession may change", conventions.maxNumberOfRequestsPerSession);
    conventions.findCollectionNameForObjectLiteral = () => "Late";
    observe("findCollectionNameForObjectLiteral, too", conventions.getCollectionNameForEntity({ n: 1 }));
    const every = [
      "disableTopologyUpdates",
      "documentIdGenerator",
      "findCollectionName",
      "findJsType",
      "findJsTypeName",
      "identityPartsSeparator",
      "maxHttpCacheSize",
      "optimisticConcurrencyMode",
      "readBalanceBehavior",
      "requestTimeout",
      "shouldIgnoreEntityChanges",
      "storeDatesInUtc",
      "storeDatesWithTimezoneInfo",
      "transformClassCollectionNameToDocumentIdPrefix",
      "useOptimisticConcurrency",
      "waitForNonStaleResultsTimeout",
    ];
    const taken: string[] = [];
    for (const name of every) {
      const members = conventions as unknown as Record<string, unknown>;
      await outcome(() => {
        const value = members[name];
        members[name] = value;
        taken.push(name);
      });
    }
    observe("all others are refused", taken);
  },

  "names of collections and classes": async ({ open, observe, better }) => {
    const { conventions } = open();
    observe("getCollectionNameForType", conventions.getCollectionNameForType(MyUser));
    observe("getCollectionNameForEntity", conventions.getCollectionNameForEntity(new MyCustomer()));
    observe("of null", conventions.getCollectionNameForEntity(null as unknown as object));
    observe("defaultGetCollectionName", DocumentConventions.defaultGetCollectionName(MyUser));
    observe("getJsTypeName", conventions.getJsTypeName(MyUser));
    observe("of a plain object", conventions.getJsTypeName(Object));
    conventions.registerEntityType(MyUser);
    observe("getJsTypeByDocumentType", conventions.getJsTypeByDocumentType("MyUser") === MyUser);
    observe("of a class", conventions.getJsTypeByDocumentType(MyCustomer) === MyCustomer);
    observe("of nothing", conventions.getJsTypeByDocumentType("None"));
    const noted = { "@metadata": { "Raven-Node-Type": "MyUser" } };
    observe("getJsType", conventions.getJsType("users/1", noted) === MyUser);
    const named = open((own) => {
      own.findCollectionName = (type) =>
        type === MyUser ? "Humans" : DocumentConventions.defaultGetCollectionName(type);
    }).openSession();
    // Nothing before took ids of these collections: npm `ravendb` does not wait until it has returned its ranges.
    class Guest {}
    const [user, guest] = [new MyUser("a"), new Guest() as { id?: string }];
    await named.store(user);
    await named.store(guest);
    observe("findCollectionName on top of the default", [user.id, guest.id]);
    observe(
      "a query says the collection before anything is stored",
      open().openSession().query({ documentType: MyUser }).toString(),
    );
    better(
      "a convention that is absent",
      await outcome(() => {
        const members = new DocumentConventions() as unknown as Record<string, unknown>;
        members.localToServerFieldNameConverter = (name: string) => name;
        return "taken";
      }),
      { ravendb: "taken", edge: fails("InvalidArgumentException") },
    );
  },

  "functions by default": async ({ open, observe, better, server }) => {
    await server.put("default/1", { name: "a", "@metadata": { "Raven-Node-Type": "MyUser" } }, "MyUsers");
    const asked: unknown[] = [];
    const store = open((conventions) => {
      // Without `this`, as programs keep them.
      const { findCollectionName, findJsType, findJsTypeName } = conventions;
      observe("findCollectionName", [findCollectionName(MyUser), findCollectionName(MyChild)]);
      observe("findJsTypeName", [
        findJsTypeName(MyUser),
        findJsTypeName(Object as never),
        findJsTypeName(null as never),
      ]);
      const noted = { "@metadata": { "Raven-Node-Type": "MyUser" } };
      observe("findJsType", findJsType("users/1", {}));
      observe("findJsType of a class that is not registered", findJsType("users/1", noted));
      conventions.registerEntityType(MyUser);
      observe("findJsType of a registered class", findJsType("users/1", noted) === MyUser);
      conventions.findCollectionName = (type) => (type === MyChild ? "Children" : findCollectionName(type));
      conventions.findJsTypeName = (type) => findJsTypeName(type)?.toUpperCase() as string;
      conventions.findJsType = (id, document) => {
        asked.push(id);
        return findJsType(id, document);
      };
    });
    const session = store.openSession();
    await session.store(new MyChild("b"), "default/child");
    await session.store(new MyUser("b"), "default/user");
    await session.saveChanges();
    for (const id of ["default/child", "default/user"]) {
      const metadata = (await server.document(id))["@metadata"];
      observe(id, [metadata["@collection"], metadata["Raven-Node-Type"]]);
    }
    observe("loaded", await store.openSession().load("default/1"));
    observe("asked", asked);
    better(
      "the collection of a class that is registered by another name",
      await (async () => {
        const { conventions } = open((own) => own.registerEntityType(MyRegistered, "Clients"));
        return conventions.findCollectionName(MyRegistered);
      })(),
      { ravendb: "MyRegistereds", edge: "Clients" },
    );
    observe("in a set of conventions without a store", new DocumentConventions().findJsTypeName(MyUser));
  },

  "types of the app's own": async ({ open, observe, better, server }) => {
    const store = open((conventions) => {
      conventions.findJsTypeName = (type) => (type ? `acme.${(type as { name: string }).name}` : "");
    });
    const session = store.openSession();
    await session.store(new MyUser("a"), "named/1");
    await session.saveChanges();
    const noted = (await server.document("named/1"))["@metadata"];
    observe("findJsTypeName", [noted["Raven-Node-Type"], noted["@collection"]]);
    const asked: string[] = [];
    const found = open((conventions) => {
      conventions.registerEntityType(MyUser);
      conventions.findJsType = (id) => {
        asked.push(id);
        return MyUser;
      };
    }).openSession();
    const loaded = await found.load("named/1");
    observe("findJsType is asked", asked);
    better("and what it says is used", loaded?.constructor.name, { ravendb: "Object", edge: "MyUser" });
  },

  "types that are no classes": async ({ open, observe, better, server }) => {
    interface MyCrate {
      id?: string;
      weight: number;
      part?: { weight: number };
      made?: boolean;
    }
    const crate = {
      name: "Crate",
      isType: (value: object) => "weight" in value,
      construct: (values: object) => Object.assign({ made: true }, values) as unknown as MyCrate,
    };
    const prepare = (conventions: Conventions) => {
      conventions.registerEntityType(crate);
    };
    const session = open(prepare).openSession();
    const one: MyCrate = { weight: 1, part: { weight: 2 } };
    await session.store(one);
    observe("the id", one.id);
    await session.saveChanges();
    const { "@metadata": noted } = await server.document(one.id as string);
    observe("what is noted", [noted["Raven-Node-Type"], noted["@collection"], noted["@nested-object-types"]]);
    const { conventions } = open(prepare);
    observe("getCollectionNameForType", conventions.getCollectionNameForType(crate));
    observe("getCollectionNameForEntity", conventions.getCollectionNameForEntity(one));
    observe("getEntityTypeDescriptor", conventions.getEntityTypeDescriptor(one) === crate);
    const load = (type?: typeof crate) =>
      open(prepare)
        .openSession()
        .load<MyCrate>(one.id as string, type as typeof crate);
    const loaded = (await load()) as MyCrate;
    observe("loaded", [loaded.id, loaded.made, loaded.weight, loaded.part]);
    const asked = (await load(crate)) as MyCrate;
    better("loaded with the type", [asked.id, asked.made], {
      ravendb: [undefined, undefined],
      edge: ["crates/1-A", true],
    });
    const again = open(prepare).openSession();
    const changed = (await again.load(one.id as string)) as MyCrate;
    changed.weight = 5;
    await again.saveChanges();
    observe("and saved", ((await server.fields(one.id as string)) as MyCrate).weight);
    observe(
      "what is no type",
      await outcome(() => new DocumentConventions().registerEntityType({ name: "Crate" } as never)),
    );
  },

  "dates with their place": async ({ open, observe, better, server }) => {
    const at = new Date(2020, 1, 3, 4, 5, 6, 7);
    for (const utc of [false, true]) {
      const prepare = (conventions: Conventions) => {
        conventions.storeDatesWithTimezoneInfo = true;
        conventions.storeDatesInUtc = utc;
      };
      const session = open(prepare).openSession();
      await session.store(plain({ at }, "Dates"), `zoned/${utc}`);
      await session.saveChanges();
      const stored = (await server.document(`zoned/${utc}`)).at as string;
      observe(`stored, UTC ${utc}`, stored);
      observe(`the moment, UTC ${utc}`, new Date(stored).getTime() === at.getTime());
      const loaded = await open(prepare).openSession().load<{ at: Date }>(`zoned/${utc}`);
      observe(`loaded, UTC ${utc}`, loaded?.at.getTime() === at.getTime());
    }
    const conventions = new DocumentConventions();
    conventions.storeDatesWithTimezoneInfo = false;
    better("false", conventions.storeDatesWithTimezoneInfo, { ravendb: true, edge: false });
  },

  defaults: async ({ open, observe }) => {
    const { conventions } = open();
    observe("identityProperty", conventions.identityProperty);
    observe("identityPartsSeparator", conventions.identityPartsSeparator);
    observe("maxNumberOfRequestsPerSession", conventions.maxNumberOfRequestsPerSession);
    observe("useOptimisticConcurrency", conventions.isUseOptimisticConcurrency());
    const transform = conventions.transformClassCollectionNameToDocumentIdPrefix;
    observe(
      "prefixes",
      ["Users", "OrderLines", "users", "URLs", "eMails", "Ümlaute", "A", ""].map((name) => transform(name)),
    );
  },

  shouldIgnoreEntityChanges: async ({ open, observe, server }) => {
    const session = open((conventions) => {
      conventions.shouldIgnoreEntityChanges = (_session, _entity, id) => id.startsWith("ignored/");
    }).openSession();
    await session.store(new MyUser("a"), "ignored/1");
    await session.store(new MyUser("b"), "kept/1");
    await session.saveChanges();
    observe("is not saved", [await server.document("ignored/1"), await server.fields("kept/1")]);
  },

  plurals: async ({ open, observe }) => {
    const session = open().openSession();
    const groups = new Map<string, string[]>();
    for (const [at, word] of WORDS.entries()) {
      const type = { [word]: class {} }[word] as new () => object;
      const entity = new type();
      await session.store(entity, `words/${at}`);
      const letter = word[0].toUpperCase();
      groups.set(letter, [
        ...(groups.get(letter) ?? []),
        session.advanced.getMetadataFor(entity)["@collection"] as string,
      ]);
    }
    for (const [letter, names] of groups) observe(`of ${letter}`, names);
    observe("words", WORDS.length);
  },
});
