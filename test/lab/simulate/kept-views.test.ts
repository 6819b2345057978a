import { expect } from "chai";
import { type Abi, decodeFunctionResult, encodeFunctionData } from "viem";
import { rewardsV2Abi } from "../../../domain/typed-data/contract-abis.ts";
import { Chain } from "../../../lab/simulate/chain/chain.ts";
import { ModelNode } from "../../../lab/simulate/chain/node.ts";
import { copyState, NO_ACCOUNT, type State } from "../../../lab/simulate/chain/state.ts";
import { createFixtures, type Fixtures } from "../../../lab/simulate/run/fixtures.ts";
import { Random } from "../../../testing/random.ts";

describe("cached views of the chain model", () => {
  let fixtures: Fixtures;

  before(async () => {
    fixtures = await createFixtures();
  });

  function open(points: bigint) {
    const { contracts, wallets } = fixtures;
    const wallet = wallets[0]!.address;
    const state = copyState((fixtures.initialState.chain as { readonly state: State }).state);
    const holder = { primaryId: 1n, primarySince: 1n, mintNonce: 1n, balance: 1n };
    state.holders.set(wallet.toLowerCase(), holder);
    state.accounts.set(wallet.toLowerCase(), { ...NO_ACCOUNT, scorebank: points, firstPlayAt: 1_000n });
    const chain = new Chain(contracts, new Random(1), { time: 1_000, state });
    const { chainId, rewards } = contracts.config.deployment;
    const node = new ModelNode({ chain, chainId, lagBlocks: 0, rangeMax: null });
    const abi: Abi = rewardsV2Abi;
    const read = (functionName: "readiness" | "getScorebank"): unknown => {
      const data = encodeFunctionData({ abi, functionName, args: [wallet] });
      const result = node.handle("eth_call", [{ to: rewards, data }, "latest"]) as `0x${string}`;
      return decodeFunctionResult({ abi, functionName, data: result });
    };
    return { chain, read };
  }

  it("change with the time of an empty block when they depend on it", () => {
    const { chain, read } = open(7n);
    expect((read("readiness") as readonly unknown[])[0]).to.equal(false);
    chain.mine(1_000 + Number(fixtures.contracts.config.limits.cooldownSeconds));
    expect((read("readiness") as readonly unknown[])[0]).to.equal(true);
  });

  it("belong to their chain", () => {
    const [one, other] = [open(7n), open(9n)];
    expect([one.read("getScorebank"), other.read("getScorebank"), one.read("getScorebank")]).to.deep.equal([
      7n,
      9n,
      7n,
    ]);
  });
});
