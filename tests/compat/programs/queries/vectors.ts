// Documentation "Vector search using a dynamic query": vectors in documents, and texts.
import { type DocumentStore, RavenVector, VectorQuantizer } from "client";
import type { Context } from "../context.js";

interface Movie {
  id?: string;
  title: string;
  tags: { "@vector": number[] };
  bytes: number[];
}

async function movies(store: DocumentStore) {
  const session = store.openSession();
  for (const [title, ...vector] of [
    ["Space", 0.9, 0.1, 0],
    ["Stars", 0.8, 0.3, 0.1],
    ["Kitchen", 0, 0.1, 0.9],
  ] as [string, ...number[]][]) {
    const movie = { title, tags: RavenVector(vector), bytes: VectorQuantizer.toInt8(vector) };
    await session.store(
      Object.assign(movie, { "@metadata": { "@collection": "Movies" } }),
      `movies/${title}`,
    );
  }
  await session.saveChanges();
}

const all = (store: DocumentStore) =>
  store.openSession().query<Movie>({ collection: "Movies" }).waitForNonStaleResults();
const titles = (found: Movie[]) => found.map(({ title }) => title).sort();

export async function byAVector({ store, print }: Context) {
  await movies(store);
  const query = all(store).vectorSearch(
    (fields) => fields.withEmbedding("tags"),
    (value) => value.byEmbedding([1, 0.2, 0]),
    { similarity: 0.8, numberOfCandidates: 20 },
  );
  print(titles(await query.all()), query.toString());
}

export async function exactly({ store, print }: Context) {
  await movies(store);
  const query = all(store).vectorSearch(
    (fields) => fields.withEmbedding("tags", "Single").targetQuantization("Int8"),
    (value) => value.byEmbedding(RavenVector([1, 0.2, 0])),
    { similarity: 0.8, isExact: true },
  );
  print(titles(await query.all()), query.toString());
}

export async function ofBytes({ store, print }: Context) {
  await movies(store);
  const query = all(store).vectorSearch(
    (fields) => fields.withEmbedding("bytes", "Int8"),
    (value) => value.byEmbedding(VectorQuantizer.toInt8([0, 0, 1])),
    { similarity: 0.8 },
  );
  print(titles(await query.all()), VectorQuantizer.toInt1([0.5, -0.5, 0, 1, -1, 1, 1, -1, 1]));
}

export async function byAText({ store, print }: Context) {
  await movies(store);
  const query = all(store).vectorSearch(
    (fields) => fields.withText("title"),
    (value) => value.byText("cooking"),
    { similarity: 0.6 },
  );
  print(query.toString());
  const outcome = await query.all().then(titles, ({ name }) => name);
  print(outcome);
}
