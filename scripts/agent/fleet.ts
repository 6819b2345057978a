/** Many agents at once: a line per agent while it runs, a table at the end. */
import { toFailure } from "../cli/failures.ts";
import { formatDuration, formatTable, getDisplayWidth, padEnd, padStart, shortenHex, stripAnsi } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { AgentRun } from "./run.ts";
import { formatLiveLine } from "./solo.ts";
import type { StepListener } from "./steps.ts";

/** The outcome of one agent of a fleet. */
export type FleetResult = { readonly number: number; readonly address: string; readonly ms: number } & (
  | { readonly run: AgentRun; readonly error?: never }
  | { readonly error: unknown; readonly run?: never }
);

const REDRAW_EVERY_MS = 200;

/** Shows the step of each agent: on a terminal in lines that are redrawn, elsewhere one line when an agent is done. */
export function makeFleetView(terminal: Terminal, addresses: readonly string[]) {
  const { style, isInteractive } = terminal;
  const lines = addresses.map(() => "waiting");
  // More agents than rows: one line with counts instead.
  const showsEachAgent = isInteractive && addresses.length <= terminal.rows - 4;
  const finished = new Set<number>();
  let drawnLines = 0;
  let timer: NodeJS.Timeout | null = null;

  const label = (index: number): string =>
    `  ${padStart(String(index + 1), String(addresses.length).length)}  ${style.dim(shortenHex(addresses[index]!))}  `;
  const clip = (line: string): string =>
    getDisplayWidth(line) < terminal.columns ? line : `${stripAnsi(line).slice(0, Math.max(0, terminal.columns - 2))}…`;
  function formatCounts(): string {
    const by = new Map<string, number>();
    for (const line of lines) by.set(line.split(" ")[0]!, (by.get(line.split(" ")[0]!) ?? 0) + 1);
    return `  ${[...by].map(([word, count]) => `${count} ${word}`).join(" · ")}`;
  }
  function clearLines(): void {
    if (drawnLines > 0) terminal.draw(`\u001b[${drawnLines}A\u001b[0J`);
    drawnLines = 0;
  }
  function redraw(): void {
    clearLines();
    const shown = showsEachAgent ? lines.map((line, index) => clip(label(index) + line)) : [clip(formatCounts())];
    terminal.draw(`${shown.join("\n")}\n`);
    drawnLines = shown.length;
  }

  return {
    open(): void {
      if (isInteractive) timer = setInterval(redraw, REDRAW_EVERY_MS);
    },
    redraw,
    close(): void {
      if (timer !== null) clearInterval(timer);
      clearLines();
    },
    createListener(index: number): StepListener {
      const set = (line: string): void => {
        lines[index] = line;
      };
      return {
        begin: (step, message) => set(`${padEnd(step, 9)} ${style.dim(message)}`),
        done: (step, { message }) => set(`${padEnd(step, 9)} ${message}`),
        frame: (slug, frame) => set(showsEachAgent ? `play      ${formatLiveLine(slug, frame, style)}` : "play"),
        failed: (step) => set(`failed    ${style.bad(step)}`),
      };
    },
    /** `index`: the agent's row. Its number differs if another process plays the first wallets. */
    finished(index: number, result: FleetResult): void {
      const { ms } = result;
      finished.add(index);
      const outcome = formatOutcome(result);
      lines[index] = `done      ${outcome}`;
      if (isInteractive) return;
      const count = padStart(`${finished.size}/${addresses.length}`, 7);
      terminal.print(`${count}${label(index)}${padStart(formatDuration(ms), 11)}  ${outcome}`);
    },
  };
}

/** Prints the payouts, or why there are none. */
function formatOutcome(result: FleetResult): string {
  if (result.run !== undefined) return result.run.payout.summary;
  const { error, next } = toFailure(result.error);
  return `failed: ${error}${next === null ? "" : ` (next: ${next})`}`;
}

/** The final table, one row per agent, and a line with counts. */
export function formatFleetTable(results: readonly FleetResult[], terminal: Terminal): string {
  const { style } = terminal;
  const rows = results.map((result) => {
    const { run, address, number } = result;
    const message = formatOutcome(result);
    return [
      String(number),
      run?.name ?? shortenHex(address),
      run === undefined ? "-" : `#${run.agentId}`,
      run === undefined ? "-" : run.games.map(({ score }) => score).join(" + "),
      run === undefined ? "-" : String(run.snapshots.length),
      run === undefined ? "-" : String(run.nfts.length),
      run === undefined ? "-" : `${run.balance} ${run.symbol}`,
      run === undefined ? style.bad(message) : run.payout.paid ? style.good("paid") : style.warn(message),
    ];
  });
  const paid = results.filter(({ run }) => run?.payout.paid).length;
  const failed = results.filter(({ run }) => run === undefined).length;
  const unpaid = results.length - paid - failed;
  const counts = `  ${style.good(`${paid} paid`)}, ${unpaid} not paid, ${failed === 0 ? "0 failed" : style.bad(`${failed} failed`)}`;
  const headings = ["", "agent", "id", "scores", "snapshots", "nfts", "balance", "outcome"];
  return `\n${formatTable(headings, rows, style, [0, 4, 5, 6])}\n\n${counts}`;
}
