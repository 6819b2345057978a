/** One simulated run as an HTML file: agents, chain, backends and faults side by side, time from top to bottom. */
import { escapeHtml } from "../../backend/http/openapi/html.ts";
import type { Fault } from "./run/faults.ts";
import type { RunResult } from "./run/run.ts";
import type { TraceLine } from "./run/trace.ts";

const STYLE = `body{font:14px/1.4 system-ui,sans-serif;margin:1.5rem;color:#1c2330;background:#fff}
table{border-collapse:collapse;width:100%;table-layout:fixed}th{position:sticky;top:0;background:#1c2330;color:#fff;text-align:left}
th,td{padding:.15rem .5rem;vertical-align:top;overflow-wrap:anywhere;border-right:1px solid #e3e6ec}th:first-child{width:5rem}
td:first-child{font-variant-numeric:tabular-nums;text-align:right;color:#5b6475}tr.second td{border-top:1px solid #c9cfda}
span{display:block;border-radius:4px;padding:.05rem .4rem;background:#e9f1fb}.refused{background:#fdf0d5}.chain{background:#e4f5e8}
.fault{background:#f9d9d6}.under-way{color:#8c1d18;font-size:12px}.violation{background:#b3261e;color:#fff;font-weight:600}`;

const CHAIN = "chain";
const FAULTS = "faults";
const OTHERS = "run";
/** Raw transactions are longer than a screen. */
const SHORT_HEX = /0x[0-9a-f]{16,}/gi;
const TEXT_MAX = 240;

interface Line {
  readonly atMs: number;
  readonly text: string;
  readonly lane: string;
  readonly kind: string;
}

function describeFault(text: string): string {
  const { kind, atMs: _, ...rest } = JSON.parse(text) as { readonly kind: string; readonly atMs: number };
  return [kind, ...Object.entries(rest).map(([name, value]) => `${name} ${value}`)].join(", ");
}

function toLine({ text: line, agent }: TraceLine): Line {
  const space = line.indexOf(" ");
  const [atMs, text] = [Number(line.slice(0, space)), line.slice(space + 1)];
  const backend = /^backend-\d+/.exec(text)?.[0];
  if (text.startsWith("VIOLATION")) return { atMs, text, lane: OTHERS, kind: "violation" };
  if (agent !== null) return { atMs, text, lane: agent, kind: / answered$/.test(text) ? "" : "refused" };
  if (backend !== undefined) {
    const isKilled = /is killed$/.test(text);
    return {
      atMs,
      text: text.slice(backend.length + 1).replace(" {}", ":"),
      lane: backend,
      kind: isKilled ? "fault" : "",
    };
  }
  if (text.startsWith("{")) return { atMs, text: describeFault(text), lane: FAULTS, kind: "fault" };
  if (/once$|lost$|refused although|replaced$|ordered$/.test(text)) return { atMs, text, lane: FAULTS, kind: "fault" };
  return { atMs, text, lane: /^(block|send|node refuses)/.test(text) ? CHAIN : OTHERS, kind: "chain" };
}

const isUnderWay = (fault: Fault, atMs: number): boolean =>
  "forMs" in fault && atMs >= fault.atMs && atMs < fault.atMs + fault.forMs;

function renderRow(line: Line, previous: Line | undefined, lanes: readonly string[], plan: RunResult["plan"]): string {
  const { atMs, lane, kind } = line;
  const text = line.text.replace(SHORT_HEX, (hex) => `${hex.slice(0, 8)}…${hex.slice(-4)}`).slice(0, TEXT_MAX);
  const isNewSecond = Math.floor(atMs / 1000) !== Math.floor((previous?.atMs ?? -1) / 1000);
  const underWay = plan.filter((fault) => isUnderWay(fault, atMs)).map((fault) => fault.kind);
  const cells = lanes.map((name) => {
    const event = name === lane ? `<span class="${kind}">${escapeHtml(text)}</span>` : "";
    const active = name === FAULTS && lane !== FAULTS ? `<div class="under-way">${underWay.join(", ")}</div>` : "";
    return `<td>${event}${active}</td>`;
  });
  return `<tr${isNewSecond ? ' class="second"' : ""}><td>${(atMs / 1000).toFixed(3)}</td>${cells.join("")}</tr>`;
}

export function renderTracePage({ seed, plan, trace, violation, digest }: RunResult): string {
  const lines = trace.map(toLine);
  const found = new Set(lines.map(({ lane }) => lane));
  const isFixed = (lane: string): boolean => lane === CHAIN || lane === FAULTS || lane === OTHERS;
  const named = [...found].filter((lane) => !isFixed(lane)).sort();
  const lanes = [FAULTS, ...named.filter((lane) => lane.startsWith("agent")), CHAIN];
  lanes.push(...named.filter((lane) => !lane.startsWith("agent")), OTHERS);
  const verdict = violation === null ? "No invariant is broken." : `Broken: ${violation.message}`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Simulated run ${seed}</title><style>${STYLE}</style>
<h1>Simulated run ${seed}</h1><p>${escapeHtml(verdict)} Digest <code>${digest.slice(0, 16)}</code>.
Times are seconds of the run. The left column also names the faults that last.</p>
<ul>${plan.map((fault) => `<li><code>${escapeHtml(JSON.stringify(fault))}</code></li>`).join("")}</ul>
<table><thead><tr><th>s</th>${lanes.map((lane) => `<th>${lane}</th>`).join("")}</tr></thead><tbody>
${lines.map((line, index) => renderRow(line, lines[index - 1], lanes, plan)).join("\n")}
</tbody></table></html>
`;
}
