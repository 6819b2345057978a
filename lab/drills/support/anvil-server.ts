/** A backend in a separate process (`npm run serve`) beside an anvil with the contracts. */
import { join } from "node:path";
import type { AnvilChain } from "../../../test/helpers/anvil-stack.ts";
import { IS_SELF_TEST } from "./drill.ts";
import { type BackendProcess, startBackend } from "./process.ts";

const FAULTS = new URL("./server-faults.ts", import.meta.url).href;

export interface AnvilServerOptions {
  /** The backend's node; the anvil itself by default. */
  readonly rpcUrl?: string;
  /** The safeguard that a self-test removes. */
  readonly fault: string;
  readonly env?: { readonly [name: string]: string };
}

/** The settings of a backend beside this chain, and of commands that work on its data. */
export const toServerEnv = (chain: AnvilChain, rpcUrl = chain.rpcUrl): { readonly [name: string]: string } => ({
  ARCADE_DATA_DIR: chain.dataDir,
  ARCADE_DEPLOYMENT: join(chain.dataDir, "deployment.json"),
  ARCADE_RPC_URL: rpcUrl,
});

/** Starts the backend on the chain's data folder, without limits per address. */
export const startAnvilServer = (
  chain: AnvilChain,
  { rpcUrl = chain.rpcUrl, fault, env = {} }: AnvilServerOptions,
): Promise<BackendProcess> =>
  startBackend({
    dataDir: chain.dataDir,
    rpcUrl,
    env: {
      ...toServerEnv(chain, rpcUrl),
      ARCADE_RATE_LIMITS: "off",
      NODE_OPTIONS: `--import=${FAULTS}`,
      ...(IS_SELF_TEST ? { DRILL_FAULT: fault } : {}),
      ...env,
    },
  });
