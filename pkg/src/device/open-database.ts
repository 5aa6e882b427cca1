// Opens a database of this package in IndexedDB.

/**
 * `upgrade`: makes the object stores. `closed`: the connection is closed, because another version of the app wants the database, or the user
 * has cleared the site's data. `inTime`: waits for the connection; `undefined`: it did not come in time.
 */
export async function openDatabase(
  name: string,
  version: number,
  upgrade: (db: IDBDatabase, oldVersion: number, transaction: IDBTransaction) => void,
  closed: (why: string) => void,
  inTime: (opening: Promise<IDBDatabase>) => Promise<IDBDatabase | undefined>,
): Promise<IDBDatabase> {
  let late = false;
  const opening = new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = ({ oldVersion }) => {
      // A request that upgrades has one.
      if (request.transaction) upgrade(request.result, oldVersion, request.transaction);
    };
    request.onblocked = () => reject(new Error("another version of the app has it open"));
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const db = request.result;
      if (late) return db.close();
      db.onversionchange = db.onclose = ({ type }: Event) => {
        db.close();
        closed(type);
      };
      resolve(db);
    };
  });
  const db = await inTime(opening);
  late = !db;
  return db ?? Promise.reject(new Error("IndexedDB does not open"));
}
