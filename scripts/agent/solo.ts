/** One agent on a terminal: a line for each step, a live line while it plays, a summary at the end. */
import { formatUnits } from "viem";
import type { PlayFrame } from "../../client/play.ts";
import type { Terminal } from "../cli/command.ts";
import { duration, padEnd, padStart, type Style, short, thousands, widthOf } from "../cli/style.ts";
import type { GameResult, Journey } from "./journey.ts";
import type { StepReport, Watcher } from "./steps.ts";

const LIVE_EVERY_MS = 150;
const STEP_WIDTH = 9;
const HUNGER_CELLS = 8;

/** `flappybots  34 points  ♥♥♡  hunger ███░░░░░  running  0:42`. */
export function liveLine(slug: string, frame: PlayFrame, style: Style): string {
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
export function stepLine(step: string, { words, gasUsed, txHash, mark }: StepReport, ms: number, style: Style): string {
  const sign = mark === "warn" ? style.warn("!") : mark === "quiet" ? style.dim("·") : style.good("✓");
  const gas = gasUsed === undefined ? "" : `${thousands(gasUsed)} gas`;
  const left = `  ${sign} ${padEnd(style.bold(step), STEP_WIDTH)} ${padEnd(mark === "quiet" ? style.dim(words) : words, 46)}`;
  const right = `${padStart(gas, 12)}  ${padStart(duration(ms), 11)}  ${txHash == null ? "" : short(txHash)}`;
  return `${left} ${style.dim(right)}`.trimEnd();
}

/** Tells one agent's steps to a terminal. */
export function makeSoloWatcher(terminal: Terminal): Watcher & { close(): void } {
  const { style, live } = terminal;
  let drawn = false;
  let lastAtMs = 0;
  const wipe = (): void => {
    if (drawn) terminal.draw("\r\u001b[2K");
    drawn = false;
  };
  const draw = (line: string): void => {
    wipe();
    // A line wider than the terminal would wrap and could not be wiped.
    if (widthOf(line) >= terminal.columns) return;
    terminal.draw(line);
    drawn = true;
  };
  return {
    begin(step, words) {
      if (live && words !== "")
        draw(`  ${style.accent("›")} ${padEnd(style.bold(step), STEP_WIDTH)} ${style.dim(`${words} …`)}`);
    },
    done(step, report, ms) {
      wipe();
      terminal.say(stepLine(step, report, ms, style));
    },
    frame(slug, frame) {
      const nowMs = performance.now();
      if (!live || nowMs - lastAtMs < LIVE_EVERY_MS) return;
      lastAtMs = nowMs;
      draw(`  ${style.accent("▶")} ${padEnd(style.bold("play"), STEP_WIDTH)} ${liveLine(slug, frame, style)}`);
    },
    failed(step) {
      wipe();
      terminal.say(`  ${style.bad("✗")} ${padEnd(style.bold(step), STEP_WIDTH)} ${style.bad("failed")}`);
    },
    close: wipe,
  };
}

const gameWords = ({ slug, score, endReason }: GameResult): string =>
  `${slug} ${score} (${endReason.replaceAll("_", " ")})`;

/** The summary at the end of one agent's run. */
export function summaryOf(journey: Journey, style: Style): string {
  const { name, address, agentId, games, snapshots, nfts, payout, balance, symbol, scorebank, payouts } = journey;
  const row = (head: string, words: string): string => `  ${padEnd(style.dim(head), 11)} ${words}`;
  const added = snapshots.reduce((sum, { scoreDelta }) => sum + scoreDelta, 0);
  const shown = payouts.slice(0, 5).map(({ at, score, amount, token, txHash }) => {
    const paid = `${formatUnits(BigInt(amount), token.decimals)} ${token.symbol}`;
    return row("", `${at}  ${score} points → ${paid}  ${style.dim(short(txHash))}`);
  });
  return [
    "",
    `  ${style.bold("Summary")}`,
    row("identity", `${style.bold(name)}, agent #${agentId}, ${address}`),
    row("games", games.map(gameWords).join(", ")),
    row("snapshots", `${snapshots.length} on chain, ${added} points`),
    row(
      "nft",
      nfts.map(({ slug, tokenId, tier, action }) => `${slug} #${tokenId} tier ${tier} (${action})`).join(", ") ||
        "none this time",
    ),
    row("payout", payout.paid ? style.good(payout.words) : style.warn(payout.words)),
    row("balance", style.bold(`${balance} ${symbol}`)),
    row("scorebank", String(scorebank)),
    row(
      "history",
      `${payouts.length} payout${payouts.length === 1 ? "" : "s"}${payouts.length > shown.length ? ", the latest:" : ""}`,
    ),
    ...shown,
  ].join("\n");
}
