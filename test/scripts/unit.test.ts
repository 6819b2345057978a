/** Data, chain and deployment are one unit: with another chain or other contracts than the store's, nothing happens. */
import { cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Hex } from "viem";
import { startApp } from "../../backend/app/app.ts";
import { checkChain, claimStore, type UnitCheck } from "../../backend/app/check-unit.ts";
import { readConfig, readSecrets } from "../../backend/config/config.ts";
import { getServiceKeys } from "../../backend/config/service-keys.ts";
import type { Deployment } from "../../backend/ports/chain.ts";
import { command as admin } from "../../scripts/admin.ts";
import { command as doctor } from "../../scripts/doctor.ts";
import { command as verify } from "../../scripts/verify.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createAgent } from "../../testing/player.ts";
import { silentLog } from "../adapters/chain/chain-fixture.ts";
import { callCommand } from "../helpers/commands.ts";
import { useShared } from "../helpers/fixture.ts";
import { startTestStack, type TestStack, useTestStack } from "../helpers/suite.ts";

const OTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

describe("two local chains with the same id and the same contracts", () => {
  // Both start with the same blocks, like copies of one folder.
  const own = useTestStack();
  const foreign = useTestStack();
  const player = useShared(() => createAgent(own));
  before(() => createAgent(foreign));

  const env = (rpcUrl = foreign.chain.rpcUrl) => ({ ARCADE_DATA_DIR: own.dataDir, ARCADE_RPC_URL: rpcUrl });
  const getBlock = ({ chain }: Pick<TestStack, "chain">) => chain.request("eth_blockNumber");
  async function addSignedSession(): Promise<string> {
    const { sessionId } = await addEndedSession(own, { wallet: player.address, minScore: 50 });
    const token = await player.getAccessToken();
    const { body } = await own.request("POST", "/api/rewards/snapshot", { token, body: { sessionId } });
    expect(body.mode, JSON.stringify(body)).to.equal("sign");
    return sessionId;
  }

  it("have the same contracts", () => expect(own.deployment).to.deep.equal(foreign.deployment));

  it("are distinguished by every command, and nothing changes", async () => {
    const sessionId = await addSignedSession();
    const before = await Promise.all([getBlock(foreign), getBlock(own)]);
    const local = ["--network", "local"];
    const commands = [
      [admin, "sessions", "withhold", sessionId, "--reason", "by hand"],
      [admin, "keys", "status"],
      [admin, "voting", "open", "--games", "reef-rally"],
      [admin, "chain", "pause", ...local, "--yes"],
      [doctor, ...local],
      [verify, "--rpc", foreign.chain.rpcUrl, "--rewards", own.deployment.rewards, "--replays", own.dataDir],
    ] as const;
    for (const [command, ...args] of commands) {
      const result = await callCommand(command, args, env());
      expect(result.err, args.join(" ")).to.match(/expected a node of the store's chain, whose block \d+ is 0x/);
      expect(result.code, args.join(" ")).to.equal(2);
    }
    expect(await Promise.all([getBlock(foreign), getBlock(own)])).to.deep.equal(before);
    const row = await withStore(own, ({ sessions }) => sessions.find(sessionId));
    expect([row!.verification, row!.forfeitedAtMs]).to.deep.equal(["verified", null]);
    const result = await callCommand(
      admin,
      ["sessions", "withhold", sessionId, "--reason", "by hand", "--json"],
      env(own.chain.rpcUrl),
    );
    expect(result.json, result.err).to.deep.nested.include({ outcome: "withheld", "signature.state": "cancelled" });
  });
});

describe("the blocks that a node must share with a store", () => {
  const CURSOR = 100;
  const FIRST = 10;
  const toBlock = (number: number, fork = "a") => ({ number, hash: `0x${fork}${number}` as Hex });
  const stored = {
    getCursor: async () => toBlock(CURSOR),
    getFirstBlock: async () => toBlock(FIRST),
    findLastBlock: async (upTo: number) => (upTo < FIRST ? null : toBlock(upTo)),
  };
  /** The error, or null. `heads`: the node's latest block at each request; the last one for all later requests. */
  async function check(
    kind: UnitCheck,
    chainId: number,
    heads: readonly number[],
    forkedAt = Number.POSITIVE_INFINITY,
  ) {
    let questions = 0;
    const readBlock = async (number: number | null) => {
      const head = heads[Math.min(questions, heads.length - 1)]!;
      if (number === null) questions += 1;
      if ((number ?? head) > head) throw new Error("the node has no such block");
      return toBlock(number ?? head, (number ?? head) < forkedAt ? "a" : "b");
    };
    const store = { chain: stored } as unknown as Parameters<typeof checkChain>[0];
    return checkChain(store, readBlock, { chainId, check: kind }).then(
      () => null,
      ({ message }: Error) => message,
    );
  }

  it("are all of them for a command, which waits for a node that is behind", async () => {
    for (const chainId of [31_337, 84_532]) expect(await check("command", chainId, [99, 99, CURSOR])).to.equal(null);
    expect(await check("command", 31_337, [99])).to.include("block 100 is 0xa100, received a chain with 99 blocks");
    expect(await check("command", 31_337, [CURSOR], CURSOR)).to.include("block 100 is 0xa100, received 0xb100");
  });

  it("are those that a reorganization cannot remove while a service is stopped, up to the node's head", async () => {
    for (const [kind, chainId, dropped] of [
      ["start", 31_337, 0],
      ["start", 84_532, 64],
      ["restore", 31_337, 64],
    ] as const) {
      const last = CURSOR - dropped;
      expect(await check(kind, chainId, [CURSOR], last + 1), kind).to.equal(null);
      expect(await check(kind, chainId, [CURSOR], last), kind).to.include(`block ${last} is`);
      expect(await check(kind, chainId, [FIRST]), kind).to.equal(null);
      expect(await check(kind, chainId, [FIRST - 1]), kind).to.include("a chain with 9 blocks");
    }
  });
});

describe("a store", () => {
  let stack: TestStack;
  let copy: string;
  beforeEach(async () => {
    stack = await startTestStack();
    await createAgent(stack);
    await stack.app.close();
    copy = await mkdtemp(join(tmpdir(), "arcade-unit-"));
    await cp(stack.dataDir, copy, { recursive: true });
  });
  afterEach(async () => {
    await stack.chain.close();
    for (const folder of [stack.dataDir, copy]) await rm(folder, { recursive: true, force: true });
  });

  const toEnv = () => ({ ARCADE_DATA_DIR: copy, ARCADE_PORT: "0", ARCADE_DEMO_AGENTS: "off" });
  const serve = (deployment: Deployment, rpcUrl = stack.chain.rpcUrl) =>
    startApp({
      config: readConfig(toEnv()),
      keys: getServiceKeys(readSecrets(toEnv())),
      ...{ rpcUrl, deployment, log: silentLog, webDir: null },
    });
  const runAdmin = (...args: readonly string[]) =>
    callCommand(admin, [...args, "--json"], { ...toEnv(), ARCADE_RPC_URL: stack.chain.rpcUrl });
  const getRefusal = (running: ReturnType<typeof serve>) =>
    running.then(
      async (app) => {
        await app.close();
        return "served";
      },
      ({ message }: Error) => message,
    );
  const readCopy = () =>
    withStore({ dataDir: copy }, async ({ chain }) => [await chain.getCursor(), await chain.listEventKeys(0, 1e6)]);

  it("is not served on another local chain with the same contracts, and keeps every row", async () => {
    const other = await startTestStack();
    try {
      const before = await readCopy();
      await createAgent(other);
      expect(await getRefusal(serve(stack.deployment, other.chain.rpcUrl))).to.include("a node of the store's chain");
      expect(await readCopy()).to.deep.equal(before);
    } finally {
      await other.close();
    }
    expect(await getRefusal(serve(stack.deployment))).to.equal("served");
  });

  it("is not used with a deployment on another chain id, or with another contract", async () => {
    for (const [change, expected] of [
      [{ chainId: 84_532 }, "chain 31337, received chain 84532"],
      [{ rewards: stack.deployment.token }, `received ${stack.deployment.token}`],
      [{ nft: { ...stack.deployment.nft, flappybots: stack.deployment.token } }, "nft.flappybots"],
    ] as const) {
      const deployment = { ...stack.deployment, ...change } as Deployment;
      expect(await getRefusal(serve(deployment))).to.include(expected);
      await writeFile(join(copy, "deployment.json"), JSON.stringify(deployment));
      for (const args of [
        ["audit", "list"],
        ["chain", "resync", "--from", "1"],
        ...("chainId" in change ? [] : [["chain", "pause", "--network", "local", "--yes"]]),
      ])
        expect((await runAdmin(...args)).err, args.join(" ")).to.include(expected);
    }
  });

  it("is moved to a new deployment, which starts empty, and the former one is kept", async () => {
    const before = await readCopy();
    const deployment = { ...stack.deployment, token: OTHER } as Deployment;
    await writeFile(join(copy, "deployment.json"), JSON.stringify(deployment));
    const plan = await runAdmin("store", "move", "--plan");
    expect(plan.json, plan.err).to.deep.include({ status: "planned", openSessions: 0, archive: null });
    expect(await readCopy()).to.deep.equal(before);
    const { json, err } = await runAdmin("store", "move", "--as", "ada");
    expect(json, err).to.include({ status: "moved" });
    expect(await readCopy()).to.deep.equal([null, []]);
    expect(await getRefusal(serve(stack.deployment))).to.include("token");
    expect(await getRefusal(serve(deployment))).to.equal("served");
    expect((await runAdmin("audit", "list", "--subject", "store")).json.audit[0]).to.deep.include({
      who: "ada",
      action: "store.move",
    });
    await rename(json.archive, join(copy, "arcade.db"));
    expect(await readCopy()).to.deep.equal(before);
    expect(await getRefusal(serve(stack.deployment))).to.equal("served");
  });

  it("belongs to one of two deployments that claim it at once, and accepts no game of another one", async () => {
    const other = { ...stack.deployment, token: OTHER } as Deployment;
    const grown = { ...stack.deployment.nft, lanternlanes: OTHER } as Deployment["nft"];
    await withStore({ dataDir: await mkdtemp(join(copy, "new-")) }, async (store) => {
      const claims = await Promise.allSettled([stack.deployment, other].map((key) => claimStore(store, key)));
      expect(claims.map(({ status }) => status)).to.have.members(["fulfilled", "rejected"]);
      const [owner, loser] = claims[0]!.status === "fulfilled" ? [stack.deployment, other] : [other, stack.deployment];
      await claimStore(store, { ...loser, nft: grown }).catch(() => {});
      expect(await store.deployment.find())
        .to.include({ token: owner.token })
        .and.deep.include({ nft: owner.nft });
    });
  });

  it("is used with more games, and with fewer again", async () => {
    const grown = { ...stack.deployment, nft: { ...stack.deployment.nft, lanternlanes: OTHER } } as Deployment;
    for (const deployment of [grown, stack.deployment, grown])
      expect(await getRefusal(serve(deployment))).to.equal("served");
    const moved = { ...grown, nft: { ...grown.nft, lanternlanes: stack.deployment.token } };
    expect(await getRefusal(serve(moved))).to.include("nft.lanternlanes");
  });
});
