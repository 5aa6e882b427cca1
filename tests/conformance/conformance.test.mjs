// The same requests to the authority and to the real RavenDB; their responses are compared field by field.
//
//   RAVENDB_URL=http://127.0.0.1:18100 AUTHORITY_URL=http://127.0.0.1:18110 node --test tests/conformance/
//
// Subjects without a URL in the environment are skipped.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import bulk from "./cases/bulk.mjs";
import deviations from "./cases/deviations.mjs";
import docs from "./cases/docs.mjs";
import generatedIds from "./cases/generated-ids.mjs";
import hilo from "./cases/hilo.mjs";
import identities from "./cases/identities.mjs";
import includes from "./cases/includes.mjs";
import listing from "./cases/listing.mjs";
import multiGet from "./cases/multi-get.mjs";
import receipts from "./cases/receipts.mjs";
import refusals from "./cases/refusals.mjs";
import returns from "./cases/returns.mjs";
import server from "./cases/server.mjs";
import { compareRuns } from "./lib/compare.mjs";
import { runCase } from "./lib/run.mjs";
import { send } from "./lib/send.mjs";
import { cleanUp, database, reference, subjects } from "./lib/subjects.mjs";

const cases = Object.entries({
  ...{ hilo, returns, identities, generatedIds },
  ...{ docs, listing, includes, bulk, receipts, multiGet, server },
}).flatMap(([file, list]) => list.map((c, i) => ({ ...c, key: `${file.toLowerCase()}${i}`, file })));

/** The cases that are compared with older servers too. */
const COMMON = ["hilo", "returns", "identities", "generatedIds"];

const referenceRuns = new Map();
const runReference = (testCase) => {
  if (!referenceRuns.has(testCase)) referenceRuns.set(testCase, runCase(reference, testCase));
  return referenceRuns.get(testCase);
};

const counts = new Map();
/** One test per subject, skipped if its server is missing. */
function check(subject, name, needsReference, run) {
  const absent = [subject, ...(needsReference ? [reference] : [])].find((server) => !server.url);
  const count = counts.get(subject) ?? { passed: 0, failed: 0, skipped: 0 };
  counts.set(subject, count);
  if (absent) {
    count.skipped++;
    test(name, { skip: `${absent.variable} is not set` });
    return;
  }
  test(name, async () => {
    count.failed++;
    await run();
    count.failed--;
    count.passed++;
  });
}

after(async () => {
  await cleanUp();
  for (const [subject, { passed, failed, skipped }] of counts) {
    console.log(`conformance: ${subject.name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
});

for (const subject of subjects) {
  describe(subject.name, () => {
    for (const testCase of cases) {
      if (subject.older && (testCase.newOnly || !COMMON.includes(testCase.file))) continue;
      if (subject.without?.includes(testCase.needs)) continue;
      check(subject, testCase.name, true, async () =>
        compareRuns(await runReference(testCase), await runCase(subject, testCase), subject),
      );
    }
    check(subject, "a node of the topology can be reached under its Url", false, async () => {
      const name = await database(subject);
      const topology = JSON.parse((await send(subject.url, { path: `/topology?name=${name}` })).text);
      assert.equal(topology.Nodes[0].ClusterTag, "A");
      const response = await send(topology.Nodes[0].Url, { path: `/databases/${name}/configuration/client` });
      assert.equal(response.status, 200);
    });
    if (!subject.authority) return;
    for (const [i, deviation] of deviations.entries()) {
      const testCase = { ...deviation, key: `deviation${i}` };
      check(subject, `deviation: ${deviation.name}`, true, async () => {
        deviation.reference((await runReference(testCase)).responses);
        deviation.subject((await runCase(subject, testCase)).responses);
      });
    }
    for (const [i, refusal] of refusals.entries()) {
      if (subject.without?.includes(refusal.needs)) continue;
      check(subject, `501: ${refusal.name}`, false, async () => {
        const [response] = (await runCase(subject, { ...refusal, key: `refusal${i}` })).responses;
        const inner = refusal.inner && JSON.parse(response.text).Results[0];
        const [status, body] = inner
          ? [inner.StatusCode, inner.Result]
          : [response.status, JSON.parse(response.text)];
        assert.equal(status, 501, response.text);
        assert.equal(body.Type, "System.NotImplementedException");
        assert.ok(body.Url && body.Error && body.Message.includes(refusal.names), body.Message);
      });
    }
  });
}
