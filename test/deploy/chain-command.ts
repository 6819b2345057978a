/** Runs `npm run admin -- chain …` against a testnet, with the keys that a test gives. */
import type { Hex } from "viem";
import { command } from "../../scripts/admin.ts";
import { type CommandResult, callCommand } from "../helpers/commands.ts";
import type { AnvilNode } from "./testnet.ts";

export interface ChainKeys {
  readonly admin?: Hex;
  readonly guardian?: Hex;
  readonly treasury?: Hex;
}

/** An empty variable counts as absent. */
const toEnvironment = ({ admin = "0x", guardian = "0x", treasury = "0x" }: ChainKeys): NodeJS.ProcessEnv => ({
  ARCADE_ADMIN_KEY: admin === "0x" ? "" : admin,
  ARCADE_GUARDIAN_KEY: guardian === "0x" ? "" : guardian,
  ARCADE_TREASURY_KEY: treasury === "0x" ? "" : treasury,
});

/** Runs a chain command with `--yes` and `--json`, unless `args` hold `--plan` or `ask` is true. */
export const createChainRunner =
  (chain: AnvilNode, recordPath: string) =>
  (keys: ChainKeys, args: readonly string[], { ask = false } = {}): Promise<CommandResult> =>
    callCommand(
      command,
      ["chain", ...args, "--rpc", chain.rpcUrl, "--deployment", recordPath, "--json", ...(ask ? [] : ["--yes"])],
      toEnvironment(keys),
    );
