// Diagrams of the documentation as SVG: `node tests/browsers/pictures.mjs` writes them to docs/images.

const STYLE = `<style>
    text { font: 15px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b2420; }
    .head { font-weight: 600; }
    .code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 14px; }
    .note { fill: #55605a; font-size: 14px; }
    .paper { fill: #ffffff; }
    .box { fill: #f4f5f2; stroke: #858e88; }
    .yes { fill: #dcefea; stroke: #12695f; }
    .no { fill: #fbe9e3; stroke: #94341b; }
    .line { stroke: #55605a; stroke-width: 1.5; fill: none; }
    .lane { stroke: #c3c9c4; stroke-width: 2; }
    .lost { stroke: #94341b; stroke-width: 2; fill: none; }
    .tip { fill: #55605a; }
    .refusal { fill: #94341b; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6ebe8; }
      .note { fill: #a3afa9; }
      .paper { fill: #111614; }
      .box { fill: #191f1d; stroke: #74807a; }
      .yes { fill: #1d3833; stroke: #58bcac; }
      .no { fill: #3b211a; stroke: #f3b49f; }
      .line { stroke: #a3afa9; }
      .lane { stroke: #38413d; }
      .lost { stroke: #f3b49f; }
      .tip { fill: #a3afa9; }
      .refusal { fill: #f3b49f; }
    }
  </style>
  <defs>
    <marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse">
      <path class="tip" d="M0 0 10 5 0 10z"/>
    </marker>
  </defs>`;

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const text = (x, y, content, kind = "", anchor = "start") =>
  `<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${escaped(content)}</text>`;

const box = (x, y, width, height, kind) =>
  `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`;

const arrow = (path, isLost = false) =>
  isLost ? `<path class="lost" d="${path}"/>` : `<path class="line" d="${path}" marker-end="url(#tip)"/>`;

function svg(width, height, title, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
  <title id="title">${escaped(title)}</title>
  ${STYLE}
  <rect class="paper" width="${width}" height="${height}"/>
  ${parts.join("\n  ")}
</svg>
`;
}

/** What a session does when the response to a save is lost. Time goes down. */
function lostResponse() {
  const [session, server] = [150, 610];
  const middle = (session + server) / 2;
  const lane = (x) => `<path class="lane" d="M${x} 62V290"/>`;
  const cross = (x, y) => arrow(`M${x - 8} ${y - 8}l16 16M${x + 8} ${y - 8}l-16 16`, true);
  const label = (y, content, kind = "note") => text(middle, y, content, kind, "middle");
  return svg(760, 490, "A lost response", [
    lane(session),
    lane(server),
    box(session - 90, 24, 180, 38, "box"),
    text(session, 48, "session in the page", "head", "middle"),
    box(server - 90, 24, 180, 38, "box"),
    text(server, 48, "RavenDB", "head", "middle"),
    text(session - 12, 98, "saveChanges()", "code", "end"),
    arrow(`M${session} 94H${server - 2}`),
    label(86, "all changes in one request"),
    text(server + 12, 98, "saves all", "note"),
    text(server + 12, 116, "or nothing", "note"),
    arrow(`M${server} 146H${middle + 14}`, true),
    cross(middle, 146),
    label(176, "the response is lost: saved or not?"),
    arrow(`M${session} 216H${server - 2}`),
    label(208, "load the new documents of this save"),
    arrow(`M${server} 258H${session + 2}`),
    label(250, "what is stored under their ids"),
    box(30, 290, 700, 44, "yes"),
    text(46, 317, "all are there, equal", "head"),
    text(290, 317, "saved: saveChanges() resolves, nothing is sent again"),
    box(30, 346, 700, 62, "no"),
    text(46, 373, "one is missing", "head"),
    text(290, 373, "the request may still arrive: OutcomeUnknown. The next"),
    text(290, 394, "save looks first, and sends only what is not there"),
    box(30, 420, 700, 44, "box"),
    text(46, 447, "there were other changes", "head"),
    text(290, 447, "OutcomeUnknown; the error says what to do next"),
  ]);
}

/** What a gateway asks of each request. */
function whoMayDoWhat() {
  const steps = [
    ["1", "collections", "Is this action permitted for this collection?", "Orders: create, read", "403"],
    ["2", "authorize", "Who is it? May they call?", "ann, of the team red", "401, 403"],
    ["3", "rows", "Is this document theirs?", "customerId = ann", "as if it did not exist"],
    ["4", "queries, patches", "A declared name, valid parameters?", "openOrders, from 10", "403"],
  ];
  const parts = [
    box(20, 24, 130, 44, "box"),
    text(85, 51, "page", "head", "middle"),
    text(170, 51, "a request: load, save, query or patch", "note"),
  ];
  steps.forEach(([number, option, question, example, refusal], at) => {
    const y = 92 + at * 84;
    parts.push(
      arrow(`M85 ${y - 24}V${y - 2}`),
      box(20, y, 520, 60, "yes"),
      text(36, y + 25, `${number}  ${option}`, "code"),
      text(200, y + 25, question),
      text(200, y + 46, `such as ${example}`, "note"),
      arrow(`M540 ${y + 30}H580`),
      text(590, y + 35, refusal, "refusal"),
    );
  });
  const y = 92 + steps.length * 84;
  parts.push(
    arrow(`M85 ${y - 24}V${y - 2}`),
    box(20, y, 130, 44, "box"),
    text(85, y + 27, "RavenDB", "head", "middle"),
    text(170, y + 27, "gets only what has passed; a write only if the judged document is unchanged", "note"),
  );
  return svg(760, y + 64, "Who may do what", parts);
}

export const DIAGRAMS = { "lost-response": lostResponse, "who-may": whoMayDoWhat };
