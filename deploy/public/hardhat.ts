import { configVariable } from "hardhat/config";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatUserConfig } from "hardhat/types/config";
import type { NetworkConfig } from "../networks.ts";
import { promptSecret } from "./prompt.ts";
import type { Explorer } from "./verify.ts";

/** Name of the deployer's key in the environment and in Hardhat's keystore. */
export const DEPLOYER_KEY = "ARCADE_DEPLOYER_KEY";

export interface RuntimeOptions {
  readonly network: NetworkConfig;
  readonly rpcUrl: string;
  /** The APIs of the explorers that receive the sources. */
  readonly explorers?: { readonly [explorer in Explorer]?: string };
  readonly etherscanKey?: string;
  /** Name of its key; absent if it needs none. */
  readonly keyName?: string;
}

/** What an install without developer packages lacks: Hardhat's plugins and the compiler. Throws with the next step. */
async function importDeveloperPackage<T>(load: () => Promise<T>): Promise<T> {
  return load().catch((cause: unknown) => {
    if ((cause as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error("Hardhat's keystore and the publication of sources need the developer packages: run npm ci.", {
      cause,
    });
  });
}

/** The keystore for a key; the repository's configuration, with its compiler, for publishing sources. */
async function loadConfig(keyName: string | undefined): Promise<HardhatUserConfig> {
  if (keyName !== undefined) {
    const keystore = await importDeveloperPackage(() => import("@nomicfoundation/hardhat-keystore"));
    return { plugins: [keystore.default] };
  }
  const verify = await importDeveloperPackage(() => import("@nomicfoundation/hardhat-verify"));
  const { default: config } = await importDeveloperPackage(() => import("../../hardhat.config.ts"));
  // The other plugins load slowly and change chai for the whole process.
  return { ...config, plugins: [verify.default] };
}

/**
 * Hardhat with one additional network, `target`. Loads slowly, so only on demand. Throws if the developer packages are
 * not installed.
 */
export async function createRuntime(options: RuntimeOptions) {
  const { network, rpcUrl, explorers = {}, etherscanKey, keyName } = options;
  const accounts = keyName === undefined ? "remote" : [configVariable(keyName)];
  const config = await loadConfig(keyName);
  const userConfig: HardhatUserConfig = {
    ...config,
    networks: { ...config.networks, target: { type: "http", url: rpcUrl, accounts } },
    chainDescriptors: {
      [network.chainId]: {
        name: network.title,
        chainType: "generic",
        blockExplorers: {
          etherscan: {
            url: network.explorerUrl ?? explorers.etherscan ?? "https://etherscan.io",
            ...(explorers.etherscan === undefined ? {} : { apiUrl: explorers.etherscan }),
          },
          ...(explorers.blockscout === undefined
            ? {}
            : { blockscout: { url: network.blockscoutUrl ?? explorers.blockscout, apiUrl: explorers.blockscout } }),
        },
      },
    },
    ...(keyName !== undefined
      ? {}
      : {
          verify: {
            etherscan: etherscanKey === undefined ? { enabled: false } : { apiKey: etherscanKey },
            sourcify:
              explorers.sourcify === undefined ? { enabled: false } : { enabled: true, apiUrl: explorers.sourcify },
            blockscout: { enabled: explorers.blockscout !== undefined },
          },
        }),
  };
  return await createHardhatRuntimeEnvironment(userConfig, { network: "target" });
}

/**
 * A key from Hardhat's keystore, which prompts for its password; the development keystore has none. Throws if the key
 * is missing or the password is wrong.
 */
export async function readKeystore(options: RuntimeOptions & { readonly keyName: string }): Promise<string> {
  const runtime = await createRuntime(options);
  // Hardhat prompts on stdout, which may hold only JSON.
  runtime.hooks.registerHandlers("userInterruptions", {
    requestSecretInput: async (_context, _who, what) => await promptSecret(`${what} of Hardhat's keystore`),
  });
  const { target } = runtime.config.networks;
  const accounts = target?.type === "http" ? target.accounts : undefined;
  if (!Array.isArray(accounts) || accounts[0] === undefined) throw new Error("the network has no account");
  return await accounts[0].getHexString();
}
