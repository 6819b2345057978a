import hardhatKeystore from "@nomicfoundation/hardhat-keystore";
import hardhatVerify from "@nomicfoundation/hardhat-verify";
import { configVariable } from "hardhat/config";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatUserConfig } from "hardhat/types/config";
import config from "../../hardhat.config.ts";
import type { NetworkPlan } from "../parameters/network.ts";
import { askSecret } from "./prompt.ts";

/** Name of the deployer's key in the environment and in Hardhat's keystore. */
export const DEPLOYER_KEY = "ARCADE_DEPLOYER_KEY";

export interface RuntimeOptions {
  readonly network: NetworkPlan;
  readonly rpcUrl: string;
  /** Where Etherscan's API (version 2) answers; absent: Etherscan itself. */
  readonly etherscanUrl?: string;
  readonly etherscanKey?: string;
  /** Absent: Sourcify itself. */
  readonly sourcifyUrl?: string;
  /** True where the deployer's key is asked for. */
  readonly withKey?: boolean;
}

/** Hardhat with the repository's configuration and one network more, named `target`. Loads slowly: only where needed. */
export async function createRuntime(options: RuntimeOptions) {
  const { network, rpcUrl, etherscanUrl, etherscanKey, sourcifyUrl, withKey } = options;
  const accounts = withKey ? [configVariable(DEPLOYER_KEY)] : "remote";
  const user: HardhatUserConfig = {
    ...config,
    // What deploying needs and no more: the toolbox loads slowly and changes chai for the whole process.
    plugins: [hardhatKeystore, hardhatVerify],
    networks: { ...config.networks, target: { type: "http", url: rpcUrl, accounts } },
    chainDescriptors: {
      [network.chainId]: {
        name: network.title,
        chainType: "generic",
        blockExplorers: {
          etherscan: {
            url: network.explorerUrl ?? etherscanUrl ?? "https://etherscan.io",
            ...(etherscanUrl === undefined ? {} : { apiUrl: etherscanUrl }),
          },
        },
      },
    },
    verify: {
      etherscan: etherscanKey === undefined ? { enabled: false } : { apiKey: etherscanKey },
      sourcify: sourcifyUrl === undefined ? { enabled: true } : { enabled: true, apiUrl: sourcifyUrl },
      blockscout: { enabled: false },
    },
  };
  return await createHardhatRuntimeEnvironment(user, { network: "target" });
}

/**
 * The deployer's key out of Hardhat's keystore, which asks for its password; the one for development asks nothing.
 * Throws where the key is not there or the password is wrong.
 */
export async function readKeystore(options: RuntimeOptions): Promise<string> {
  const runtime = await createRuntime({ ...options, withKey: true });
  // Hardhat itself asks on stdout, which holds JSON alone.
  runtime.hooks.registerHandlers("userInterruptions", {
    requestSecretInput: async (_context, _who, what) => await askSecret(`${what} of Hardhat's keystore`),
  });
  const { target } = runtime.config.networks;
  const accounts = target?.type === "http" ? target.accounts : undefined;
  if (!Array.isArray(accounts) || accounts[0] === undefined) throw new Error("the network has no account");
  return await accounts[0].getHexString();
}
