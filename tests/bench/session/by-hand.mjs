// A hand-written unit of work: the minimum that stores, saves, loads and detects changes. All clients are compared
// with it.

const withoutId = ({ id, "@metadata": _, ...rest }) => rest;

export class HandStore {
  #next = 0;

  constructor(url, { kind, fetch }) {
    this.url = `${url}/databases/bench`;
    this.kind = kind;
    this.fetch = fetch;
    const metadata = JSON.stringify({ "@collection": "Orders", ...kind.metadata });
    this.ending = `,"@metadata":${metadata}}}`;
  }

  nextId() {
    return `orders/${++this.#next}-A`;
  }

  openSession() {
    return new HandSession(this);
  }
}

class HandSession {
  /** By id: the entity, its text on the server, its change vector. */
  #documents = new Map();
  #store;

  constructor(store) {
    this.#store = store;
  }

  async store(entity) {
    entity.id = this.#store.nextId();
    this.#documents.set(entity.id, { entity, was: undefined });
  }

  async saveChanges() {
    const { ending } = this.#store;
    const sent = [];
    const texts = [];
    for (const [id, document] of this.#documents) {
      const now = JSON.stringify(withoutId(document.entity));
      if (now === document.was) continue;
      sent.push([document, now]);
      texts.push(
        `{"Type":"PUT","Id":${JSON.stringify(id)},"ChangeVector":"","Document":${now.slice(0, -1)}${ending}`,
      );
    }
    const { Results } = await this.#request("bulk_docs", `{"Commands":[${texts.join(",")}]}`);
    Results.forEach((result, at) => {
      const [document, now] = sent[at];
      document.was = now;
      document.changeVector = result["@change-vector"];
    });
  }

  hasChanges() {
    for (const { entity, was } of this.#documents.values()) {
      if (JSON.stringify(withoutId(entity)) !== was) return true;
    }
    return false;
  }

  async load(ids) {
    const { Results } = await this.#request("docs", JSON.stringify({ Ids: ids }));
    return Object.fromEntries(
      Results.map((document) => [document["@metadata"]["@id"], this.#adopt(document)]),
    );
  }

  async query() {
    const { Results } = await this.#request("queries", '{"Query":"from Orders where exists(freight)"}');
    return Results.map((document) => this.#adopt(document));
  }

  #adopt(document) {
    const { type, revived } = this.#store.kind;
    const entity = type ? Object.assign(new type(), document) : document;
    revived?.(entity);
    const { "@id": id, "@change-vector": changeVector } = document["@metadata"];
    entity.id = id;
    this.#documents.set(id, { entity, was: JSON.stringify(withoutId(entity)), changeVector });
    return entity;
  }

  async #request(route, body) {
    const headers = { "content-type": "application/json" };
    const response = await this.#store.fetch(`${this.#store.url}/${route}`, {
      method: "POST",
      headers,
      body,
    });
    if (!response.ok) throw new Error(`${route}: ${response.status}`);
    return response.json();
  }
}
