/** `npm run chain`: saves, restores and moves the local chain while it runs. */
import { CHAIN_COMMANDS } from "./chain/commands.ts";
import type { CommandGroup } from "./cli/command.ts";
import { RPC_FLAG } from "./cli/node.ts";

export const command: CommandGroup = {
  name: "chain",
  summary: "controls the local chain (31337) of `npm start`",
  flags: RPC_FLAG,
  commands: CHAIN_COMMANDS,
};
