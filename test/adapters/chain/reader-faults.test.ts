import { expect } from "chai";
import { keccak256, parseAbi, stringToHex } from "viem";
import { createReader } from "../../../backend/adapters/chain/reader/reader.ts";
import { RequestBudget } from "../../../backend/adapters/chain/request-budget.ts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import type { FaultName } from "../../../testing/chaos/faults.ts";
import { type ChaosNode, type Intercept, startChaosNode } from "../../../testing/chaos/node.ts";
import { startServer } from "../../helpers/http-server.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { createTestRpc, useChain, waitFor } from "./chain-fixture.ts";

const hash = keccak256(stringToHex("anything"));

/** How long a request may wait for the node: shorter than what counts as the node's failure. */
const BUDGET_MS = 900;

/** The most bytes that a call without a contract may return (EIP-170). */
const CODE_BYTES_MAX = 24_576;

/** go-ethereum's response to calls without a contract whose result exceeds the code size limit. */
const limitCodeSize: Intercept = ({ method, params }, response) => {
  const call = params?.[0] as { readonly to?: string } | undefined;
  if (method !== "eth_call" || call?.to !== undefined) return response;
  const isTooLong = String(response.result ?? "").length / 2 - 1 > CODE_BYTES_MAX;
  const isRejected = /code is too large/.test(response.error?.message ?? "");
  if (!isTooLong && !isRejected) return response;
  return { id: response.id, error: { code: -32_000, message: "max code size exceeded" } };
};

describe("the chain reader with a node that fails", () => {
  const fixture = useChain(({ actions, players }) => actions.register(players[0]!));
  const reader = () => createReader({ rpc: createTestRpc(fixture.rpcUrl), deployment: fixture.deployment });

  let node: ChaosNode;
  beforeEach(async () => {
    node = await startChaosNode({ to: fixture.rpcUrl });
  });
  afterEach(() => node.close());

  const createFailingReader = (rpcUrl = node.url) => {
    const clock = new TestClock();
    const budget = new RequestBudget(clock, BUDGET_MS, false);
    const rpc = createRpc({ rpcUrl, chainId: 31337, clock, budget });
    return { clock, budget, reader: createReader({ rpc, deployment: fixture.deployment }) };
  };
  const getError = async (promise: Promise<unknown>): Promise<ArcadeError> => {
    const error = await promise.then(
      () => null,
      (cause: unknown) => cause,
    );
    expect(error).to.be.instanceOf(ArcadeError);
    return error as ArcadeError;
  };

  const setTokenUri = async (agentId: bigint, uri: string): Promise<void> => {
    const abi = parseAbi(["function setAgentURI(uint256 agentId, string newURI)"]);
    const call = { address: fixture.deployment.identity, abi, functionName: "setAgentURI" } as const;
    const account = fixture.players[2]!;
    const txHash = await fixture.client.writeContract({ ...call, args: [agentId, uri], account });
    await fixture.client.waitForTransactionReceipt({ hash: txHash });
  };

  for (const failure of [
    "status 400",
    "status 503",
    "one error",
    "not JSON",
    "error",
    "cut",
    "another chain",
  ] as const satisfies readonly FaultName[]) {
    it(`reads throw CHAIN_UNAVAILABLE at once for ${failure}, and work again when it is over`, async () => {
      const { clock, reader } = createFailingReader();
      node.fail(failure);
      for (let call = 0; call < 5; call++) {
        const error = await getError(reader.getReadiness(fixture.players[0]!.address));
        expect(error.code).to.equal("CHAIN_UNAVAILABLE");
        expect(error.message).not.to.include(node.url);
      }
      node.fail(null);
      clock.advance(1_000);
      expect(await reader.getPrimaryIdentity(fixture.players[0]!.address)).to.equal(1n);
    });
  }

  for (const error of ["hang", "without end"] as const) {
    it(`a read throws CHAIN_UNAVAILABLE after 5 s of ${error}`, async () => {
      const { clock, reader } = createFailingReader();
      node.fail(error);
      const failure = getError(reader.getReadiness(fixture.players[0]!.address));
      await waitFor(() => node.calls.length > 0);
      let isSettled = false;
      void failure.then(() => {
        isSettled = true;
      });
      clock.advance(4_900);
      await new Promise(setImmediate);
      expect(isSettled).to.equal(false);
      clock.advance(100);
      expect((await failure).code).to.equal("CHAIN_UNAVAILABLE");
    });
  }

  for (const failure of ["status 400", "one error"] as const)
    it(`calls whose errors can be answers throw CHAIN_UNAVAILABLE for ${failure}, which is not an answer`, async () => {
      const { reader } = createFailingReader();
      const wallet = "0x00000000000000000000000000000000000c0de1";
      await fixture.client.setCode({ address: wallet, bytecode: "0xfe" });
      node.fail(failure);
      expect((await getError(reader.isValidSignature(wallet, hash, "0x1234"))).code).to.equal("CHAIN_UNAVAILABLE");
      const primaryIdentity = reader.getPrimaryIdentityAt(fixture.players[0]!.address, 1);
      expect((await getError(primaryIdentity)).message).to.match(
        /does not answer \((HTTP 400|JSON-RPC error -32600)\)/,
      );
    });

  it("treats an error of the wallet's code as a verdict on its signature, but not an error of the node", async () => {
    const { reader } = createFailingReader();
    const ask = async (code: number, message: string) => {
      node.intercept(({ id, method }, response) =>
        method === "eth_call" ? { id, error: { code, message } } : response,
      );
      const wallet = fixture.players[0]!.address;
      return await reader.isValidSignature(wallet, hash, "0x1234").catch((error: ArcadeError) => error.code);
    };
    for (const message of ["header not found", "missing trie node 1f (path )", "execution aborted (timeout = 5s)"])
      expect(await ask(-32_000, message), message).to.equal("CHAIN_UNAVAILABLE");
    expect(await ask(-32_007, "50/second request limit reached")).to.equal("CHAIN_UNAVAILABLE");
    for (const message of [
      "out of gas",
      "gas uint64 overflow",
      "invalid opcode: INVALID",
      "EVM error OutOfGas",
      "stack underflow (0 <=> 1)",
    ])
      expect(await ask(-32_000, message), message).to.equal(false);
    expect(await ask(-32_015, "VM execution error.")).to.equal(false);
  });

  it("a URI that is too long for the node fails only the reads of that token", async () => {
    const owner = fixture.players[2]!;
    await fixture.actions.register(owner);
    const agentId = (await reader().getPrimaryIdentity(owner.address))!;
    await setTokenUri(agentId, "\0".repeat(25_000));
    node.intercept(limitCodeSize);
    const { reader: limited } = createFailingReader();
    for (let call = 0; call < 5; call += 1)
      expect(await limited.getIdentity(agentId)).to.deep.equal({ owner: owner.address, tokenURI: null });
    expect((await limited.getReadiness(owner.address)).scorebank, "other reads").to.equal(0n);
    node.intercept(null);
    expect(await limited.getIdentity(agentId)).to.deep.equal({ owner: owner.address, tokenURI: null });
    await setTokenUri(agentId, "https://example.org/agent.json");
    expect((await limited.getIdentity(agentId))?.tokenURI).to.equal("https://example.org/agent.json");
  });

  it("failures for a caller's transaction hash do not count as the node's", async () => {
    const { reader } = createFailingReader();
    node.fail("error");
    for (let call = 0; call < 5; call += 1) await getError(reader.getReceipt(hash));
    node.fail(null);
    expect((await reader.getHead()).number).to.be.greaterThan(0);
  });

  it("a request that has waited long enough makes no further read, and does not count against the node", async () => {
    const { clock, budget, reader } = createFailingReader();
    node.fail("hang");
    for (let request = 0; request < 4; request++)
      await budget.run("guest", async () => {
        const before = node.calls.length;
        const failure = getError(reader.getHead());
        await waitFor(() => node.calls.length > before);
        clock.advance(BUDGET_MS);
        expect((await failure).message).to.include("nothing came within 0.9 s");
        const calls = node.calls.length;
        expect((await getError(reader.getHead())).message).to.include("this request has waited for it long enough");
        expect(node.calls.length).to.equal(calls);
      });
    node.fail(null);
    expect((await reader.getHead()).number).to.be.greaterThan(0);
  });

  it("a contract that does not know the function is reported with its address", async () => {
    const { identity } = fixture.deployment;
    const wrong = createReader({
      rpc: createTestRpc(fixture.rpcUrl),
      deployment: { ...fixture.deployment, rewards: identity },
    });
    const error = await wrong.getReadiness(fixture.players[0]!.address).catch((cause: unknown) => cause);
    expect(String(error)).to.match(new RegExp(`expected ${identity} to answer \\w+\\(\\), it reverts`));
  });

  it("a read is retried once after a quick failure", async () => {
    const { reader } = createFailingReader();
    node.fail("status 503", { times: 1 });
    expect(await reader.getPrimaryIdentity(fixture.players[0]!.address)).to.equal(1n);
  });

  it("rejects reads at once after three failures, except one in each second", async () => {
    let requests = 0;
    const server = await startServer((_, response) => {
      requests += 1;
      response.writeHead(503).end();
    });
    try {
      const { clock, reader } = createFailingReader(server.url);
      for (let call = 0; call < 3; call++) await getError(reader.getHead());
      const requestsBefore = requests;
      await getError(reader.getHead());
      expect(requests).to.equal(requestsBefore);
      clock.advance(1_000);
      await Promise.all([getError(reader.getHead()), getError(reader.getHead())]);
      expect(requests).to.be.within(requestsBefore + 1, requestsBefore + 2);
    } finally {
      server.close();
    }
  });
});
