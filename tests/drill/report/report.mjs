// The report as text for docs/drill.md.
import { isAttachment } from "../book/marks.mjs";

const number = (value) => value.toLocaleString("en-US");
const LIMIT = 50;

/** Counts whose name begins so, without that beginning, most frequent first. */
function counted(counts, beginning) {
  return [...counts]
    .filter(([name]) => name.startsWith(beginning))
    .map(([name, count]) => [name.slice(beginning.length), count])
    .toSorted((a, b) => b[1] - a[1]);
}

const table = (head, rows) =>
  [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---").join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");

const list = (pairs) => pairs.map(([name, count]) => `${name} ${number(count)}`).join(", ") || "none";

/** `story` and `wrong`: see book/balance.mjs. */
export function report({ story, wrong, minutes, seed, started }) {
  const { counts, issued, told, found, histories } = story;
  const places = [...found.values()];
  const lost = [...told.saved].filter((mark) => !found.has(mark)).length;
  const rows = [
    ["ids", `${number(issued.length)} issued`, wrong.ids.length],
    [
      "documents",
      `${number(told.saved.size)} writes reported as saved, ${number(places.length)} found, ${number(lost)} removed by their app or by a restored backup`,
      wrong.documents.length,
    ],
    ["queued changes", `${number(told.queued.size)} writes queued on a device`, wrong.queues.length],
    [
      "attachments",
      `${number([...found.keys()].filter(isAttachment).length)} found and compared`,
      wrong.attachments.length,
    ],
  ];
  const all = Object.values(wrong).flat();
  return `Minutes: ${minutes}, from ${started.toISOString().slice(0, 16).replace("T", " ")} UTC, seed ${seed}. Restored backups: ${number(histories.length - 1)}.

${table(["book", "what was counted", "wrong"], rows)}

Operations: ${list(counted(counts, "operation "))}.

${table(
  ["fault", "times"],
  counted(counts, "fault ").map(([name, count]) => [name, number(count)]),
)}

Requests with a fault of the network: ${list(counted(counts, "network "))}; ${number(counts.get("delivered again") ?? 0)} copies delivered late.

Errors that apps got: ${list(counted(counts, "error "))}. Regressions noticed: ${list(counted(counts, "regression "))}. Browsers that had to be started again by the drill itself: ${counts.get("driver troubles") ?? 0}.
${
  all.length > 0
    ? `\nWrong:\n\n${all
        .slice(0, LIMIT)
        .map((sentence) => `- ${sentence.slice(0, 600)}`)
        .join("\n")}\n`
    : ""
}`;
}
