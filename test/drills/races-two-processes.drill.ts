/**
 * The races over two backends on one SQLite file and one chain: half of each race's requests go to either. What may
 * never happen: two winners, two signed facts of one session, two payments.
 * Spectator seats are not among them: they belong to the process that runs the session.
 * `DRILL_PLANTED=1` drops the index by which the store knows one open session a wallet, which has to turn it red.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { createPublicClient, http, parseAbi, parseAbiItem } from "viem";
import { hardhat } from "viem/chains";
import { registerAgent, snapshotScore } from "../../client/index.ts";
import { type Answer, sendRequest } from "../helpers/suite.ts";
import { plantSession } from "../http/support/plant-session.ts";
import { accountOf } from "../http/support/sign-in.ts";
import { fund, makeDrillAgent } from "./support/agent.ts";
import { type ArcadeProcess, type BackendProcess, freePort, startBackend, startProcess } from "./support/process.ts";

const IS_PLANTED = process.env.DRILL_PLANTED === "1";
const PAYERS = 8;
const SLUG = "shellrunners";
const CANDIDATE = "demo-tidepool";
const TOKEN = 10n ** 18n;
const COOLDOWN_SECONDS = 6;
const PAYOUT = parseAbiItem("event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount)");
const ABI = parseAbi(["function balanceOf(address wallet) view returns (uint256)"]);

/** How many answers had each code; `ok` for successes. */
function tally(answers: readonly Answer[]): { readonly [code: string]: number } {
  const counts: { [code: string]: number } = {};
  for (const { body } of answers) counts[body.code ?? "ok"] = (counts[body.code ?? "ok"] ?? 0) + 1;
  return counts;
}
const successes = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300).map(({ body }) => body);
const distinct = (values: readonly unknown[]): number => new Set(values.map((value) => JSON.stringify(value))).size;

/** What a backend's log says of bugs. */
const bugsOf = (running: Pick<BackendProcess, "words">): string =>
  running
    .words()
    .split("\n")
    .filter((line) => line.includes("a request met a bug"))
    .join("\n");

describe("races over two backends", function () {
  this.timeout(120_000);
  let dataDir: string;
  let first: ArcadeProcess;
  let second: BackendProcess;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-races-"));
    const port = await freePort();
    // Clients know both by one address, as behind a balancer: sign-in messages name it.
    const env = { ARCADE_PUBLIC_URL: `http://127.0.0.1:${port}` };
    first = await startProcess({ dataDir, env: { ...env, ARCADE_PORT: String(port) } });
    second = await startBackend({ dataDir, env, rpcUrl: first.ready.rpcUrl });
    if (IS_PLANTED) new Database(join(dataDir, "arcade.db")).exec("drop index one_open_agent_session").close();
  });
  after(async () => {
    for (const running of [second, first]) {
      running?.kill("SIGKILL");
      await running?.exited;
    }
    await rm(dataDir, { recursive: true, force: true });
  });

  const post = (baseUrl: string, path: string, body: object, token?: string): Promise<Answer> =>
    sendRequest(baseUrl, "POST", path, { body, ...(token === undefined ? {} : { token }) });

  /** The same request `count` times at once, by turns to either backend; every answer a success or a typed failure. */
  async function race(count: number, path: string, body: (index: number) => object, token?: string) {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        post(index % 2 === 0 ? first.ready.httpUrl : second.httpUrl, path, body(index), token),
      ),
    );
    console.log(`      ${count} at ${path}: ${JSON.stringify(tally(answers))}`);
    return answers;
  }

  async function makeAgent() {
    const agent = makeDrillAgent();
    await fund(first.ready, agent.address);
    const client = agent.at(first.ready);
    await registerAgent({ client, agentName: "Racer" });
    return { address: agent.address, client, token: (await client.signIn.accessToken())! };
  }

  const plant = (wallet: `0x${string}`) => {
    const { chainId, contracts } = first.ready;
    const place = { dataDir, deployment: { chainId, rewards: contracts.rewards } };
    return plantSession(place, { wallet, minScore: 10 });
  };
  const tell = (method: string, params: readonly unknown[]) =>
    post(first.ready.rpcUrl, "", { jsonrpc: "2.0", id: 1, method, params });

  it("100 verifies on one nonce open one sign-in", async () => {
    const account = accountOf(50);
    const nonce = await post(second.httpUrl, `/api/games/${SLUG}/auth/nonce`, { walletAddress: account.address });
    const { message } = nonce.body;
    const signature = await account.signMessage({ message });
    const answers = await race(100, `/api/games/${SLUG}/auth/verify`, () => ({ message, signature }));
    expect(tally(answers)).to.deep.equal({ ok: 1, NONCE_USED: 99 });
  });

  it("50 refreshes of one token have one successor", async () => {
    const { client } = await makeAgent();
    const { refreshToken } = client.signIn.credentials()!;
    const answers = await race(50, `/api/games/${SLUG}/auth/refresh`, () => ({ refreshToken }));
    expect(tally(answers)).to.deep.equal({ ok: 50 });
    expect(distinct(answers.map(({ body: { requestId: _, ...tokens } }) => tokens))).to.equal(1);
    const { refreshToken: next } = answers[0]!.body;
    const again = await post(second.httpUrl, `/api/games/${SLUG}/auth/refresh`, { refreshToken: next });
    expect(again.status).to.equal(200);
  });

  it("50 starts open one session", async () => {
    const { token } = await makeAgent();
    const answers = await race(50, `/api/games/${SLUG}/sessions/start`, () => ({ source: "agent_api" }), token);
    expect(tally(answers)).to.deep.equal({ ok: 1, SESSION_ACTIVE: 49 });
    expect(distinct(answers.map(({ body }) => body.sessionId))).to.equal(1);
  });

  it("50 snapshots of one session are signed with one hash and one score", async () => {
    const { address, client, token } = await makeAgent();
    const row = await plant(address);
    const answers = await race(50, "/api/rewards/snapshot", () => ({ sessionId: row.sessionId }), token);
    expect(tally(answers)).to.deep.equal({ ok: 50 });
    expect(distinct(answers.map(({ body }) => [body.gameSessionHash, body.scoreDelta]))).to.equal(1);
    expect(answers[0]!.body).to.include({ gameSessionHash: row.gameSessionHash, scoreDelta: row.score });
    await snapshotScore({ client, sessionId: row.sessionId });
    expect(await client.rewards.scorebank({})).to.include({ score: row.score, snapshots: 1 });
  });

  it("50 payouts pay once", async () => {
    const { address, client, token } = await makeAgent();
    const row = await plant(address);
    await snapshotScore({ client, sessionId: row.sessionId });
    await tell("evm_increaseTime", [COOLDOWN_SECONDS]);
    await tell("evm_mine", []);
    const answers = await race(50, "/api/rewards/payout", () => ({}), token);
    const { ok = 0, PAYOUT_NOT_READY = 0, ...others } = tally(answers);
    expect(others).to.deep.equal({});
    expect(ok).to.be.at.least(1);
    expect(ok + PAYOUT_NOT_READY).to.equal(50);
    expect(distinct(successes(answers).map(({ payoutId }) => payoutId))).to.equal(1);
    const chain = createPublicClient({ chain: hardhat, transport: http(first.ready.rpcUrl), cacheTime: 0 });
    const { rewards, token: erc20 } = first.ready.contracts;
    const paid = await chain.getLogs({ address: rewards, event: PAYOUT, args: { wallet: address }, fromBlock: 0n });
    expect(paid).to.have.length(1);
    const balance = { address: erc20, abi: ABI, functionName: "balanceOf", args: [address] } as const;
    expect(await chain.readContract(balance)).to.equal(BigInt(row.score) * TOKEN);
    expect((await client.rewards.payoutHistory({})).total).to.equal(1);
  });

  it("payouts of different wallets at the same time are each paid, whichever backend sends them", async () => {
    const racers: Awaited<ReturnType<typeof makeAgent>>[] = [];
    for (let count = 0; count < PAYERS; count += 1) {
      const racer = await makeAgent();
      const { address, client } = racer;
      racers.push(racer);
      const { sessionId } = await plant(address);
      await snapshotScore({ client, sessionId });
    }
    await tell("evm_increaseTime", [COOLDOWN_SECONDS]);
    await tell("evm_mine", []);
    const answers = await Promise.all(
      racers.map(({ token }, index) =>
        post(index % 2 === 0 ? first.ready.httpUrl : second.httpUrl, "/api/rewards/payout", {}, token),
      ),
    );
    expect(tally(answers), bugsOf(first) + bugsOf(second)).to.deep.equal({ ok: racers.length });
    expect(distinct(answers.map(({ body }) => body.txHash))).to.equal(racers.length);
    for (const { client } of racers) expect((await client.rewards.payoutHistory({})).total).to.equal(1);
  });

  it("100 votes of one wallet are one", async () => {
    const account = accountOf(51);
    const ballot = { walletAddress: account.address, gameSlug: CANDIDATE, voteSource: "human" };
    const signed = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const baseUrl = index % 2 === 0 ? second.httpUrl : first.ready.httpUrl;
        const { nonce, typedData } = (await post(baseUrl, "/api/voting/nonce", ballot)).body;
        return { ...ballot, nonce, signature: await account.signTypedData(typedData) };
      }),
    );
    const answers = await race(100, "/api/voting/vote", (index) => signed[index]!);
    expect(tally(answers)).to.deep.equal({ ok: 1, ALREADY_VOTED: 99 });
  });
});
