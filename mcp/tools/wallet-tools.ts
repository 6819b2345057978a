/** Tools of a server with its own key: each does its whole step, signature and transaction included. */
import { z } from "zod";
import { identityRegister } from "../../backend/http/routes/identity/register.ts";
import { slug } from "../../backend/http/schemas/requests.ts";
import { sessionIdText } from "../../backend/http/schemas/values.ts";
import { mintOrUpgradeNft, registerAgent, snapshotScore } from "../../client/flows.ts";
import { requestPayout } from "../../client/payout-flows.ts";
import { castVote } from "../../client/vote.ts";
import type { ArcadeWallet, Receipt } from "../../client/wallet.ts";
import type { ToolContext } from "../context.ts";
import { PAYOUT_WAIT_MAX_MS } from "./cooldown.ts";
import { defineTool, toRouteInput } from "./define-tool.ts";

/** Below this balance, a local agent's wallet uses the faucet. */
const GAS_MIN_WEI = 10n ** 16n;

const getWallet = ({ client }: ToolContext): ArcadeWallet => client.wallet!;

/** A receipt without its big numbers. */
const toReceiptView = <Result extends { readonly receipt: Receipt | null }>({ receipt, ...result }: Result) => ({
  ...result,
  txHash: receipt?.txHash ?? null,
  gasUsed: receipt === null ? null : Number(receipt.gasUsed),
});

/** Uses the local chain's faucet if the wallet cannot pay for its calls. */
async function ensureGas({ client, isLocal }: ToolContext, wallet: ArcadeWallet & WithBalance): Promise<void> {
  if (!isLocal || ((await wallet.getBalance?.()) ?? GAS_MIN_WEI) >= GAS_MIN_WEI) return;
  const { txHash } = await client.dev.faucet({ address: wallet.address });
  await wallet.waitForReceipt(txHash);
}

/** What the key's wallet adds to a client wallet. */
export interface WithBalance {
  /** In wei. */
  getBalance?(): Promise<bigint>;
}

const register = defineTool({
  name: "register",
  description:
    "Makes sure that this server's wallet holds an agent identity: signs in, mints one if needed, pays the gas.",
  input: { agentName: toRouteInput(identityRegister).agentName as z.ZodType<string> },
  writes: true,
  async run({ agentName }, context) {
    const { client } = context;
    const wallet = getWallet(context);
    await ensureGas(context, wallet);
    const registration = toReceiptView(await registerAgent({ client, agentName }));
    const { agentId, txHash } = registration;
    const note = `The wallet held agent ${agentId} before, so "${agentName}" is not its name. Another key (ARCADE_AGENT_KEY) registers another agent.`;
    return { wallet: wallet.address, ...registration, ...(txHash === null ? { note } : {}) };
  },
});

const snapshot = defineTool({
  name: "snapshot",
  description: "Puts the score of an ended session on chain; without sessionId, the oldest pending score.",
  input: { sessionId: sessionIdText.optional() },
  writes: true,
  async run({ sessionId }, { client }) {
    const { receipt, ...result } = await snapshotScore({ client, ...(sessionId === undefined ? {} : { sessionId }) });
    return { ...result, gasUsed: receipt === null ? null : Number(receipt.gasUsed), next: "mint or payout" };
  },
});

const mint = defineTool({
  name: "mint",
  description: "Mints or upgrades the game's NFT if a score on chain reaches a tier.",
  input: { slug },
  writes: true,
  run: async ({ slug: game }, { client }) => toReceiptView(await mintOrUpgradeNft({ client, slug: game })),
});

const payout = defineTool({
  name: "payout",
  description:
    "Pays the wallet's scorebank in tokens. Waits for a short cooldown; otherwise returns why it cannot be paid yet.",
  input: {},
  writes: true,
  run: (_, { client }) => requestPayout({ client, waitMaxMs: PAYOUT_WAIT_MAX_MS }),
});

const vote = defineTool({
  name: "vote",
  description: "Signs and casts this agent's vote for a candidate of the community voting.",
  input: { gameSlug: z.string().min(1).max(64) },
  writes: true,
  run: ({ gameSlug }, { client }) => castVote({ client, gameSlug, voteSource: "ai_agent" }),
});

export const WALLET_TOOLS = [register, snapshot, mint, payout, vote];
