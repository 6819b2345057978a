import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { type Hex, sha256, type TypedDataDefinition } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import { createTranscript } from "../../domain/replay/transcript.ts";
import { TICK_RATES } from "../../games/fixed.ts";
import { games } from "../../games/index.ts";
import { readBlock } from "../../scripts/dev/docs/document-block.ts";
import { root } from "../../scripts/start/build.ts";
import { type ChainFixture, startChainFixture } from "../adapters/chain/chain-fixture.ts";
import { type RecordedSession, recordSession } from "../games/recorded-session.ts";
import { submitScores } from "../helpers/chain-scores.ts";
import { requirePython } from "../helpers/python.ts";

const SESSIONS = 200;
const CHANGED_BITS = 5000;
const SESSIONS_OF_A_WALLET = 20;

interface Line {
  readonly file?: string;
  readonly verdict: string;
  readonly reason: string;
}

/** New sessions of both games at every tick rate. Every second wallet signs its replays. */
async function recordSessions(
  chain: { readonly chainId: number; readonly rewards: Hex },
  firstSeed: number,
): Promise<readonly RecordedSession[]> {
  const sessions: RecordedSession[] = [];
  let account = privateKeyToAccount(generatePrivateKey());
  for (let n = 0; sessions.length < SESSIONS; n += 1) {
    const game = games[n % games.length]!;
    const sequence = (sessions.length % SESSIONS_OF_A_WALLET) + 1;
    if (sequence === 1) account = privateKeyToAccount(generatePrivateKey());
    const session = recordSession({
      game,
      tickHz: TICK_RATES[n % TICK_RATES.length]!,
      seedNumber: firstSeed + n,
      bot: n % 3 === 0 ? game.bots.random(n) : game.bots.quick!(4_000 + 100 * n),
      ...(n % 5 === 0 ? { pauseAt: [30, 60] } : {}),
      ...(n % 4 === 0 ? { exitAt: 200 + n } : {}),
      ...(n % 7 === 0 ? {} : { entropy: sha256(`0x${n.toString(16).padStart(8, "0")}`) }),
      wallet: account.address,
      sequence,
      chain,
    });
    // The contract does not accept a score of 0.
    if (session.replay.finalScore === 0) continue;
    const isSigned = Math.floor(sessions.length / SESSIONS_OF_A_WALLET) % 2 === 1;
    const transcript = createTranscript(session.replay) as unknown as TypedDataDefinition;
    const signature = isSigned ? { transcriptSignature: await account.signTypedData(transcript) } : {};
    sessions.push({ ...session, replay: { ...session.replay, ...signature } });
  }
  return sessions;
}

describe("the verifier in Python, written from the documents", function () {
  this.timeout(900_000);
  const python = requirePython();
  const firstSeed = randomInt(2 ** 40);
  let chain: ChainFixture;
  let folder: string;
  let sessions: readonly RecordedSession[];
  before(async () => {
    chain = await startChainFixture();
    folder = await mkdtemp(join(tmpdir(), "arcade-verifier-"));
    sessions = await recordSessions(chain.deployment, firstSeed);
    await submitScores(chain, sessions);
  });
  after(async () => {
    await chain?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function writeReplays(name: string, files: readonly (string | Uint8Array)[]): Promise<string> {
    const path = join(folder, name);
    await mkdir(path);
    await Promise.all(files.map((file, n) => writeFile(join(path, `${n}.json`), file)));
    return path;
  }
  async function verify(source: readonly string[], replays: string, rewards: string = chain.deployment.rewards) {
    const args = [join(root, "examples/verifier/verify.py"), "--rewards", rewards, ...source, "--replays", replays];
    // The node of the test is on this machine, where no proxy is needed.
    const env = { ...process.env, http_proxy: "http://127.0.0.1:1", no_proxy: "" };
    const child = spawn(python, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
    const lines: readonly Line[] = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const count = (name: string): number => lines.filter(({ verdict }) => verdict === name).length;
    return { code, lines, count };
  }
  const readEvents = async (): Promise<string> => {
    const { chainId, rewards } = chain.deployment;
    const query = { address: rewards, fromBlock: "0x0", toBlock: "latest" };
    const logs = await chain.client.request({ method: "eth_getLogs", params: [query] } as never);
    await writeFile(join(folder, "events"), JSON.stringify({ chainId, logs }));
    return join(folder, "events");
  };
  const toText = ({ replay }: RecordedSession): string => canonicalJson(replay);

  it(`derives ${SESSIONS} new scores on chain, and reports one without a replay`, async () => {
    const node = ["--rpc", chain.rpcUrl];
    const whole = await verify(node, await writeReplays("whole", sessions.map(toText)));
    const odd = whole.lines.filter(({ verdict }) => !["REPRODUCED", "SIGNED_BY_PLAYER"].includes(verdict));
    expect(odd, `seeds from ${firstSeed}`).to.deep.equal([]);
    expect([whole.count("REPRODUCED"), whole.count("SIGNED_BY_PLAYER")]).to.deep.equal([SESSIONS / 2, SESSIONS / 2]);
    expect(whole.code).to.equal(0);
    const fewer = await verify(node, await writeReplays("fewer", sessions.slice(1, 3).map(toText)));
    expect([fewer.count("CANNOT_RECOMPUTE"), fewer.code]).to.deep.equal([SESSIONS - 2, 1]);
  });

  it(`detects each of ${CHANGED_BITS} changed bits`, async () => {
    const events = await readEvents();
    const changes = Array.from({ length: CHANGED_BITS }, (_, n) => {
      const bytes = Buffer.from(toText(sessions[n % SESSIONS]!));
      const [at, bit] = [randomInt(bytes.length), randomInt(8)];
      bytes[at]! ^= 1 << bit;
      return { bytes, where: `bit ${bit} of ${bytes.toString("latin1").slice(Math.max(0, at - 20), at + 5)}` };
    });
    const path = await writeReplays(
      "changed",
      changes.map(({ bytes }) => bytes),
    );
    const { lines } = await verify(["--events", events], path);
    const files = lines.filter(({ file }) => file !== undefined);
    expect(files).to.have.length(CHANGED_BITS);
    const unnoticed = files.filter(({ verdict }) => verdict !== "DIVERGED");
    expect(unnoticed.map(({ file }) => changes[Number.parseInt(file!, 10)]!.where)).to.deep.equal([]);
  });

  it("detects a signature of another run", async () => {
    const events = await readEvents();
    const signed = sessions.filter(({ replay }) => replay.transcriptSignature !== undefined);
    const { transcriptSignature } = signed[1]!.replay;
    const foreign = { ...signed[0]!.replay, transcriptSignature } as Replay;
    const path = await writeReplays("foreign", [canonicalJson(foreign)]);
    const { lines } = await verify(["--events", events], path);
    expect(lines[0]).to.include({ verdict: "DIVERGED", reason: "transcriptSignature: not by the wallet" });
  });

  it("agrees with the test vector of docs/replays.md", async () => {
    const document = await readFile(join(root, "docs/replays.md"), "utf8");
    const [replay, events] = [...readBlock(document, "test vector").matchAll(/```json\n([\s\S]*?)\n```/g)].map(
      ([, json]) => json!,
    );
    const path = await writeReplays("vector", [replay!]);
    await writeFile(join(folder, "vector-events"), events!);
    const { rewards } = JSON.parse(replay!) as Replay;
    const { lines, code } = await verify(["--events", join(folder, "vector-events")], path, rewards);
    expect(lines.map(({ verdict }) => verdict)).to.deep.equal(["SIGNED_BY_PLAYER"]);
    expect(code).to.equal(0);
  });
});
