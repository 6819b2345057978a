/**
 * B2: an agent's transaction vanishes from the node, is never sent, or lands after its deadline. What must hold: the
 * service reports its true status, signs the same score again with the same hash, and the score counts once.
 */
import { expect } from "chai";
import { createWalletClient, type Hex, http } from "viem";
import { waitFor } from "../../test/adapters/chain/chain-fixture.ts";
import { createAnvilAgent } from "../../test/helpers/anvil-agent.ts";
import { type AnvilChain, startAnvilChain } from "../../test/helpers/anvil-stack.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { startAnvilServer } from "./support/anvil-server.ts";
import { createRandom, printFigures, SEED, scaleCount } from "./support/drill.ts";
import type { BackendProcess } from "./support/process.ts";

const LOSSES = scaleCount(60);
const SLUG = "shellrunners";
const KINDS = ["vanished", "never sent", "after its deadline"] as const;
/** Enough for a snapshot. Set explicitly, since a reverting call cannot be estimated. */
const GAS = 1_000_000n;

type Agent = Awaited<ReturnType<typeof createAnvilAgent>>;

interface Prepared {
  readonly call: { readonly to: Hex; readonly data: Hex };
  readonly deadline: string;
  readonly gameSessionHash: Hex;
  readonly scoreDelta: number;
}

const random = createRandom(SEED);

describe("B2: lost transactions", function () {
  this.timeout(600_000);
  let chain: AnvilChain;
  let server: BackendProcess;
  let agent: Agent;

  before(async () => {
    chain = await startAnvilChain();
    server = await startAnvilServer(chain, { fault: "signed-is-done" });
    agent = await createAnvilAgent(chain, server.httpUrl);
  });
  after(async () => {
    server?.kill("SIGKILL");
    await server?.exited;
    await chain?.close();
  });

  async function prepare(sessionId: string): Promise<Prepared> {
    const { status, body } = await agent.post("/api/rewards/snapshot", { sessionId });
    expect({ status, mode: body.mode, code: body.code }).to.deep.equal({ status: 200, mode: "sign", code: undefined });
    return body;
  }
  async function send({ call: { to, data } }: Prepared): Promise<Hex> {
    const { chain: viemChain } = chain.client;
    const wallet = createWalletClient({ account: agent.account, chain: viemChain, transport: http(chain.rpcUrl) });
    return await wallet.sendTransaction({ to, data, gas: GAS });
  }
  const readState = async (sessionId: string) =>
    (await agent.client.sessions.get({ slug: SLUG, sessionId })).session.snapshot.state;
  const readBank = async () => (await agent.client.rewards.scorebank({})).score;
  const confirm = async (sessionId: string, txHash: Hex) =>
    (await agent.post("/api/rewards/snapshot", { sessionId, txHash })).body.code;

  /** Loses the transaction. Returns what the service reports about it; null if nothing. */
  const LOSE: { readonly [kind in (typeof KINDS)[number]]: (sessionId: string, sent: Prepared) => Promise<unknown> } = {
    "never sent": async () => null,
    vanished: async (sessionId, prepared) => {
      await chain.client.setAutomine(false);
      try {
        const txHash = await send(prepared);
        await chain.client.dropTransaction({ hash: txHash });
        await chain.client.mine({ blocks: 1 });
        return await confirm(sessionId, txHash);
      } finally {
        await chain.client.setAutomine(true);
      }
    },
    "after its deadline": async (sessionId, prepared) => {
      const { timestamp } = await chain.client.getBlock();
      await chain.client.increaseTime({ seconds: Number(BigInt(prepared.deadline) - timestamp) + 1 });
      await chain.client.mine({ blocks: 1 });
      const txHash = await send(prepared);
      expect((await chain.client.waitForTransactionReceipt({ hash: txHash })).status).to.equal("reverted");
      return await confirm(sessionId, txHash);
    },
  };
  const SAID = { "never sent": null, vanished: "TX_NOT_FOUND", "after its deadline": "TX_FAILED" } as const;

  it("each is signed again with the same hash and counts once", async () => {
    const counts: { [kind: string]: number } = {};
    let bank = await readBank();
    for (let count = 0; count < LOSSES; count += 1) {
      // Each kind once, then kinds in an order that the seed decides.
      const kind = count < KINDS.length ? KINDS[count]! : KINDS[Math.floor(random() * KINDS.length)]!;
      const { sessionId } = await addEndedSession(chain, { wallet: agent.address, slug: SLUG });
      const first = await prepare(sessionId);
      expect(await LOSE[kind](sessionId, first), kind).to.equal(SAID[kind]);
      expect(await readState(sessionId), kind).to.equal("prepared");
      expect(await readBank(), `${kind}: a score that is not on chain counts`).to.equal(bank);

      const again = await prepare(sessionId);
      const { gameSessionHash, scoreDelta } = first;
      expect(again, kind).to.include({ gameSessionHash, scoreDelta });
      if (kind === "after its deadline") expect(BigInt(again.deadline) > BigInt(first.deadline)).to.equal(true);
      const txHash = await send(again);
      expect((await chain.client.waitForTransactionReceipt({ hash: txHash })).status, kind).to.equal("success");
      bank += scoreDelta;
      await waitFor(async () => (await readState(sessionId)) !== "prepared");
      // The first signature has no effect any more.
      const replayed = await chain.client.waitForTransactionReceipt({ hash: await send(first) });
      expect(replayed.status, `${kind}: counted twice`).to.equal("reverted");
      await waitFor(async () => (await readBank()) === bank);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    printFigures({ losses: LOSSES, ...counts, "score on chain": bank });
  });
});
