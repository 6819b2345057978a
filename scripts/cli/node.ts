/** The chain node that a command uses. */
import { type Environment, getEnvironment } from "../../backend/config/environment.ts";
import type { Flag } from "./command.ts";
import { UsageError } from "./failures.ts";
import { readNodeSetting } from "./node-keys.ts";

export const RPC_FLAG = {
  rpc: {
    type: "string",
    value: "URL",
    help: "the chain's node; by default ARCADE_RPC_URL, or the node of the network, the service or this machine",
  },
} as const satisfies { [name: string]: Flag };

/** The given node: `--rpc`, or the first of `ARCADE_RPC_URL`; undefined without both. Throws `UsageError`. */
export function findGivenNode(
  flags: { readonly rpc?: string },
  environment: Environment = getEnvironment(),
): string | undefined {
  const name = flags.rpc === undefined ? "ARCADE_RPC_URL" : "--rpc";
  const text = flags.rpc ?? (readNodeSetting(environment).split(",")[0]?.trim() || undefined);
  if (text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text?.replace(/\/+$/, "");
  // It may contain a key.
  throw new UsageError(`${name}: expected an http(s) address, received a value that is not shown`);
}
