/** Cancels a score on chain whose signature is still valid, so that the wallet can no longer use it. */
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
} from "viem";
import { toAccount } from "viem/accounts";
import type { ChainConnection } from "../../backend/app/connect.ts";
import { type Config, ConfigError } from "../../backend/config/config.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { formatArguments } from "../../deploy/admin/calls.ts";
import { getNetworkByChainId } from "../../deploy/networks.ts";
import type { SendingAccount } from "../../deploy/public/transactions.ts";
import { toIso } from "../../domain/time.ts";
import { findGivenAccount, GUARDIAN } from "../deploy/keys.ts";
import { readServiceDeployment, withChain } from "./context.ts";

const RECEIPT_TIMEOUT_MS = 120_000;
const ABI = parseAbi([
  "struct WalletSession { address wallet; bytes32 gameSessionHash; }",
  "function cancelSessions(WalletSession[] list)",
]);

/** The call for the guardian or the admin to make. */
export interface RemainingCall {
  readonly chainId: number;
  /** The rewards contract. */
  readonly contract: Address;
  readonly function: "cancelSessions";
  readonly args: readonly [readonly { readonly wallet: Address; readonly gameSessionHash: Hex }[]];
  readonly data: Hex;
  /** ISO-8601; null if unknown. */
  readonly until: string | null;
  /** Why the command did not send the call itself. */
  readonly reason: string;
}

/** What happened to the signature of a score. */
export type SignatureOutcome =
  | { readonly state: "never_signed" }
  | { readonly state: "expired" }
  | { readonly state: "consumed" }
  | { readonly state: "cancelled"; readonly txHash: Hex }
  | { readonly state: "valid"; readonly remaining: RemainingCall };

type SignedSession = Pick<SessionRow, "wallet" | "gameSessionHash" | "preparedAtMs" | "signedUntilSeconds">;

async function sendCancel(rpcUrl: string, account: SendingAccount, { contract, args }: RemainingCall): Promise<Hex> {
  const transport = http(rpcUrl);
  const client = createPublicClient({ transport });
  const call = { address: contract, abi: ABI, functionName: "cancelSessions", args } as const;
  const refuse = () => Promise.reject(new Error("the guardian signs transactions only"));
  const { request } = await client.simulateContract({
    ...call,
    account: toAccount({ ...account, signMessage: refuse, signTypedData: refuse }),
  });
  const txHash = await createWalletClient({ transport }).writeContract({ ...request, chain: null });
  const receipt = await client.waitForTransactionReceipt({ hash: txHash, timeout: RECEIPT_TIMEOUT_MS });
  if (receipt.status === "success") return txHash;
  throw new Error(`transaction ${txHash} was reverted`);
}

/** The first line of a reason. Never viem's whole message, which contains the node's URL. */
const toReason = (error: unknown): string => {
  const { shortMessage, message } = error as { readonly shortMessage?: string; readonly message: string };
  return (shortMessage ?? message).split("\n")[0]!;
};

/** Reads whether the signature is still valid. Throws `CHAIN_UNAVAILABLE`. */
async function readSignatureState(
  { wallet, gameSessionHash, signedUntilSeconds }: SignedSession,
  { reader }: ChainConnection,
): Promise<"expired" | "consumed" | "valid"> {
  const [{ timestamp }, isConsumed] = await Promise.all([
    reader.getHead(),
    reader.isSessionConsumed(wallet!, gameSessionHash!),
  ]);
  if (isConsumed) return "consumed";
  return signedUntilSeconds !== null && signedUntilSeconds < timestamp ? "expired" : "valid";
}

/**
 * Cancels the score with the guardian's key if its signature is still valid. Call it after the store has withheld or
 * forfeited the score, so that no new signature can follow. Returns what it could not do, never throws.
 */
export async function cancelSignedScore(
  session: SignedSession,
  flags: { readonly rpc?: string },
  { config, store }: { readonly config: Config; readonly store: Store },
): Promise<SignatureOutcome> {
  const { wallet, gameSessionHash, preparedAtMs, signedUntilSeconds } = session;
  if (preparedAtMs === null || wallet === null || gameSessionHash === null) return { state: "never_signed" };
  const deployment = await readServiceDeployment(config);
  const args = [[{ wallet, gameSessionHash }]] as const;
  const call = {
    chainId: deployment.chainId,
    contract: deployment.rewards,
    function: "cancelSessions" as const,
    args,
    data: encodeFunctionData({ abi: ABI, functionName: "cancelSessions", args }),
    until: signedUntilSeconds === null ? null : toIso(signedUntilSeconds * 1000),
  };
  const remain = (reason: string): SignatureOutcome => ({ state: "valid", remaining: { ...call, reason } });
  try {
    return await withChain(flags, config, store, async (chain) => {
      const state = await readSignatureState(session, chain);
      if (state !== "valid") return { state };
      const { rpcUrl } = chain;
      const network = getNetworkByChainId(deployment.chainId, rpcUrl);
      const account = findGivenAccount({ network, rpcUrl }, GUARDIAN);
      if (account === null) return remain(`the guardian's key is not set in ${GUARDIAN.name}`);
      const txHash = await sendCancel(rpcUrl, account, { ...call, reason: "" });
      // Only the service's own chain shows that the score cannot be used, so compare it with the store again.
      const after = await withChain(flags, config, store, (own) => readSignatureState(session, own));
      return after === "consumed" ? { state: "cancelled", txHash } : remain(`${txHash} did not cancel it`);
    });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return remain(toReason(error));
  }
}

/** The outcome as lines of text. */
export function describeSignature(outcome: SignatureOutcome): readonly string[] {
  if (outcome.state === "never_signed") return ["The score was never signed: nothing to do"];
  if (outcome.state === "expired") return ["Its signature has expired: nothing to do"];
  if (outcome.state === "consumed")
    return ["The contract has used the session: it was cancelled before, or its score just got on chain"];
  if (outcome.state === "cancelled") return [`Its signature was still valid: cancelled on chain in ${outcome.txHash}`];
  const { chainId, contract, args, data, until, reason } = outcome.remaining;
  return [
    `Its signature is still valid${until === null ? "" : ` until ${until}`}, and was not cancelled: ${reason}.`,
    "Until then the wallet can put the score on chain. The guardian or the admin must call:",
    `  chain     ${chainId}`,
    `  contract  ${contract} (RewardsV2)`,
    `  function  cancelSessions(${formatArguments(args)})`,
    `  data      ${data}`,
    `  until     ${until ?? "not known"}`,
    `Or set ${GUARDIAN.name} and run this command again.`,
  ];
}
