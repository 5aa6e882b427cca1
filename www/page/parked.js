// Reads the parked numbers of this device from the package's own IndexedDB records, which the page never writes.

/** Opens the package's database; `undefined` if it does not exist, because the page must not create it. */
function open() {
  return new Promise((resolve) => {
    const opening = indexedDB.open("raven-edge");
    opening.onupgradeneeded = () => opening.transaction.abort();
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = (event) => {
      event.preventDefault();
      resolve();
    };
  });
}

/** Whether a record's key belongs to the tag `orders` of this database with the source `server`. */
function isOurs(key, database) {
  const [source, , name, , tag] = key.startsWith("[") ? JSON.parse(key) : [];
  return source === "server" && tag === "orders" && name.toLowerCase() === database.toLowerCase();
}

/** The parked numbers of the collection, sorted; none if they belong to another incarnation of the database. */
export async function readParked(database, incarnation) {
  const db = await open();
  if (!db) return [];
  try {
    const ranges = db.transaction("ranges").objectStore("ranges");
    const records = await new Promise((resolve, reject) => {
      const found = [];
      const reading = ranges.openCursor();
      reading.onerror = () => reject(reading.error);
      reading.onsuccess = () => {
        const at = reading.result;
        if (!at) return resolve(found);
        if (isOurs(at.key, database)) found.push(JSON.parse(at.value));
        at.continue();
      };
    });
    return records
      .filter((record) => incarnation === undefined || record.incarnation === incarnation)
      .flatMap(({ parked }) => parked.map(([low, high]) => [low, high]))
      .sort((a, b) => a[0] - b[0]);
  } finally {
    db.close();
  }
}
