/** One agent on a terminal: a line per step, a live line while it plays, a summary at the end. */
import { formatUnits } from "viem";
import type { PlayFrame } from "../../client/play.ts";
import { toSitePath } from "../../domain/site.ts";
import {
  formatCount,
  formatDuration,
  formatInteger,
  getDisplayWidth,
  padEnd,
  padStart,
  type Style,
  shortenHex,
} from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import { AGENT_FLAGS } from "./options.ts";
import type { AgentRun, GameResult } from "./run.ts";
import type { StepListener, StepReport } from "./steps.ts";

const LIVE_EVERY_MS = 150;
const STEP_WIDTH = 9;
const HUNGER_CELLS = 8;

/** `flappybots  34 points  ♥♥♡  hunger ███░░░░░  running  0:42`. */
export function formatLiveLine(slug: string, frame: PlayFrame, style: Style): string {
  const { score, lives, livesMax, hunger, hungerMax, phase, tMs } = frame;
  const eaten = Math.min(HUNGER_CELLS, Math.floor((hunger * HUNGER_CELLS) / Math.max(1, hungerMax)));
  const bar = "█".repeat(eaten) + "░".repeat(HUNGER_CELLS - eaten);
  const hungry = eaten >= HUNGER_CELLS - 2 ? style.bad(bar) : style.warn(bar);
  const hearts = style.bad("♥".repeat(lives)) + style.dim("♡".repeat(Math.max(0, livesMax - lives)));
  const seconds = Math.floor(tMs / 1000);
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return `${slug}  ${style.bold(padStart(String(score.current), 5))} points  ${hearts}  hunger ${hungry}  ${style.dim(padEnd(phase, 7))}  ${clock}`;
}

/** `✓ snapshot   +34 points on chain      gas 44,600   340 ms  0x12ab…cdef`. */
export function formatStepLine(
  step: string,
  { message, gasUsed, txHash, mark }: StepReport,
  ms: number,
  style: Style,
): string {
  const sign = mark === "warn" ? style.warn("!") : mark === "quiet" ? style.dim("·") : style.good("✓");
  const gas = gasUsed === undefined ? "" : `${formatInteger(gasUsed)} gas`;
  const left = `  ${sign} ${padEnd(style.bold(step), STEP_WIDTH)} ${padEnd(mark === "quiet" ? style.dim(message) : message, 46)}`;
  const right = `${padStart(gas, 12)}  ${padStart(formatDuration(ms), 11)}  ${txHash == null ? "" : shortenHex(txHash)}`;
  return `${left} ${style.dim(right)}`.trimEnd();
}

/** Prints one agent's steps to a terminal. */
export function makeSoloListener(terminal: Terminal): StepListener & { close(): void } {
  const { style, isInteractive } = terminal;
  let drawn = false;
  let lastAtMs = 0;
  const clearLine = (): void => {
    if (drawn) terminal.draw("\r\u001b[2K");
    drawn = false;
  };
  const draw = (line: string): void => {
    clearLine();
    // A line wider than the terminal would wrap and could not be cleared.
    if (getDisplayWidth(line) >= terminal.columns) return;
    terminal.draw(line);
    drawn = true;
  };
  return {
    begin(step, message) {
      if (isInteractive && message !== "")
        draw(`  ${style.accent("›")} ${padEnd(style.bold(step), STEP_WIDTH)} ${style.dim(`${message} …`)}`);
    },
    done(step, report, ms) {
      clearLine();
      terminal.print(formatStepLine(step, report, ms, style));
    },
    frame(slug, frame) {
      const nowMs = performance.now();
      if (!isInteractive || nowMs - lastAtMs < LIVE_EVERY_MS) return;
      lastAtMs = nowMs;
      draw(`  ${style.accent("▶")} ${padEnd(style.bold("play"), STEP_WIDTH)} ${formatLiveLine(slug, frame, style)}`);
    },
    failed(step) {
      clearLine();
      terminal.print(`  ${style.bad("✗")} ${padEnd(style.bold(step), STEP_WIDTH)} ${style.bad("failed")}`);
    },
    close: clearLine,
  };
}

const formatGame = ({ slug, score, endReason }: GameResult): string =>
  `${slug} ${score} (${endReason.replaceAll("_", " ")})`;

/** The page of the latest run, and the command that checks its score. */
function listChecks(games: readonly GameResult[], url: string): readonly (readonly [string, string])[] {
  const last = games.at(-1);
  if (last === undefined) return [];
  const { sessionId } = last;
  const urlFlag = url === AGENT_FLAGS.url.default ? "" : ` --url ${url}`;
  return [
    ["watch it", `${url}${toSitePath("run", { id: sessionId })}`],
    ["check it", `npm run replay -- ${sessionId}${urlFlag}`],
  ];
}

/** The summary at the end of one agent's run. `url`: the service. */
export function formatSummary(run: AgentRun, url: string, style: Style): string {
  const { name, address, agentId, games, snapshots, nfts, payout, balance, symbol, scorebank, payouts } = run;
  const { payoutsTotal } = run;
  const row = (label: string, text: string): string => `  ${padEnd(style.dim(label), 11)} ${text}`;
  const added = snapshots.reduce((sum, { scoreDelta }) => sum + scoreDelta, 0);
  const shown = payouts.slice(0, 5).map(({ at, score, amount, token, txHash }) => {
    const paid = `${formatUnits(BigInt(amount), token.decimals)} ${token.symbol}`;
    return row("", `${at}  ${score} points → ${paid}  ${style.dim(shortenHex(txHash))}`);
  });
  return [
    "",
    `  ${style.bold("Summary")}`,
    row("identity", `${style.bold(name)}, agent #${agentId}, ${address}`),
    row("games", games.map(formatGame).join(", ")),
    row("snapshots", `${snapshots.length} on chain, ${added} points`),
    row(
      "nft",
      nfts.map(({ slug, tokenId, tier, action }) => `${slug} #${tokenId} tier ${tier} (${action})`).join(", ") ||
        "none this time",
    ),
    row("payout", payout.paid ? style.good(payout.summary) : style.warn(payout.summary)),
    row("balance", style.bold(`${balance} ${symbol}`)),
    row("scorebank", String(scorebank)),
    row("history", `${formatCount(payoutsTotal, "payout")}${payoutsTotal > shown.length ? ", the latest:" : ""}`),
    ...shown,
    ...listChecks(games, url).map(([label, text]) => row(label, text)),
  ].join("\n");
}
