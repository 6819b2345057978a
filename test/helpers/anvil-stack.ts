/** The backend on an anvil node, as `serve` runs it beside its own chain. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEther } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { createLog } from "../../backend/adapters/system/log.ts";
import { startApp } from "../../backend/app/app.ts";
import type { AppOptions } from "../../backend/app/app-options.ts";
import { readConfig } from "../../backend/config/config.ts";
import { getDevelopmentKeys } from "../../backend/config/service-keys.ts";
import { deployLocal } from "../../deploy/execute-local.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { games } from "../../games/index.ts";
import { startAnvil } from "../deploy/testnet.ts";

/** An anvil with the contracts on it; `chainId` is its answer after the deployment. */
export async function startAnvilChain(chainId: number = LOCAL_CHAIN_ID) {
  const dataDir = await mkdtemp(join(tmpdir(), "arcade-anvil-"));
  const anvil = await startAnvil({ chainId: LOCAL_CHAIN_ID, createX: false });
  const keys = getDevelopmentKeys();
  const { client, rpcUrl } = anvil;
  const fund = (address: `0x${string}`) => client.setBalance({ address, value: parseEther("5000") });
  for (const key of [keys.admin, keys.guardian, keys.operator]) await fund(privateKeyToAddress(key));
  const path = join(dataDir, "deployment.json");
  const { deployment } = await deployLocal({ rpcUrl, keys, path, publicUrl: "http://127.0.0.1:1", games });
  // The contracts compute their EIP-712 domain from the current chain id.
  if (chainId !== LOCAL_CHAIN_ID) await client.request({ method: "anvil_setChainId", params: [chainId] } as never);
  return {
    client,
    rpcUrl,
    keys,
    dataDir,
    fund,
    deployment: { ...deployment, chainId },
    close: async () => {
      await anvil.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
export type AnvilChain = Awaited<ReturnType<typeof startAnvilChain>>;

/** How long a request waits for the node by default, in tests of failing nodes. */
export const CHAIN_WAIT_AS_SERVED = { ARCADE_CHAIN_WAIT_MS: "1000" } as const;

/** Starts the backend against an anvil, or against a proxy in front of it. */
export function startAppOnAnvil(
  chain: AnvilChain,
  options: Partial<Pick<AppOptions, "rpcUrl" | "moreRpcUrls" | "clock" | "keys" | "log">> & {
    readonly env?: { readonly [name: string]: string };
  } = {},
) {
  const { env, ...more } = options;
  const environment = {
    ARCADE_DEMO_AGENTS: "off",
    ARCADE_DATA_DIR: chain.dataDir,
    ARCADE_PORT: "0",
    ARCADE_RATE_LIMITS: "off",
    // Several tests share few cores.
    ARCADE_CHAIN_WAIT_MS: "10000",
    ARCADE_CHAIN_POLL_MS: "25",
    ...env,
  };
  return startApp({
    config: readConfig(environment),
    keys: chain.keys,
    rpcUrl: chain.rpcUrl,
    deployment: chain.deployment,
    log: createLog("silent"),
    webDir: null,
    ...more,
  });
}
