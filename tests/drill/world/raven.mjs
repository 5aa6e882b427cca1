// RavenDB as a process of the drill, with a database that is restored from backups.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OwnRavenDb } from "../../support/own-ravendb.mjs";
import { create, send } from "../../support/server.mjs";
import { isAttachment, marksIn } from "../book/marks.mjs";

const PAGE = 500;

export class Raven extends OwnRavenDb {
  database = "drill";
  #backups = 0;

  async begin() {
    await this.start();
    await create({ url: this.url }, this.database);
  }

  /** The incarnation of the database. */
  async incarnation() {
    const response = await send(this.url, "GET", this.#path("docs?id=none"));
    return response.headers.get("Database-Cluster-Tx-Id");
  }

  /** Makes a backup; returns its folder. */
  async backup() {
    const FolderPath = join(this.folder, `backup-${++this.#backups}`);
    const body = { BackupType: "Backup", LocalSettings: { FolderPath } };
    await this.#operation(this.#path(""), await this.#ask("POST", this.#path("admin/backup"), body));
    return join(FolderPath, (await readdir(FolderPath))[0]);
  }

  /** On a busy machine RavenDB confirms later than it waits (408): asked again, it says that the database is gone (404). */
  async remove() {
    const body = { DatabaseNames: [this.database], HardDelete: true, TimeToWaitForConfirmation: "00:00:15" };
    let status = 408;
    let text = "";
    while (status === 408) ({ status, text } = await send(this.url, "DELETE", "/admin/databases", body));
    if (status >= 300 && status !== 404)
      throw new Error(`DELETE /admin/databases: ${status} ${text.slice(0, 300)}`);
  }

  async restore(BackupLocation) {
    const body = { Type: "Local", DatabaseName: this.database, BackupLocation };
    await this.#operation("/", await this.#ask("POST", "/admin/restore/database", body));
  }

  /** All marks with their places, and the documents that have them. */
  async marks(prefixes) {
    const places = new Map();
    const documents = [];
    const see = (mark, place) => places.set(mark, [...(places.get(mark) ?? []), place]);
    for (const prefix of prefixes) {
      for (let start = 0; ; start += PAGE) {
        const path = this.#path(`docs?startsWith=${prefix}&start=${start}&pageSize=${PAGE}`);
        const { Results } = (await this.#ask("GET", path)).json;
        for (const { marks = [], count, "@metadata": metadata } of Results) {
          const id = metadata["@id"];
          documents.push({ id, marks, count });
          for (const mark of marks) see(mark, id);
          for (const { Name } of metadata["@attachments"] ?? [])
            for (const mark of marksIn(Name).filter(isAttachment)) see(mark, id);
        }
        if (Results.length < PAGE) break;
      }
    }
    return { places, documents };
  }

  /** The text of an attachment. */
  async content(id, name) {
    const query = `attachments?id=${encodeURIComponent(id)}&name=${encodeURIComponent(name)}`;
    return (await this.#ask("GET", this.#path(query))).text;
  }

  put(id, document) {
    return this.#ask("PUT", this.#path(`docs?id=${encodeURIComponent(id)}`), document);
  }

  #path(rest) {
    return `/databases/${this.database}/${rest}`;
  }

  async #ask(method, path, body) {
    const response = await send(this.url, method, path, body);
    if (response.status < 300) return response;
    throw new Error(`${method} ${path}: ${response.status} ${response.text.slice(0, 300)}`);
  }

  async #operation(base, begin) {
    for (;;) {
      const path = `${base}operations/state?id=${begin.json.OperationId}`;
      const { Status, Result } = (await this.#ask("GET", path)).json;
      if (Status === "Completed") return;
      if (Status !== "InProgress") throw new Error(`${Status}: ${Result?.Message}`);
      await sleep(50);
    }
  }
}
