// Documentation "Storing Attachments", "Loading Attachments", "Deleting Attachments", "Copying, Moving and Renaming Attachments",
// "Put, Get and Delete Attachment Operation".
import { Readable } from "node:stream";
import { DeleteAttachmentOperation, GetAttachmentOperation, PutAttachmentOperation } from "client";
import type { Any, Context } from "../context.js";
import type { Product } from "../northwind.js";

async function read(data: AsyncIterable<Any>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of data) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString();
}

/** Attachments: a picture of a product, stored with it, listed, read, renamed and deleted. */
export async function attachments({ store, print }: Context) {
  const session = store.openSession();
  const product = await session.load<Product>("products/5-A");
  session.advanced.attachments.store(product, "leaf.png", Buffer.from("pixels"), "image/png");
  session.advanced.attachments.store("products/5-A", "label.txt", Buffer.from("Green Tea"), "text/plain");
  await session.saveChanges();

  const reading = store.openSession();
  const loaded = await reading.load<Product>("products/5-A");
  print(reading.advanced.attachments.getNames(loaded).map(({ name, size }) => [name, size]));
  const label = await reading.advanced.attachments.get("products/5-A", "label.txt");
  print(label.details.contentType, await read(label.data));
  label.dispose();
  print(await reading.advanced.attachments.exists("products/5-A", "none.png"));
  reading.advanced.attachments.rename("products/5-A", "leaf.png", "leaves.png");
  reading.advanced.attachments.delete("products/5-A", "label.txt");
  await reading.saveChanges();
  print(await store.openSession().advanced.attachments.exists("products/5-A", "leaves.png"));

  const note = new PutAttachmentOperation("products/6-A", "note.txt", Buffer.from("strong"), "text/plain");
  print((await store.operations.send(note)).name);
}

export async function storeSeveralWithANewDocument({ store, print }: Context) {
  const session = store.openSession();
  const album = { name: "Holidays", "@metadata": { "@collection": "Albums" } };
  await session.store(album, "albums/1");
  session.advanced.attachments.store("albums/1", "001.jpg", Buffer.from("one"), "image/jpeg");
  session.advanced.attachments.store(
    "albums/1",
    "002.jpg",
    Readable.from([Buffer.from("tw"), Buffer.from("o")]),
    "image/jpeg",
  );
  session.advanced.attachments.store(album, "notes", Buffer.from("sun"));
  await session.saveChanges();
  const loaded = await store.openSession().load("albums/1");
  print((loaded as Any)["@metadata"]?.["@attachments"]?.length ?? 3);
  print(
    session.advanced.attachments
      .getNames(album)
      .map(({ name, contentType, size }) => [name, contentType, size]),
  );
}

export async function listAndReadAll({ store, print }: Context) {
  const { operations } = store;
  for (const name of ["b.txt", "a.txt", "c.txt"])
    await operations.send(
      new PutAttachmentOperation("products/1-A", name, Buffer.from(`content of ${name}`), "text/plain"),
    );
  const session = store.openSession();
  const product = await session.load<Product>("products/1-A");
  for (const { name, contentType, size, hash } of session.advanced.attachments.getNames(product)) {
    const attachment = await session.advanced.attachments.get(product, name);
    print(name, contentType, size, hash === attachment.details.hash, await read(attachment.data));
    attachment.dispose();
  }
}

export async function checkBeforeReading({ store, print }: Context) {
  await store.operations.send(
    new PutAttachmentOperation("products/2-A", "photo", Buffer.from("p"), "image/png"),
  );
  const session = store.openSession();
  for (const name of ["photo", "movie"])
    if (await session.advanced.attachments.exists("products/2-A", name)) print("there is a", name);
    else print("there is no", name, await session.advanced.attachments.get("products/2-A", name));
  print(session.advanced.numberOfRequests);
}

export async function deleteWithTheSession({ store, print }: Context) {
  await store.operations.send(new PutAttachmentOperation("products/3-A", "a", Buffer.from("a")));
  await store.operations.send(new PutAttachmentOperation("products/3-A", "b", Buffer.from("b")));
  const session = store.openSession();
  const product = await session.load<Product>("products/3-A");
  session.advanced.attachments.delete("products/3-A", "a");
  session.advanced.attachments.delete(product, "b");
  await session.saveChanges();
  print(session.advanced.attachments.getNames(product));
  print(await session.advanced.attachments.exists("products/3-A", "a"));
}

export async function copyFromOneDocumentToAnother({ store, print }: Context) {
  await store.operations.send(
    new PutAttachmentOperation("employees/1-A", "photo.jpg", Buffer.from("smile"), "image/jpeg"),
  );
  const session = store.openSession();
  const [first, second] = [await session.load("employees/1-A"), await session.load("employees/2-A")];
  session.advanced.attachments.copy(first as object, "photo.jpg", second as object, "photo-copy.jpg");
  session.advanced.attachments.copy("employees/1-A", "photo.jpg", "employees/1-A", "backup.jpg");
  await session.saveChanges();
  for (const [id, name] of [
    ["employees/1-A", "photo.jpg"],
    ["employees/1-A", "backup.jpg"],
    ["employees/2-A", "photo-copy.jpg"],
  ] as const)
    print(id, name, await read((await session.advanced.attachments.get(id, name)).data));
}

export async function moveAndRename({ store, print }: Context) {
  await store.operations.send(
    new PutAttachmentOperation("employees/1-A", "photo.jpg", Buffer.from("smile"), "image/jpeg"),
  );
  await store.operations.send(
    new PutAttachmentOperation("employees/1-A", "cv.pdf", Buffer.from("work"), "application/pdf"),
  );
  const session = store.openSession();
  session.advanced.attachments.move("employees/1-A", "photo.jpg", "employees/2-A", "portrait.jpg");
  session.advanced.attachments.rename("employees/1-A", "cv.pdf", "cv-2026.pdf");
  await session.saveChanges();
  for (const name of ["photo.jpg", "cv.pdf", "cv-2026.pdf"])
    print(name, await session.advanced.attachments.exists("employees/1-A", name));
  print(await session.advanced.attachments.exists("employees/2-A", "portrait.jpg"));
}

export async function putGetAndDelete({ store, print }: Context) {
  const put = new PutAttachmentOperation("products/6-A", "manual.txt", Buffer.from("read me"), "text/plain");
  const { name, size, contentType, documentId } = await store.operations.send(put);
  print(name, size, contentType, documentId);
  const got = await store.operations.send(
    new GetAttachmentOperation("products/6-A", "manual.txt", "Document", null as Any),
  );
  print(got.details.name, got.details.size, await read(got.data));
  await store.operations.send(new DeleteAttachmentOperation("products/6-A", "manual.txt"));
  print(
    await store.operations.send(
      new GetAttachmentOperation("products/6-A", "manual.txt", "Document", null as Any),
    ),
  );
}

export async function changeADocumentAndItsAttachmentTogether({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.useOptimisticConcurrency = true;
  const product = (await session.load<Product>("products/4-A")) as Any;
  product.Name = "with a manual";
  session.advanced.attachments.store(product, "manual.txt", Buffer.from("1."), "text/plain");
  await session.saveChanges();
  product.Name = "with a better manual";
  session.advanced.attachments.store(product, "manual.txt", Buffer.from("2."), "text/plain");
  await session.saveChanges();
  print(session.advanced.numberOfRequests);
  const again = store.openSession();
  print((await again.load<Product>("products/4-A"))?.Name);
  print(await read((await again.advanced.attachments.get("products/4-A", "manual.txt")).data));
}

export async function aMissingDocumentRefusesTheWholeSave({ store, print }: Context) {
  const session = store.openSession();
  await session.store({ name: "never", "@metadata": { "@collection": "Albums" } }, "albums/9");
  session.advanced.attachments.store("albums/none", "a", Buffer.from("a"));
  try {
    await session.saveChanges();
  } catch (error) {
    print((error as Error).name);
  }
  print(await store.openSession().load("albums/9"));
}

export async function storingTwiceUnderOneName({ store, print }: Context) {
  const session = store.openSession();
  session.advanced.attachments.store("products/5-A", "a", Buffer.from("a"));
  try {
    session.advanced.attachments.store("products/5-A", "a", Buffer.from("b"));
  } catch (error) {
    print((error as Error).name);
  }
  await session.saveChanges();
  session.advanced.attachments.store("products/5-A", "a", Buffer.from("c"));
  await session.saveChanges();
  print(await read((await session.advanced.attachments.get("products/5-A", "a")).data));
}
