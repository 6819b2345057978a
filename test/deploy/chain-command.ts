/** Runs `npm run admin -- chain …` against a testnet, with the keys that a test gives. */
import { command } from "../../scripts/admin.ts";
import { type CommandResult, callCommand } from "../helpers/commands.ts";
import type { AnvilNode } from "./testnet.ts";

/** Key settings by holder, in any form. */
export type ChainKeys = { readonly [holder in "admin" | "guardian" | "treasury" | "proposer"]?: string };

/** An empty variable counts as absent. */
const toKeysEnv = ({ admin = "", guardian = "", treasury = "", proposer = "" }: ChainKeys) => ({
  ARCADE_ADMIN_KEY: admin,
  ARCADE_GUARDIAN_KEY: guardian,
  ARCADE_TREASURY_KEY: treasury,
  ARCADE_PROPOSER_KEY: proposer,
});

/** Runs a chain command with `--yes` and `--json`, unless `args` hold `--plan` or `ask` is true. */
export const createChainRunner =
  (chain: AnvilNode, recordPath: string) =>
  (keys: ChainKeys, args: readonly string[], { ask = false } = {}): Promise<CommandResult> =>
    callCommand(
      command,
      ["chain", ...args, "--rpc", chain.rpcUrl, "--deployment", recordPath, "--json", ...(ask ? [] : ["--yes"])],
      toKeysEnv(keys),
    );
