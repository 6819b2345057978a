/** Many agents at once: a line for each while they live, a table at the end. */
import type { Terminal } from "../cli/command.ts";
import { failureOf } from "../cli/failures.ts";
import { duration, padEnd, padStart, plain, short, table, widthOf } from "../cli/style.ts";
import type { Journey } from "./journey.ts";
import { liveLine } from "./solo.ts";
import type { Watcher } from "./steps.ts";

/** One agent of a fleet when all is over. */
export type FleetResult = { readonly number: number; readonly address: string; readonly ms: number } & (
  | { readonly journey: Journey; readonly error?: never }
  | { readonly error: unknown; readonly journey?: never }
);

const REDRAW_EVERY_MS = 200;

/** Shows where each agent is: on a terminal lines that are redrawn, elsewhere one line when an agent is done. */
export function makeFleetView(terminal: Terminal, addresses: readonly string[]) {
  const { style, live } = terminal;
  const lines = addresses.map(() => "waiting");
  // More agents than rows: one line of counts instead.
  const each = live && addresses.length <= terminal.rows - 4;
  const finished = new Set<number>();
  let drawnLines = 0;
  let timer: NodeJS.Timeout | null = null;

  const label = (index: number): string =>
    `  ${padStart(String(index + 1), String(addresses.length).length)}  ${style.dim(short(addresses[index]!))}  `;
  const clip = (line: string): string =>
    widthOf(line) < terminal.columns ? line : `${plain(line).slice(0, Math.max(0, terminal.columns - 2))}…`;
  function counts(): string {
    const by = new Map<string, number>();
    for (const line of lines) by.set(line.split(" ")[0]!, (by.get(line.split(" ")[0]!) ?? 0) + 1);
    return `  ${[...by].map(([word, count]) => `${count} ${word}`).join(" · ")}`;
  }
  function wipe(): void {
    if (drawnLines > 0) terminal.draw(`\u001b[${drawnLines}A\u001b[0J`);
    drawnLines = 0;
  }
  function redraw(): void {
    wipe();
    const shown = each ? lines.map((line, index) => clip(label(index) + line)) : [clip(counts())];
    terminal.draw(`${shown.join("\n")}\n`);
    drawnLines = shown.length;
  }

  return {
    open(): void {
      if (live) timer = setInterval(redraw, REDRAW_EVERY_MS);
    },
    close(): void {
      if (timer !== null) clearInterval(timer);
      wipe();
    },
    watcher(index: number): Watcher {
      const set = (line: string): void => {
        lines[index] = line;
      };
      return {
        begin: (step, words) => set(`${padEnd(step, 9)} ${style.dim(words)}`),
        done: (step, { words }) => set(`${padEnd(step, 9)} ${words}`),
        frame: (slug, frame) => set(each ? `play      ${liveLine(slug, frame, style)}` : "play"),
        failed: (step) => set(`failed    ${style.bad(step)}`),
      };
    },
    finished(result: FleetResult): void {
      const { number, ms } = result;
      finished.add(number);
      const words = outcomeOf(result);
      lines[number - 1] = `done      ${words}`;
      if (live) return;
      const count = padStart(`${finished.size}/${addresses.length}`, 7);
      terminal.say(`${count}${label(number - 1)}${padStart(duration(ms), 11)}  ${words}`);
    },
  };
}

/** Paid, or exactly why not. */
export function outcomeOf(result: FleetResult): string {
  if (result.journey !== undefined) return result.journey.payout.words;
  const { error, next } = failureOf(result.error);
  return `failed: ${error}${next === null ? "" : ` (next: ${next})`}`;
}

/** The closing table, one row for each agent, and a line that counts. */
export function fleetTable(results: readonly FleetResult[], terminal: Terminal): string {
  const { style } = terminal;
  const rows = results.map((result) => {
    const { journey, address, number } = result;
    const words = outcomeOf(result);
    return [
      String(number),
      journey?.name ?? short(address),
      journey === undefined ? "-" : `#${journey.agentId}`,
      journey === undefined ? "-" : journey.games.map(({ score }) => score).join(" + "),
      journey === undefined ? "-" : String(journey.snapshots.length),
      journey === undefined ? "-" : String(journey.nfts.length),
      journey === undefined ? "-" : `${journey.balance} ${journey.symbol}`,
      journey === undefined ? style.bad(words) : journey.payout.paid ? style.good("paid") : style.warn(words),
    ];
  });
  const paid = results.filter(({ journey }) => journey?.payout.paid).length;
  const failed = results.filter(({ journey }) => journey === undefined).length;
  const told = results.length - paid - failed;
  const counts = `  ${style.good(`${paid} paid`)}, ${told} told why not, ${failed === 0 ? "0 failed" : style.bad(`${failed} failed`)}`;
  const heads = ["", "agent", "id", "scores", "snapshots", "nfts", "balance", "outcome"];
  return `\n${table(heads, rows, style, [0, 4, 5, 6])}\n\n${counts}`;
}
