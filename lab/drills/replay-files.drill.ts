/** L1-files: `npm run verify` derives scores on a real chain from files only, and locates every changed bit. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type Hex, sha256, type TypedDataDefinition } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import { createTranscript } from "../../domain/replay/transcript.ts";
import { games } from "../../games/index.ts";
import { type ChainFixture, startChainFixture } from "../../test/adapters/chain/chain-fixture.ts";
import { type RecordedSession, recordSession } from "../../test/games/recorded-session.ts";
import { submitScores, withWrongScore } from "../../test/helpers/chain-scores.ts";
import { findFields, isNamed } from "../../test/helpers/replay-fields.ts";
import { createRandom, IS_SELF_TEST, printFigures, SEED, scaleCount } from "./support/drill.ts";

const SESSIONS = scaleCount(1000);
const FOLDERS = 5;
const SESSIONS_OF_A_WALLET = 20;
/** The fields that decide whose score it is. In the first two folders only these are changed. */
const IDENTIFYING_FIELDS = ["wallet", "sessionId", "chainId", "rewards", "sequence"];
const random = createRandom(SEED);
const pick = (count: number): number => Math.floor(random() * count);

interface Verified {
  readonly code: number;
  readonly ms: number;
  readonly counts: { readonly [verdict: string]: number };
  readonly scores: readonly {
    readonly event: { readonly gameSessionHash: Hex };
    readonly verdict: string;
    readonly differences: readonly { readonly field: string }[];
  }[];
}

/** `account`: the wallet that signs its replay; null if it does not. */
type PlayedSession = RecordedSession & { readonly account: PrivateKeyAccount | null };

interface ReplayFile {
  readonly replay: Replay;
  readonly gameSessionHash: Hex;
  readonly text: string;
  readonly name: string;
}

describe("L1-files: scores verified from the chain and files only", function () {
  this.timeout(1_200_000);
  let chain: ChainFixture;
  let folder: string;
  let files: readonly ReplayFile[];
  before(async () => {
    chain = await startChainFixture();
    folder = await mkdtemp(join(tmpdir(), "arcade-files-"));
    const sessions = recordSessions(chain);
    // The injected fault: the service signs one point more than the run scored.
    const signed = IS_SELF_TEST ? sessions.with(0, withWrongScore(sessions[0]!)) : sessions;
    await submitScores(chain, signed);
    files = await Promise.all(sessions.map(toFile));
  });
  after(async () => {
    await chain.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function writeFolder(name: string, toBytes: (file: ReplayFile, at: number) => Uint8Array): Promise<string> {
    const path = join(folder, name);
    await mkdir(path);
    await Promise.all(files.map((file, at) => writeFile(join(path, `${file.name}.json`), toBytes(file, at))));
    const index = Object.fromEntries(files.map(({ gameSessionHash, name }) => [gameSessionHash, name]));
    await writeFile(join(path, "index.json"), canonicalJson(index));
    return path;
  }

  async function verify(replays: string): Promise<Verified> {
    const script = fileURLToPath(new URL("../../scripts/run.mjs", import.meta.url));
    const flags = ["--rpc", chain.rpcUrl, "--rewards", chain.deployment.rewards, "--replays", replays, "--json"];
    const startedMs = performance.now();
    const child = spawn(process.execPath, [script, "verify", ...flags], { stdio: ["ignore", "pipe", "ignore"] });
    const [result, [code]] = await Promise.all([json(child.stdout), once(child, "close")]);
    return { ...(result as Verified), code, ms: Math.round(performance.now() - startedMs) };
  }

  it("recomputes every score, and reports which ones their wallets signed", async () => {
    const { code, ms, counts, scores } = await verify(await writeFolder("whole", ({ text }) => Buffer.from(text)));
    const attested = files.filter(({ replay }) => replay.transcriptSignature !== undefined).length;
    const ticks = files.reduce((sum, { replay }) => sum + replay.ticks, 0);
    printFigures({ sessions: scores.length, ticks, ms, "ms per session": (ms / scores.length).toFixed(1) });
    expect(counts).to.deep.equal({
      REPRODUCED: SESSIONS - attested,
      SIGNED_BY_PLAYER: attested,
      DIVERGED: 0,
      CANNOT_RECOMPUTE: 0,
    });
    expect(code).to.equal(0);
  });

  it("finds a changed bit in every file, and reports the part that changed", async () => {
    const changedIn: { [field: string]: number } = {};
    let found = 0;
    let ms = 0;
    const wrong: string[] = [];
    for (let round = 0; round < FOLDERS; round += 1) {
      const changes = files.map((file) => changeOneBit(file, round < 2));
      const result = await verify(await writeFolder(`changed-${round}`, (_, at) => changes[at]!.bytes));
      ms += result.ms;
      expect(result.code).to.equal(5);
      const scores = new Map(result.scores.map((score) => [score.event.gameSessionHash, score]));
      files.forEach(({ gameSessionHash, text }, at) => {
        const { field, byte, bytes } = changes[at]!;
        const change = { original: Buffer.from(text), changed: bytes };
        const { verdict, differences } = scores.get(gameSessionHash)!;
        const named = differences.map((difference) => difference.field);
        changedIn[field ?? "between"] = (changedIn[field ?? "between"] ?? 0) + 1;
        if (verdict === "DIVERGED" && isNamed(field, named, change)) found += 1;
        else wrong.push(`${verdict} at byte ${byte} in ${field}: ${named.join()}`);
      });
    }
    printFigures({ files: files.length * FOLDERS, found, ms, "changed in": JSON.stringify(changedIn) });
    expect(wrong).to.deep.equal([]);
    expect(IDENTIFYING_FIELDS.every((field) => changedIn[field]! > 0)).to.equal(true);
  });
});

/** Runs of short bots, many for each wallet. Every second wallet signs its replays. */
function recordSessions({ deployment }: ChainFixture): readonly PlayedSession[] {
  const chainFacts = { chainId: deployment.chainId, rewards: deployment.rewards };
  const sessions: PlayedSession[] = [];
  let account = privateKeyToAccount(generatePrivateKey());
  for (let number = 1; sessions.length < SESSIONS; number += 1) {
    const game = games[number % games.length]!;
    const bot = random() < 0.5 ? game.bots.random(number) : game.bots.quick!(random() * 60_000);
    const sequence = (sessions.length % SESSIONS_OF_A_WALLET) + 1;
    if (sequence === 1) account = privateKeyToAccount(generatePrivateKey());
    const entropy = sha256(`0x${number.toString(16).padStart(8, "0")}`);
    const plan = { game, bot, entropy, seedNumber: SEED * 10_000 + number, chain: chainFacts };
    const session = recordSession({ ...plan, wallet: account.address, sequence });
    // The contract does not accept a score of 0.
    if (session.replay.finalScore === 0) continue;
    const isSigned = Math.floor(sessions.length / SESSIONS_OF_A_WALLET) % 2 === 1;
    sessions.push({ ...session, account: isSigned ? account : null });
  }
  return sessions;
}

async function toFile({ replay: unsigned, claims, account }: PlayedSession): Promise<ReplayFile> {
  const transcript = createTranscript(unsigned) as unknown as TypedDataDefinition;
  const replay: Replay =
    account === null ? unsigned : { ...unsigned, transcriptSignature: await account.signTypedData(transcript) };
  const text = canonicalJson(replay);
  const name = sha256(Buffer.from(text)).slice(2);
  return { replay, gameSessionHash: claims.gameSessionHash, text, name };
}

/** Flips one bit anywhere in the file, or in one of the identifying fields. */
function changeOneBit({ replay, text }: ReplayFile, isIdentifying: boolean) {
  const fields = findFields(replay, text);
  const bytes = Buffer.from(text);
  let byte = pick(bytes.length);
  if (isIdentifying) {
    const name = IDENTIFYING_FIELDS[pick(IDENTIFYING_FIELDS.length)]!;
    const { from, to } = fields.find((field) => field.name === name)!;
    byte = from + pick(to - from);
  }
  bytes[byte]! ^= 1 << pick(8);
  const field = fields.find(({ from, to }) => from <= byte && byte < to)?.name ?? null;
  return { bytes, byte, field };
}
