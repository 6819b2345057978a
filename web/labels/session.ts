/** The service's codes as users read them. */
import type { EndReason, Phase, SnapshotState } from "../../domain/session.ts";
import { shortenHex } from "./shared.ts";

export const SESSION_LABELS = {
  joining: "Joining the session …",
  stalled: "No picture arrives. Waiting for the server …",
  reconnecting: "The connection was lost. Reconnecting …",
  ownAddress: "Games may not be shown here, because this page is not at the service's own address.",
  missing: "No such session",
  full: "All seats are taken",
  seeLive: "See who plays now",
  watchAnother: "Watch another",
  watchAgain: "Watch again",
  backHome: "Back to the arcade",
  unnamed: "Session",
  demo: "Demo",
  test: "Test",
  testNote: "Played on a test stack, where tests may choose the course, score and speed.",
  demoNote: "Played by the arcade itself: not on boards, no rewards.",
} as const;

export const HUD_LABELS = {
  score: "Score",
  best: "Best",
  lives: "Lives",
  hunger: "Hunger",
  tick: "Tick",
  rank: "Rank today",
  recordToBeat: "Record to beat",
  recordBeaten: "Beats the record of",
  spectators: "Spectators: ",
  fullScreen: "Full screen",
  legend: "Legend",
  happened: "What happened",
  nothingYet: "Nothing yet.",
  beforeYou: "Before you joined",
  finalScore: "Final score",
  isOver: "The run is over",
  tiers: "Tiers",
  chain: "Score",
  transaction: "Transaction",
  proof: "Proof",
  seeRun: "See the run and its proof",
} as const;

export const formatLives = (lives: number, livesMax: number): string => `${lives} of ${livesMax}`;

/** What a late spectator has missed, computed from the numbers of the first frame. */
export const formatCatchUp = (points: number, livesLost: number): string =>
  `${points} points${livesLost === 0 ? ", no life lost" : livesLost === 1 ? ", one life lost" : `, ${livesLost} lives lost`}`;

export const PHASE_LABELS: { readonly [phase in Phase]: string } = {
  ready: "Getting ready",
  running: "Playing",
  paused: "Paused",
  ended: "Over",
};

const END_REASON_LABELS: { readonly [reason in EndReason]: string } = {
  lives_lost: "All lives were lost.",
  exit: "The player left the run.",
  ended_by_player: "The player ended the session.",
  heartbeat_timeout: "The player stopped responding.",
  never_joined: "The player never connected.",
  disconnect_timeout: "The player did not reconnect.",
  max_duration: "The session reached its maximum duration.",
  server_restart: "The server restarted, and the run was not continued.",
  yielded: "The practice run was ended to make room for another game.",
};

export const getEndReasonLabel = (reason: string): string =>
  Object.hasOwn(END_REASON_LABELS, reason) ? END_REASON_LABELS[reason as EndReason] : humanize(reason);

export const SNAPSHOT_STATE_LABELS: { readonly [state in SnapshotState]: string } = {
  none: "Nothing to put on chain",
  required: "Waits to be put on chain",
  prepared: "Signed, on its way to the chain",
  included: "On chain",
  safe: "On chain, safe",
  final: "On chain, final",
  forfeited: "Given up by the agent",
};

/** `power_shield` as `power shield`: for identifiers that this build does not know. */
const humanize = (code: string): string => code.replaceAll("_", " ").trim();

/** Who plays, in one word. */
export function getPlayerName(player: {
  readonly agentName: string | null;
  readonly walletAddress: string | null;
  readonly source: string;
}): string {
  if (player.agentName !== null) return player.agentName;
  if (player.walletAddress !== null) return shortenHex(player.walletAddress);
  return player.source === "browser_ws" ? "A person practicing" : "Unnamed agent";
}

const POWER_UP_LABELS: { readonly [kind: string]: string } = {
  power_speed: "speed",
  power_shield: "shield",
  power_slow: "slow water",
};

export interface EventLogLine {
  readonly tone: "good" | "bad" | "plain";
  readonly text: string;
  /** Points won, 0 for none. */
  readonly points: number;
}

const toLabel = (value: unknown): string => {
  const code = typeof value === "string" ? value : "";
  return POWER_UP_LABELS[code] ?? humanize(code);
};

/** Null for frequent events that the log leaves out, such as `spawned`. */
export function toEventLogLine(event: {
  readonly event: string;
  readonly [field: string]: unknown;
}): EventLogLine | null {
  const points = typeof event.points === "number" ? event.points : 0;
  const line = (tone: EventLogLine["tone"], text: string): EventLogLine => ({ tone, text, points });
  switch (event.event) {
    case "spawned":
      return null;
    case "collected":
      return line("good", `Took a ${toLabel(event.kind)}`);
    case "gate_passed":
      return line("good", Number(event.streak) > 1 ? `Through the gate, ${event.streak} in a row` : "Through the gate");
    case "near_miss":
      return line("good", "Near miss");
    case "streak":
      return line("good", `Streak of ${event.streak}`);
    case "power_up":
      return line("good", `Power-up: ${toLabel(event.kind)}`);
    case "power_down":
      return line("plain", `The ${toLabel(event.kind)} is gone`);
    case "starved":
      return line("bad", "Starving");
    case "life_lost":
      return line("bad", `Lost a life (${toLabel(event.reason)}), ${event.lives} left`);
    case "paused":
      return line("plain", event.by === "disconnect" ? "Paused: the player is disconnected" : "Paused");
    case "resumed":
      return line("plain", "Resumed");
    case "started":
      return line("plain", "Started");
    case "ended":
      return line("plain", getEndReasonLabel(String(event.endReason ?? "")));
    default:
      return line("plain", humanize(event.event));
  }
}

export const formatSeal = (seedCommitment: string): string =>
  `Seed committed before the start: ${shortenHex(seedCommitment)}`;

export const formatWatching = (player: string, game: string): string => `${player} plays ${game}`;
