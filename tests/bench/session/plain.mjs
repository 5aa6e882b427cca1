// A unit of work as a careful JavaScript developer writes it by hand: the floor that sessions are measured against. It
// does the create, load, change and delete part of the compatibility program, and nothing else.

const META = "@metadata";
const OF_SERVER = new Set(["@id", "@change-vector", "@last-modified", "@collection", "@flags", "@etag"]);

export class DocumentStore {
  conventions = { registerEntityType() {} };

  constructor(url, database, { fetch: send = fetch } = {}) {
    this.base = `${url}/databases/${encodeURIComponent(database)}/`;
    this.send = send;
    this.ranges = new Map();
  }

  initialize() {
    return this;
  }

  openSession() {
    return new Session(this);
  }

  async request(path, init) {
    const answer = await this.send(this.base + path, init);
    const text = new TextDecoder().decode(await answer.arrayBuffer());
    const body = text && JSON.parse(text);
    if (answer.status >= 400 && answer.status !== 404)
      throw Object.assign(new Error(body.Message), { name: body.Type?.split(".").pop() });
    return body;
  }

  async nextId(collection) {
    const tag = collection.toLowerCase();
    let range = this.ranges.get(tag);
    if (!range || range.next > range.high) {
      const { Low, High, Prefix, ServerTag } = await this.request(
        `hilo/next?tag=${tag}&lastBatchSize=0&identityPartsSeparator=/`,
      );
      range = { next: Low, high: High, prefix: Prefix, suffix: `-${ServerTag}` };
      this.ranges.set(tag, range);
    }
    return range.prefix + range.next++ + range.suffix;
  }

  async dispose() {}
}

class Session {
  byId = new Map();
  byEntity = new Map();
  deleted = new Set();

  constructor(store) {
    this.store_ = store;
    this.advanced = {
      hasChanges: () => this.hasChanges(),
      getDocumentId: (entity) => this.byEntity.get(entity)?.id ?? null,
      getChangeVectorFor: (entity) => this.byEntity.get(entity)?.vector ?? null,
      isLoaded: (id) => this.byId.has(id.toLowerCase()),
    };
  }

  async store(entity, given) {
    if (this.byEntity.has(entity)) return;
    const collection = entity[META]["@collection"];
    const chosen = given ?? entity.id;
    const id = chosen ?? (await this.store_.nextId(collection));
    const key = id.toLowerCase();
    if (this.byId.has(key)) throw Object.assign(new Error(id), { name: "NonUniqueObjectException" });
    const info = { id, entity, collection, vector: chosen === undefined ? "" : null, was: undefined };
    this.byId.set(key, info);
    this.byEntity.set(entity, info);
    entity.id = id;
  }

  async load(ids) {
    const list = Array.isArray(ids) ? ids : [ids];
    const missing = list.filter((id) => !this.byId.has(id.toLowerCase()));
    if (missing.length > 0) {
      const short = missing.map((id) => `id=${encodeURIComponent(id)}`).join("&");
      const body = await (short.length < 4_000
        ? this.store_.request(`docs?${short}`)
        : this.store_.request("docs", { method: "POST", body: JSON.stringify({ Ids: missing }) }));
      for (const entity of body ? body.Results : []) {
        if (entity !== null) this.adopt(entity);
      }
    }
    const found = (id) => {
      const info = this.byId.get(id.toLowerCase());
      return info && !this.deleted.has(info) ? info.entity : null;
    };
    return Array.isArray(ids) ? Object.fromEntries(list.map((id) => [id, found(id)])) : found(ids);
  }

  query({ collection }) {
    const where = [];
    const all = async () => {
      const query = { Query: `from '${collection}' where ${where.join(" and ")}`, QueryParameters: {} };
      const body = await this.store_.request("queries", { method: "POST", body: JSON.stringify(query) });
      for (const entity of body.Results) this.adopt(entity);
      return body.Results;
    };
    const made = { all, whereExists: (field) => where.push(`exists(${field})`) && made };
    return made;
  }

  adopt(entity) {
    const { "@id": id, "@change-vector": vector, "@collection": collection } = entity[META];
    entity.id = id;
    const info = { id, entity, collection, vector, was: copy(entity) };
    this.byId.set(id.toLowerCase(), info);
    this.byEntity.set(entity, info);
  }

  async delete(target) {
    const info = typeof target === "string" ? this.byId.get(target.toLowerCase()) : this.byEntity.get(target);
    this.deleted.add(info ?? { id: target });
  }

  hasChanges() {
    if (this.deleted.size > 0) return true;
    for (const info of this.byId.values()) if (!unchanged(info)) return true;
    return false;
  }

  async saveChanges() {
    const commands = [];
    const puts = [];
    for (const { id } of this.deleted) commands.push({ Type: "DELETE", Id: id, ChangeVector: null });
    for (const info of this.byId.values()) {
      if (this.deleted.has(info) || unchanged(info)) continue;
      const { id: _, [META]: metadata, ...document } = info.entity;
      document[META] = { "@collection": info.collection };
      for (const name in metadata) if (!OF_SERVER.has(name)) document[META][name] = metadata[name];
      commands.push({
        Type: "PUT",
        Id: info.id,
        ChangeVector: info.was ? null : info.vector,
        Document: document,
      });
      puts.push([info, copy(info.entity)]);
    }
    if (commands.length === 0) return;
    const { Results } = await this.store_.request("bulk_docs", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ Commands: commands }),
    });
    puts.forEach(([info, was], at) => {
      info.was = was;
      info.vector = Results[at + this.deleted.size]["@change-vector"];
      const metadata = info.entity[META];
      if (metadata["@change-vector"]) metadata["@change-vector"] = info.vector;
    });
    for (const info of this.deleted) {
      this.byId.delete(info.id.toLowerCase());
      this.byEntity.delete(info.entity);
    }
    this.deleted.clear();
  }
}

function copy(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Date) return value.toJSON();
  const object = {};
  for (const key in value) if (key !== META) object[key] = copy(value[key]);
  return object;
}

function unchanged({ entity, was }) {
  return was !== undefined && same(entity, was);
}

function same(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (a instanceof Date) return false;
  if (Array.isArray(a) !== Array.isArray(b) || a.length !== b.length) return false;
  let left = 0;
  for (const key in a) {
    if (key === META) continue;
    if (!same(a[key], b[key])) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0;
}
