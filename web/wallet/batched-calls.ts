/** Sends several calls as one if the browser's wallet supports it (EIP-5792). */
import type { Address, Hex } from "../../client/api.ts";
import { ArcadeChainError } from "../../client/errors.ts";
import type { PreparedCall } from "../../client/wallet.ts";
import type { Eip1193Provider } from "./wallets.ts";

interface BatchPorts {
  readonly provider: Eip1193Provider;
  readonly address: Address;
  readonly chainId: number;
  readonly pollMs: number;
}

const toHex = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/** Whether the wallet sends batches atomically on this chain. A wallet without the method answers with an error. */
export async function offersBatches({ provider, address, chainId }: BatchPorts): Promise<boolean> {
  const id = toHex(chainId);
  const capabilities = await provider
    .request({ method: "wallet_getCapabilities", params: [address, [id]] })
    .catch(() => null);
  const ofChain = (
    capabilities as { readonly [chain: string]: { readonly atomic?: { readonly status?: unknown } } } | null
  )?.[id];
  return ofChain?.atomic?.status === "supported" || ofChain?.atomic?.status === "ready";
}

interface CallsStatus {
  /** 1xx: pending, 2xx: on chain, 4xx and above: failed. */
  readonly status?: unknown;
  readonly receipts?: readonly { readonly transactionHash?: unknown; readonly status?: unknown }[];
}

const TIMEOUT_MS = 120_000;
const isHash = (text: unknown): text is Hex => typeof text === "string" && /^0x[0-9a-f]{64}$/i.test(text);

/** Sends the calls as one, and resolves with the hash of each. Throws `REVERTED`, `TX_TIMEOUT`, `RPC_FAULT`. */
export async function sendBatch(ports: BatchPorts, calls: readonly PreparedCall[]): Promise<readonly Hex[]> {
  const { provider, address: from, chainId } = ports;
  const request = {
    version: "2.0.0",
    from,
    chainId: toHex(chainId),
    atomicRequired: true,
    calls: calls.map(({ call: { to, data, value } }) => ({ to, data, value: toHex(BigInt(value)) })),
  };
  const answer = (await provider.request({ method: "wallet_sendCalls", params: [request] })) as {
    readonly id?: unknown;
  };
  if (typeof answer?.id !== "string")
    throw new ArcadeChainError("RPC_FAULT", "The wallet returned no id for the calls.");
  const { status, receipts = [] } = await waitForBatch(ports, answer.id);
  const hashes = receipts.map(({ transactionHash }) => transactionHash).filter(isHash);
  if (status !== 200 || hashes.length === 0)
    throw new ArcadeChainError("REVERTED", `The wallet's calls have failed (status ${String(status)}).`);
  // One receipt if the wallet has put all calls into one transaction.
  return calls.map((_, index) => hashes[Math.min(index, hashes.length - 1)]!);
}

async function waitForBatch({ provider, pollMs }: BatchPorts, id: string): Promise<CallsStatus> {
  const endMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < endMs) {
    const found = (await provider.request({ method: "wallet_getCallsStatus", params: [id] })) as CallsStatus;
    if (typeof found?.status !== "number")
      throw new ArcadeChainError("RPC_FAULT", "The wallet does not know its calls.");
    if (found.status >= 200) return found;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new ArcadeChainError("TX_TIMEOUT", "The wallet's calls are not in a block yet; look at them in the wallet.");
}
