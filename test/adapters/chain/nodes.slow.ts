import { join } from "node:path";
import { expect } from "chai";
import { type Hex, numberToHex } from "viem";
import { type ChaosNode, type Intercept, startChaosNode } from "../../../testing/chaos/node.ts";
import { addEndedSession } from "../../../testing/ended-session.ts";
import { startCommand } from "../../deploy/testnet.ts";
import { createAnvilAgent } from "../../helpers/anvil-agent.ts";
import { startAnvilChain, startAppOnAnvil } from "../../helpers/anvil-stack.ts";
import { useShared } from "../../helpers/fixture.ts";
import { sendRequest } from "../../helpers/suite.ts";
import { createTestPool, waitFor } from "./chain-fixture.ts";
import { inventBlocks, raiseHead } from "./invented-chain.ts";

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
}

const LAG_BLOCKS = 10;
/** Less than the slow node needs, so that the other one has to answer. */
const CHAIN_WAIT_MS = "2500";
const INVENTED_BLOCKS = 1_000n;

const isHeadQuestion = (method: string, params: readonly unknown[] = []): boolean =>
  method === "eth_getBlockByNumber" && params[0] === "latest";

const inventHead: Intercept = (request, response) =>
  isHeadQuestion(request.method, request.params) ? raiseHead(INVENTED_BLOCKS)(request, response) : response;

describe("several nodes of the chain", () => {
  let first: ChaosNode;
  let second: ChaosNode;

  const chain = useShared(startAnvilChain);
  beforeEach(async () => {
    first = await startChaosNode({ to: chain.rpcUrl });
    second = await startChaosNode({ to: chain.rpcUrl });
  });
  afterEach(() => Promise.all([first.close(), second.close()]));

  const readBlock = (blockNumber: bigint): Promise<Block> =>
    chain.client.request({
      method: "eth_getBlockByNumber",
      params: [numberToHex(blockNumber), false],
    } as never) as Promise<never>;

  /** The node is stuck ten blocks behind the chain. */
  async function holdBack(node: ChaosNode): Promise<void> {
    await chain.client.mine({ blocks: LAG_BLOCKS });
    const block = await readBlock((await chain.client.getBlockNumber()) - BigInt(LAG_BLOCKS));
    node.intercept(({ method, params }, response) =>
      isHeadQuestion(method, params) ? { id: response.id, result: block } : response,
    );
  }

  /** An agent signs in, registers on chain, and gets its score signed. Every answer is as without a fault. */
  async function playUntilPaid(httpUrl: string): Promise<void> {
    const { address, post } = await createAnvilAgent(chain, httpUrl);
    await addEndedSession(chain, { wallet: address });
    for (const path of ["/api/rewards/snapshot", "/api/rewards/scorebank"]) {
      const { status, body } = await post(path);
      expect(status, `${path} ${body.code ?? ""}`).to.equal(200);
    }
    expect((await sendRequest(httpUrl, "GET", "/readyz", {})).status).to.equal(200);
  }

  const getNodesSentence = async (httpUrl: string): Promise<string> => {
    const { body } = await sendRequest(httpUrl, "GET", "/readyz", {});
    return body.checks.find(({ name }: { name: string }) => name === "nodes").sentence;
  };

  const faults: readonly (readonly [string, () => Promise<void> | void, RegExp])[] = [
    ["is killed", () => first.close(), /node 1 does not answer/],
    ["swallows every request", () => first.fail("hang"), /node 1 does not answer/],
    ["answers after 3 s", () => first.fail("slow", { ms: 3_000 }), /node 1 does not answer/],
    ["stands still ten blocks behind", () => holdBack(first), /node 1 is 1\d blocks behind/],
    ["names a head that does not exist", () => first.intercept(inventHead), /node 1 reports a latest block that does/],
    ["serves another chain", () => first.fail("another chain"), /node 1 serves chain 31338 instead of 31337/],
  ];
  for (const [name, breakNode, expected] of faults)
    it(`serves an agent's whole run while the first of two nodes ${name}, and reports it`, async () => {
      const urls = { rpcUrl: first.url, moreRpcUrls: [second.url] };
      const app = await startAppOnAnvil(chain, { ...urls, env: { ARCADE_CHAIN_WAIT_MS: CHAIN_WAIT_MS } });
      try {
        await waitFor(async () => (await getNodesSentence(app.httpUrl)) === "fine");
        await breakNode();
        await playUntilPaid(app.httpUrl);
        const used = [
          `arcade_chain_node_used{node="1",host="${new URL(first.url).host}"} 0`,
          `arcade_chain_node_used{node="2",host="${new URL(second.url).host}"} 1`,
        ];
        await waitFor(async () => {
          const isSaid = expected.test(await getNodesSentence(app.httpUrl));
          const metrics = await (await fetch(`${app.httpUrl}/metrics`)).text();
          return isSaid && used.every((line) => metrics.includes(line));
        });
      } finally {
        await app.close();
      }
    });

  it("uses a node again when it has recovered", async () => {
    const pool = createTestPool([first.url, second.url]);
    first.fail("cut");
    await pool.readHead();
    expect(pool.rank()).to.deep.equal([1, 0]);
    first.fail(null);
    await waitFor(async () => {
      await pool.readHead();
      return pool.status().every(({ problem }) => problem === null);
    });
    expect(pool.rank()).to.have.members([0, 1]);
  });

  it("believes two of three nodes against one that invents a whole chain", async () => {
    const third = await startChaosNode({ to: chain.rpcUrl });
    try {
      first.intercept(inventBlocks(await chain.client.getBlock(), Number(INVENTED_BLOCKS)));
      const pool = createTestPool([first.url, second.url, third.url]);
      const expected = numberToHex(await chain.client.getBlockNumber());
      await waitFor(async () => (await pool.readHead()).number === expected);
      expect(pool.status()[0]).to.include({ place: 1, problem: "is 1000 blocks ahead of the others" });
      expect(pool.rank()).to.not.include(0);
    } finally {
      await third.close();
    }
  });

  it("refuses to start with a node of another chain among several, and reports which", async () => {
    second.fail("another chain");
    const { code, stderr } = await startCommand("serve", [], {
      ARCADE_RPC_URL: `${first.url}, ${second.url}/v2/SECRETAPIKEY`,
      ARCADE_DEPLOYMENT: join(chain.dataDir, "deployment.json"),
      ARCADE_DATA_DIR: join(chain.dataDir, "serve"),
      ARCADE_PORT: "0",
    }).done;
    expect(code).to.equal(2);
    expect(stderr)
      .to.include("ARCADE_RPC_URL, node 2: expected a node of chain 31337")
      .and.include("received one of 31338")
      .and.not.include("SECRETAPIKEY");
  });
});
