/** A short, complete session with a fixed pattern of inputs, recorded like the server. */
import type { Hex } from "viem";
import { buildSeedFields } from "../../domain/replay/build-replay.ts";
import type { Replay, ReplayInput } from "../../domain/replay/replay.ts";
import { computeSeedCommitment } from "../../domain/replay/seed.ts";
import { parseSeed } from "../../domain/replay/verify.ts";
import { COMMAND_CODES } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { getRulesHash } from "../../games/rules-hash.ts";

const TICKS = 610;

/** Ends by `exit`, or earlier with its last life. It has entropy and a pause. */
export function recordShortReplay(slug: string): Replay {
  const game = findGame(slug)!;
  const serverSeed: Hex = `0x${"5a".repeat(31)}07`;
  const row = { seed: serverSeed, seedCommitment: computeSeedCommitment(serverSeed) };
  const rulesHash = getRulesHash(slug, game.rulesVersion);
  const seedFields = buildSeedFields({ ...row, entropy: "0xc0ffee" }, { pauses: [[30, 1, 2500]], rulesHash });
  const codes = game.inputs.filter(({ mode }) => mode !== "idle").map(({ code }) => code);
  const inputs: ReplayInput[] = [];
  let state = game.init(parseSeed(seedFields.seed), game.tickHz);
  while (!state.over && state.tick < TICKS) {
    const tick = state.tick + 1;
    const acting = tick % 45 === 0 ? [codes[(tick / 45) % codes.length]!] : [];
    for (const code of acting) inputs.push([tick, code]);
    state = game.step(state, acting);
  }
  if (!state.over) inputs.push([state.tick + 1, COMMAND_CODES.exit]);
  return {
    ...seedFields,
    slug,
    rulesVersion: game.rulesVersion,
    tickHz: game.tickHz,
    inputs,
    ticks: state.tick,
    finalScore: state.score,
    endReason: state.over ? "lives_lost" : "exit",
    sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab",
    wallet: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    chainId: 31337,
    rewards: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    sequence: "3",
  };
}
