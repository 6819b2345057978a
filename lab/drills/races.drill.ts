/**
 * Races on one backend, with a second one as standby on the same SQLite file. What may never happen: two winners, two
 * signed facts of one session, two payments, a request that the standby carries out.
 * `DRILL_SELF_TEST=1` drops the index that limits a wallet to one open session; the drill has to fail then.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect } from "chai";
import { createPublicClient, http, parseAbi, parseAbiItem } from "viem";
import { hardhat } from "viem/chains";
import { registerAgent, snapshotScore } from "../../client/index.ts";
import { type ApiResponse, sendRequest } from "../../test/helpers/suite.ts";
import { createTestAccount } from "../../test/http/support/sign-in.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { fund, makeDrillAgent } from "./support/agent.ts";
import { IS_SELF_TEST, PATIENT_WITH_CHAIN, printFigures } from "./support/drill.ts";
import { type ArcadeProcess, type BackendProcess, startBackend, startProcess } from "./support/process.ts";

const PAYERS = 8;
const SLUG = "shellrunners";
const CANDIDATE = "demo-tidepool";
const TOKEN = 10n ** 18n;
const COOLDOWN_SECONDS = 6;
const PAYOUT = parseAbiItem(
  "event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount, uint256 scorebank)",
);
const ABI = parseAbi(["function balanceOf(address wallet) view returns (uint256)"]);

/** How many responses had each code; `ok` for successes. */
function countByCode(responses: readonly ApiResponse[]): { readonly [code: string]: number } {
  const counts: { [code: string]: number } = {};
  for (const { body } of responses) counts[body.code ?? "ok"] = (counts[body.code ?? "ok"] ?? 0) + 1;
  return counts;
}
const getSuccesses = (responses: readonly ApiResponse[]) =>
  responses.filter(({ status }) => status < 300).map(({ body }) => body);
const countDistinct = (values: readonly unknown[]): number =>
  new Set(values.map((value) => JSON.stringify(value))).size;

/** The bugs that a backend has logged. */
const getLoggedBugs = (running: Pick<BackendProcess, "output">): string =>
  running
    .output()
    .split("\n")
    .filter((line) => line.includes("a request failed with an unexpected error"))
    .join("\n");

describe("races beside a standby", function () {
  this.timeout(120_000);
  let dataDir: string;
  let first: ArcadeProcess;
  let standby: BackendProcess;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-races-"));
    first = await startProcess({ dataDir, env: PATIENT_WITH_CHAIN });
    // Clients know both by one address, as behind a balancer: sign-in messages contain it.
    const env = { ...PATIENT_WITH_CHAIN, ARCADE_PUBLIC_URL: first.ready.httpUrl };
    standby = await startBackend({ dataDir, env, rpcUrl: first.ready.rpcUrl, until: "standby" });
    if (IS_SELF_TEST) new Database(join(dataDir, "arcade.db")).exec("drop index one_open_agent_session").close();
  });
  after(async () => {
    for (const running of [standby, first]) {
      running?.kill("SIGKILL");
      await running?.exited;
    }
    await rm(dataDir, { recursive: true, force: true });
  });

  const post = (baseUrl: string, path: string, body: object, token?: string): Promise<ApiResponse> =>
    sendRequest(baseUrl, "POST", path, { body, ...(token === undefined ? {} : { token }) });

  /** The same request `count` times at once; every answer a success or a typed failure. */
  async function race(count: number, path: string, body: (index: number) => object, token?: string) {
    const responses = await Promise.all(
      Array.from({ length: count }, (_, index) => post(first.ready.httpUrl, path, body(index), token)),
    );
    printFigures({ [path]: `${count} at once`, answers: JSON.stringify(countByCode(responses)) });
    return responses;
  }

  async function createAgent() {
    const agent = makeDrillAgent();
    await fund(first.ready, agent.address);
    const client = agent.connect(first.ready);
    await registerAgent({ client, agentName: "Racer" });
    return { address: agent.address, client, token: (await client.signIn.accessToken())! };
  }

  const storeSession = (wallet: `0x${string}`) => {
    const { chainId, contracts } = first.ready;
    const context = { dataDir, deployment: { chainId, rewards: contracts.rewards } };
    return addEndedSession(context, { wallet, minScore: 10 });
  };
  const callChain = (method: string, params: readonly unknown[]) =>
    post(first.ready.rpcUrl, "", { jsonrpc: "2.0", id: 1, method, params });

  it("100 verifications of one nonce give one sign-in", async () => {
    const account = createTestAccount(50);
    const nonce = await post(first.ready.httpUrl, `/api/games/${SLUG}/auth/nonce`, { walletAddress: account.address });
    const { message } = nonce.body;
    const signature = await account.signMessage({ message });
    const responses = await race(100, `/api/games/${SLUG}/auth/verify`, () => ({ message, signature }));
    expect(countByCode(responses)).to.deep.equal({ ok: 1, NONCE_USED: 99 });
  });

  it("50 refreshes of one token give one successor", async () => {
    const { client } = await createAgent();
    const { refreshToken } = client.signIn.credentials()!;
    const responses = await race(50, `/api/games/${SLUG}/auth/refresh`, () => ({ refreshToken }));
    expect(countByCode(responses)).to.deep.equal({ ok: 50 });
    expect(countDistinct(responses.map(({ body }) => body))).to.equal(1);
    const { refreshToken: next } = responses[0]!.body;
    const again = await post(first.ready.httpUrl, `/api/games/${SLUG}/auth/refresh`, { refreshToken: next });
    expect(again.status).to.equal(200);
  });

  it("50 starts open one session", async () => {
    const { token } = await createAgent();
    const responses = await race(50, `/api/games/${SLUG}/sessions/start`, () => ({ source: "agent_api" }), token);
    expect(countByCode(responses)).to.deep.equal({ ok: 1, SESSION_ACTIVE: 49 });
    expect(countDistinct(responses.map(({ body }) => body.sessionId))).to.equal(1);
  });

  it("50 snapshots of one session are signed with one hash and one score", async () => {
    const { address, client, token } = await createAgent();
    const row = await storeSession(address);
    const responses = await race(50, "/api/rewards/snapshot", () => ({ sessionId: row.sessionId }), token);
    expect(countByCode(responses)).to.deep.equal({ ok: 50 });
    expect(countDistinct(responses.map(({ body }) => [body.gameSessionHash, body.scoreDelta]))).to.equal(1);
    expect(responses[0]!.body).to.include({ gameSessionHash: row.gameSessionHash, scoreDelta: row.score });
    await snapshotScore({ client, sessionId: row.sessionId });
    expect(await client.rewards.scorebank({})).to.include({ score: row.score, snapshots: 1 });
  });

  it("50 payouts pay once", async () => {
    const { address, client, token } = await createAgent();
    const row = await storeSession(address);
    await snapshotScore({ client, sessionId: row.sessionId });
    await callChain("evm_increaseTime", [COOLDOWN_SECONDS]);
    await callChain("evm_mine", []);
    const responses = await race(50, "/api/rewards/payout", () => ({}), token);
    const { ok = 0, PAYOUT_NOT_READY = 0, ...others } = countByCode(responses);
    expect(others).to.deep.equal({});
    expect(ok).to.be.at.least(1);
    expect(ok + PAYOUT_NOT_READY).to.equal(50);
    expect(countDistinct(getSuccesses(responses).map(({ payoutId }) => payoutId))).to.equal(1);
    const chain = createPublicClient({ chain: hardhat, transport: http(first.ready.rpcUrl), cacheTime: 0 });
    const { rewards, token: erc20 } = first.ready.contracts;
    const paid = await chain.getLogs({ address: rewards, event: PAYOUT, args: { wallet: address }, fromBlock: 0n });
    expect(paid).to.have.length(1);
    const balance = { address: erc20, abi: ABI, functionName: "balanceOf", args: [address] } as const;
    expect(await chain.readContract(balance)).to.equal(BigInt(row.score) * TOKEN);
    expect((await client.rewards.payoutHistory({})).total).to.equal(1);
  });

  it("payouts of different wallets at the same time are all paid", async () => {
    const racers: Awaited<ReturnType<typeof createAgent>>[] = [];
    for (let count = 0; count < PAYERS; count += 1) {
      const racer = await createAgent();
      const { address, client } = racer;
      racers.push(racer);
      const { sessionId } = await storeSession(address);
      await snapshotScore({ client, sessionId });
    }
    await callChain("evm_increaseTime", [COOLDOWN_SECONDS]);
    await callChain("evm_mine", []);
    const responses = await Promise.all(
      racers.map(({ token }) => post(first.ready.httpUrl, "/api/rewards/payout", {}, token)),
    );
    expect(countByCode(responses), getLoggedBugs(first)).to.deep.equal({ ok: racers.length });
    expect(countDistinct(responses.map(({ body }) => body.txHash))).to.equal(racers.length);
    for (const { client } of racers) expect((await client.rewards.payoutHistory({})).total).to.equal(1);
  });

  it("100 votes of one wallet count once", async () => {
    const account = createTestAccount(51);
    const ballot = { walletAddress: account.address, gameSlug: CANDIDATE, voteSource: "human" };
    const signed = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const { nonce, typedData } = (await post(first.ready.httpUrl, "/api/voting/nonce", ballot)).body;
        return { ...ballot, nonce, signature: await account.signTypedData(typedData) };
      }),
    );
    const responses = await race(100, "/api/voting/vote", (index) => signed[index]!);
    expect(countByCode(responses)).to.deep.equal({ ok: 1, ALREADY_VOTED: 99 });
  });

  it("the standby has done no work", async () => {
    const readiness = await sendRequest(standby.httpUrl, "GET", "/readyz");
    expect(readiness.status).to.equal(503);
    expect(readiness.body.checks[0]).to.include({ name: "lease", ok: false });
    const rejected = await post(standby.httpUrl, `/api/games/${SLUG}/sessions/start`, { source: "browser_ws" });
    expect(rejected.body).to.include({ code: "STORAGE_BUSY" });
    expect(getLoggedBugs(standby)).to.equal("");
  });
});
