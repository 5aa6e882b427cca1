// Names of collections: the plurals of class names, which equal those of npm `ravendb`, and what can go wrong.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { runInThisContext } from "node:vm";
import * as npm from "ravendb";
import { DocumentConventions } from "../../pkg/lib/entries/node.js";
import { open } from "../support/store.mjs";

/** English nouns in the singular, a line per kind. */
const NOUNS = {
  regular: `order invoice customer product employee supplier shipper region territory account ticket project task note
    message comment post article page author reader user role permission session token device sensor reading meter alarm
    event log report chart image video song album playlist station channel band concert venue seat booking room hotel
    guest flight airport passenger pilot plane train driver road bridge river lake mountain forest flower seed farmer
    garden tractor barn market seller buyer auction bid offer price discount coupon voucher payment refund transfer bank
    loan card wallet coin budget contract lawyer judge court crime prisoner doctor nurse patient symptom drug hospital
    school teacher pupil student lesson exam question answer grade paper pencil letter stamp parcel courier warehouse
    pallet container ship harbour captain sailor anchor engine wheel tyre window door floor wall roof garage kitchen oven
    spoon plate cup bottle table chair lamp carpet curtain mirror clock`,
  sibilant: `box bus class address dress glass pass process business status campus virus bonus tax fax fox match batch
    branch church watch watchdog dish brush wish crash quiz buzz waltz blitz gas lens iris atlas canvas census chorus circus
    genius prospectus surplus walrus witness princess actress waitress access success compass`,
  ending: `company category country city party story baby lady fairy berry library factory battery history entry query
    reply supply army body copy day key boy toy way monkey survey journey holiday valley alloy essay guy play tray`,
  fs: `knife life wife leaf loaf half calf shelf wolf thief elf self sheaf scarf roof belief chief cliff chef brief proof
    safe staff giraffe dwarf hoof wharf turf`,
  os: `hero potato tomato echo torpedo veto cargo mosquito volcano photo piano radio video studio zoo memo logo euro
    kilo solo cello ratio tattoo kangaroo buffalo domino motto embargo tornado mango`,
  latin: `datum medium stratum bacterium curriculum memorandum addendum erratum symposium forum album museum stadium index
    vertex vortex appendix matrix analysis basis crisis thesis hypothesis diagnosis oasis axis criterion phenomenon
    automaton alumnus cactus focus fungus nucleus radius stimulus syllabus octopus alga larva formula antenna vertebra
    schema stigma genus opus corpus`,
  irregular: `person man woman child foot tooth goose mouse louse ox die penny brother human german roman fireman
    policewoman grandchild workman salesperson chairman passerby`,
  uncountable: `sheep fish deer moose series species news information equipment money rice advice bison salmon trout
    aircraft spacecraft offspring data metadata media software hardware music homework traffic luggage police pants
    scissors trousers headquarters means shrimp swine tuna wheat mathematics chess`,
  already: `orders people companies children indices analyses`,
};
const COMPOUND = `OrderLine CompanyAddress SalesPerson ProductCategory ShoppingBox DailyNews SheepDog WorkDay
  CustomerStatus HeroImage KeyValue UserAnalysis PriceIndex MainMatrix OldMan OfficeMouse HTTPRequest URLEntry Person2
  Order2024 My_Order order_line camelCase XMLHttpRequest iPhone ABC A`;

const words = (text) => text.split(/\s+/).filter(Boolean);
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const NAMES = [...new Set([...Object.values(NOUNS).flatMap(words).map(capital), ...words(COMPOUND)])];

const classNamed = (name) => ({ [name]: class {} })[name];

test(`${NAMES.length} class names have the same collections as in npm ravendb`, async (t) => {
  assert.ok(NAMES.length >= 300);
  const store = open(t, "http://127.0.0.1:1", "db");
  // The rules are loaded with the first collection that is named after a class; nothing is sent.
  await store.openSession().store(new (classNamed("First"))(), "first/1");
  const [ours, theirs] = [store.conventions, new npm.DocumentConventions()];
  const [got, expected] = [{}, {}];
  for (const name of NAMES) {
    const type = classNamed(name);
    got[name] = ours.getCollectionNameForType(type);
    expected[name] = theirs.getCollectionNameForType(type);
  }
  assert.deepEqual(got, expected);
  assert.equal(got.Person, "People");
  const prefix = (conventions) => (name) =>
    conventions.transformClassCollectionNameToDocumentIdPrefix(expected[name]);
  assert.deepEqual(NAMES.map(prefix(ours)), NAMES.map(prefix(theirs)));
});

test("a class that was registered without a name and looks minified causes one warning when its collection is named", async (t) => {
  const warnings = [];
  t.mock.method(console, "warn", (text) => warnings.push(text));
  const [xts, BS] = runInThisContext("[class xts{constructor(t){this.t=t}},function BS(){}]");
  const conventions = new DocumentConventions();
  conventions.registerEntityType(xts).registerEntityType(BS);
  assert.deepEqual(warnings, []);
  for (const type of [xts, BS, xts, BS]) conventions.getCollectionNameForType(type);
  await setImmediate();
  assert.match(warnings.join("\n"), /"xts".*\n.*"BS"/);
  assert.equal(warnings.length, 2);
  const named = runInThisContext("(class t{})");
  conventions.registerEntityType(named, "Order");
  conventions.getCollectionNameForType(named);
  await setImmediate();
  assert.equal(warnings.length, 2);
});

test("a short name causes no warning where no minifier has made it: in formatted code, in code that keeps names, in a descriptor", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  class Req {}
  class job extends Req {
    id = null;
  }
  function Tag(name) {
    this.name = name;
  }
  // As tsx and esbuild's `keepNames` write a class.
  const kept = runInThisContext('const n=(t)=>t;(class Log{static{n(this,"Log")}})');
  const conventions = new DocumentConventions();
  for (const type of [Req, job, Tag, kept, classNamed("Ab")]) conventions.getCollectionNameForType(type);
  const descriptor = { name: "Doc", isType: () => false, construct: () => ({}) };
  conventions.registerEntityType(descriptor);
  conventions.getCollectionNameForType(descriptor);
  await setImmediate();
  assert.equal(warn.mock.callCount(), 0);
});

test("a collection name that is requested before the plural rules are loaded is an error that names the class and the remedy", () => {
  const source = `
    import { DocumentStore, useModule } from ${JSON.stringify(new URL("../../pkg/dist/entries/slim.js", import.meta.url).href)};
        import { readFileSync } from "node:fs";
    useModule(readFileSync(${JSON.stringify(new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url).pathname)}));
    class Person {}
    const store = new DocumentStore("http://127.0.0.1:1", "Shop").initialize();
    let early;
    try { store.conventions.getCollectionNameForType(Person); } catch (error) { early = error.code + ": " + error.message; }
    await store.ready();
    console.log(early);
    console.log(store.conventions.getCollectionNameForType(Person));
    console.log(store.openSession().query({ documentType: Person }).toString());
    await store.dispose();
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
    encoding: "utf8",
  });
  const [early, name, text] = stdout.split("\n");
  assert.match(early ?? stderr, /^InvalidOperation: .*Person.*store\.ready\(\)/);
  assert.deepEqual([name, text], ["People", "from 'People'"]);
});
