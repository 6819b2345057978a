import { expect } from "chai";
import { createPublicClient, http, parseAbi } from "viem";
import { command } from "../../scripts/admin.ts";
import { callCommand } from "../helpers/commands.ts";
import { useTestStack } from "../helpers/suite.ts";

const VIEWS = parseAbi(["function paused() view returns (bool)"]);

describe("the operator's commands for the contracts of the local chain", () => {
  const stack = useTestStack();

  async function succeed(...args: readonly string[]) {
    // Commands use the first of several nodes.
    const env = { ARCADE_DATA_DIR: stack.dataDir, ARCADE_RPC_URL: `${stack.chain.rpcUrl}, http://127.0.0.1:1` };
    const result = await callCommand(command, ["chain", ...args, "--network", "local", "--json"], env);
    expect(result.code, result.err).to.equal(0);
  }
  const isPaused = () => {
    const client = createPublicClient({ transport: http(stack.chain.rpcUrl), cacheTime: 0 });
    return client.readContract({ address: stack.deployment.rewards, abi: VIEWS, functionName: "paused" });
  };

  it("need neither a key nor a file of addresses", async () => {
    await succeed("pause", "--contract", "rewards", "--plan");
    expect(await isPaused()).to.equal(false);
    await succeed("pause", "--contract", "rewards", "--yes");
    expect(await isPaused()).to.equal(true);
    await succeed("unpause", "--contract", "rewards", "--yes");
    expect(await isPaused()).to.equal(false);
  });
});
