/** The test vector of `docs/replays.md`: a short run, its digests, its event and its wallet's signature. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { concat, encodeAbiParameters, type Hex, hashTypedData, keccak256, pad, stringToHex } from "viem";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { buildSeedFields } from "../../../domain/replay/build-replay.ts";
import { computeGameSessionHash, computeReplayDigest, type Replay, toGameId } from "../../../domain/replay/replay.ts";
import { computeSeedCommitment } from "../../../domain/replay/seed.ts";
import { createTranscript } from "../../../domain/replay/transcript.ts";
import { parseSeed } from "../../../domain/replay/verify.ts";
import { COMMAND_CODES } from "../../../games/game.ts";
import { findGame } from "../../../games/index.ts";
import { getRulesHash } from "../../../games/rules-hash.ts";
import { toInputCodes, toPlayFrame } from "../../evaluate/play.ts";
import { root } from "../../start/build.ts";
import { replaceBlock } from "./document-block.ts";
import { getExampleSigner, sign } from "./signing-examples.ts";
import { renderTable } from "./table.ts";

const SLUG = "flappybots";
const TICKS = 200;
const SERVER_SEED: Hex = `0x${"5a".repeat(31)}07`;

function playVector(): Replay {
  const game = findGame(SLUG)!;
  const rulesHash = getRulesHash(SLUG, game.rulesVersion);
  const seedCommitment = computeSeedCommitment(SERVER_SEED);
  const row = { seed: SERVER_SEED, seedCommitment, entropy: "0xc0ffee" as Hex };
  const seedFields = buildSeedFields(row, { pauses: [[30, 1, 2500]], rulesHash });
  const bot = game.bots.reference();
  const state = game.init(parseSeed(seedFields.seed), game.tickHz);
  const inputs: (readonly [number, number])[] = [];
  while (state.tick < TICKS) {
    const codes = toInputCodes(game, bot(toPlayFrame(game, state)));
    for (const code of codes) inputs.push([state.tick + 1, code]);
    game.step(state, codes);
  }
  inputs.push([TICKS + 1, COMMAND_CODES.exit]);
  const { rulesVersion, tickHz } = game;
  return {
    ...seedFields,
    ...{ slug: SLUG, rulesVersion, tickHz, inputs, ticks: TICKS, finalScore: state.score, endReason: "exit" },
    sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab",
    wallet: getExampleSigner().address,
    chainId: 84532,
    rewards: "0x3333333333333333333333333333333333333333",
    sequence: "3",
  };
}

function createLog(replay: Replay, gameSessionHash: Hex) {
  const signature = "ScoreSnapshot(address,bytes32,bytes32,uint256,uint256)";
  const score = BigInt(replay.finalScore);
  return {
    address: replay.rewards,
    topics: [
      keccak256(stringToHex(signature)),
      pad(replay.wallet).toLowerCase(),
      toGameId(replay.slug),
      gameSessionHash,
    ],
    data: concat([
      encodeAbiParameters([{ type: "uint256" }], [score]),
      encodeAbiParameters([{ type: "uint256" }], [score]),
    ]),
  };
}

/** The document with the vector of the current rules. */
export function renderReplaysDocument(): string {
  const replay = playVector();
  const replayDigest = computeReplayDigest(replay);
  const gameSessionHash = computeGameSessionHash({ ...replay, replayDigest, sequence: BigInt(replay.sequence) });
  const signed = hashTypedData(createTranscript(replay) as unknown as Parameters<typeof hashTypedData>[0]);
  const transcriptSignature = sign(signed, getExampleSigner().privateKey);
  const events = { chainId: replay.chainId, logs: [createLog(replay, gameSessionHash)] };
  const rows = Object.entries({ replayDigest, gameSessionHash, "digest that the wallet signs": signed });
  return replaceBlock(readFileSync(join(root, "docs/replays.md"), "utf8"), "test vector", [
    ...["```json", canonicalJson({ ...replay, transcriptSignature }), "```", ""],
    ...["```json", JSON.stringify(events, null, 2), "```", ""],
    renderTable(
      ["value", ""],
      rows.map(([name, value]) => [name, `\`${value}\``]),
    ),
  ]);
}
