// The texts of dates in documents: any valid date can be read back, in every time zone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dateOf, dateText, utcText } from "../../pkg/dist/documents/mapping/date-format.js";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Pacific/Kiritimati",
  "Africa/Monrovia",
  "Asia/Kolkata",
];
const TIMES = {
  "the first date": -8.64e15,
  "a date before the year 1": Date.UTC(-43, 2, 15, 12),
  "the year 0": Date.parse("0000-06-01T00:00:00Z"),
  "a date with an offset of seconds": Date.UTC(1900, 0, 1),
  "a day of 2020": Date.UTC(2020, 1, 29, 13, 30, 15, 123),
  "the last hours of the year 9999": Date.UTC(9999, 11, 31, 12),
  "a year of five digits": Date.UTC(12345, 2, 15),
  "the last date": 8.64e15,
};
const conventions = (storeDatesInUtc, storeDatesWithTimezoneInfo = false) => ({
  storeDatesInUtc,
  storeDatesWithTimezoneInfo,
});

for (const zone of ZONES)
  test(`dates can be read back in ${zone}`, (t) => {
    const { TZ } = process.env;
    t.after(() => {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    });
    process.env.TZ = zone;
    for (const [name, time] of Object.entries(TIMES))
      for (const isUtc of [false, true]) {
        const text = dateText(new Date(time), conventions(isUtc));
        assert.match(text, /^(-\d{6}|\+\d{6}|\d{4,6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z?$/, name);
        assert.equal(dateOf(text).getTime(), time, `${name}: ${text}`);
      }
    // Where the place differs from UTC by whole minutes.
    for (const time of [TIMES["a day of 2020"], TIMES["a year of five digits"]])
      assert.equal(dateOf(dateText(new Date(time), conventions(false, true))).getTime(), time);
  });

test("local years have the digits that npm ravendb gives them, and are read with and without a sign", () => {
  assert.equal(dateText(new Date(12345, 2, 15), conventions(false)), "12345-03-15T00:00:00.0000000");
  assert.equal(dateText(new Date(9999, 11, 31, 23, 59), conventions(false)), "9999-12-31T23:59:00.0000000");
  assert.equal(dateText(new Date(-43, 2, 15), conventions(false)), "-000043-03-15T00:00:00.0000000");
  for (const text of ["12345-03-15T00:00:00.0000000", "+012345-03-15T00:00:00.0000000"])
    assert.equal(dateOf(text).getTime(), new Date(12345, 2, 15).getTime());
});

test("an invalid date has no text", () => {
  for (const write of [utcText, (date) => dateText(date, conventions(false))])
    assert.throws(() => write(new Date(Number.NaN)), { code: "InvalidArgument" });
});
