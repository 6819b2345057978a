/** The chain node that a command uses. */
import { unquote } from "../../backend/config/config.ts";
import { type Environment, getEnvironment } from "../../backend/config/environment.ts";
import { type Flag, parseUrl } from "./command.ts";
import { UsageError } from "./failures.ts";

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
  if (flags.rpc !== undefined) return parseUrl("rpc", flags.rpc);
  const configured = unquote(environment.ARCADE_RPC_URL).split(",")[0]?.trim() || undefined;
  if (configured === undefined || /^https?:$/.test(URL.parse(configured)?.protocol ?? "")) return configured;
  throw new UsageError(`ARCADE_RPC_URL: expected an http(s) address, received "${configured}"`);
}
