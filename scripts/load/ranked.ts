/** Agents with an identity and a sign-in, for a load of ranked sessions. */

import { type ArcadeClient, createClient } from "../../client/client.ts";
import { registerAgent } from "../../client/flows.ts";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { loadAgentContext } from "../agent/context.ts";
import { ensureGas } from "../agent/gas.ts";
import { makeStepRunner } from "../agent/steps.ts";
import { claimKeys, createWallet, getAgentName } from "../agent/wallets.ts";
import { CommandError, EXIT } from "../cli/failures.ts";

/** What a client of the load uses, so that its calls are measured. */
export type ClientPorts = Pick<Parameters<typeof createClient>[0], "fetch" | "WebSocket" | "retry">;

/** How many identities to mint at once. */
const BATCH = 5;

const SILENT = { begin: () => {}, done: () => {}, frame: () => {}, failed: () => {} };

/**
 * Loads the wallets of `keysFolder`, creates missing ones, and signs each in. They get ether from the faucet on the
 * local chain; elsewhere the operator pays (`sponsor`), or the wallets hold ether. Throws `CommandError`,
 * `ArcadeApiError` or `ArcadeChainError`.
 */
export async function prepareAgents(
  options: {
    readonly url: string;
    readonly rpcUrl: string | null;
    readonly agents: number;
    readonly keysFolder: string;
    readonly isAgreed: boolean;
  },
  ports: ClientPorts,
): Promise<readonly ArcadeClient[]> {
  const { url, rpcUrl, agents, keysFolder, isAgreed } = options;
  const context = await loadAgentContext({ url, rpcUrl, deploymentPath: null });
  const isLocal = isLocalChain(context.chainId);
  if (!isLocal && !isAgreed)
    throw new CommandError(`${agents} identities would be minted on chain ${context.chainId}.`, {
      exitCode: EXIT.usage,
      next: "allow it with --yes",
    });
  const keys = await claimKeys(keysFolder, agents);
  const prepare = async (key: (typeof keys)[number]["key"]): Promise<ArcadeClient> => {
    const wallet = createWallet(key, context);
    const client = createClient({ baseUrl: url, wallet, contracts: context.contracts, ...ports });
    if (isLocal) await ensureGas(makeStepRunner(SILENT), client, context, wallet);
    await client.signIn.signIn();
    await registerAgent({ client, agentName: getAgentName(wallet.address), sponsor: !isLocal });
    return client;
  };
  const clients: ArcadeClient[] = [];
  for (let from = 0; from < keys.length; from += BATCH)
    clients.push(...(await Promise.all(keys.slice(from, from + BATCH).map(({ key }) => prepare(key)))));
  return clients;
}
