/** Pause and unpause. */
import { createCall, type NamedContract } from "../../../deploy/admin/calls.ts";
import { defineCommand } from "../../cli/command.ts";
import { readView } from "./read.ts";
import { runChainCommand } from "./run.ts";
import { CHAIN_FLAGS, type ChainTarget, CONTRACT_FLAG, selectContracts } from "./target.ts";

async function filterByPause(target: ChainTarget, contracts: readonly NamedContract[], isPaused: boolean) {
  const states = await Promise.all(contracts.map((contract) => readView<boolean>(target, contract, "paused")));
  return contracts.filter((_, index) => states[index] === isPaused);
}

const pause = defineCommand({
  name: "chain pause",
  summary: "stops signed calls and payouts of contracts at once; guardian or admin",
  flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain pause --network baseSepolia --contract rewards"],
  async run({ flags }, terminal) {
    return runChainCommand("Pause", flags, terminal, async (target) => {
      const contracts = await filterByPause(target, selectContracts(target, flags.contract), false);
      const calls = contracts.map((contract) =>
        createCall(contract, "pause", [], {
          powers: ["guardian", "admin"],
          change: { what: `${contract.name}: paused`, from: "no", to: "yes" },
        }),
      );
      return { calls, notes: calls.length === 0 ? ["Nothing to do: already paused."] : [] };
    });
  },
});

const unpause = defineCommand({
  name: "chain unpause",
  summary: "unpauses contracts; admin only",
  flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain unpause --network baseSepolia"],
  async run({ flags }, terminal) {
    return runChainCommand("Unpause", flags, terminal, async (target) => {
      const contracts = await filterByPause(target, selectContracts(target, flags.contract), true);
      const calls = contracts.map((contract) =>
        createCall(contract, "unpause", [], {
          powers: ["admin"],
          change: { what: `${contract.name}: paused`, from: "yes", to: "no" },
        }),
      );
      return { calls, notes: calls.length === 0 ? ["Nothing to do: no contract is paused."] : [] };
    });
  },
});

export const PAUSE_COMMANDS = [pause, unpause];
