/** What the client needs of a wallet, and adapters for viem and ethers. */
import type { Signer } from "ethers";
import type { PublicClient, WalletClient } from "viem";
import { makeCall } from "../backend/domain/calls.ts";
import { ArcadeChainError } from "./errors.ts";
import type { Address, Call, Hex, OrderTypedData, TypedData } from "./types.ts";

export interface Receipt {
  readonly txHash: Hex;
  readonly status: "success" | "reverted";
  readonly gasUsed: bigint;
  /** Wei per gas. */
  readonly gasPrice: bigint;
  readonly block: number;
}

export interface ArcadeWallet {
  readonly address: Address;
  /** EIP-191 over the text. */
  signMessage(message: string): Promise<Hex>;
  /** EIP-712; needed for votes and listings. */
  signTypedData?(typedData: TypedData | OrderTypedData): Promise<Hex>;
  /** Sends a prepared call. Throws `ArcadeChainError`. */
  sendCall(call: Call): Promise<{ readonly txHash: Hex }>;
  /** Waits until a block holds the transaction, `TX_TIMEOUT` after two minutes. */
  waitForReceipt(txHash: Hex): Promise<Receipt>;
}

const RECEIPT_TIMEOUT_MS = 120_000;

/** The sentence of a library's error: both put it into `shortMessage`, viem the revert's name into a cause. */
function sentenceOf(thrown: unknown): string {
  const walk = (error: unknown): string | null => {
    if (typeof error !== "object" || error === null) return null;
    const { reason, shortMessage, cause } = error as { reason?: unknown; shortMessage?: unknown; cause?: unknown };
    if (typeof reason === "string") return reason;
    return walk(cause) ?? (typeof shortMessage === "string" ? shortMessage : null);
  };
  return walk(thrown) ?? (thrown instanceof Error ? thrown.message.split("\n")[0]! : String(thrown));
}

const isRevert = (thrown: unknown): boolean =>
  /revert|CALL_EXCEPTION/i.test(`${(thrown as { code?: unknown })?.code ?? ""} ${(thrown as Error)?.message ?? ""}`);

function chainError(thrown: unknown, what: string): ArcadeChainError {
  if (thrown instanceof ArcadeChainError) return thrown;
  const code = isRevert(thrown) ? "REVERTED" : "RPC_FAULT";
  return new ArcadeChainError(code, `${what}: ${sentenceOf(thrown)}`, { cause: thrown });
}

function timeoutError(txHash: Hex, cause?: unknown): ArcadeChainError {
  return new ArcadeChainError(
    "TX_TIMEOUT",
    `No block took ${txHash} within ${RECEIPT_TIMEOUT_MS / 1000} s; look it up before sending again.`,
    { txHash, cause },
  );
}

function checkChain(call: Call, chainId: number): void {
  if (chainId === call.chainId) return;
  throw new ArcadeChainError(
    "WRONG_CHAIN",
    `The call is for chain ${call.chainId}, the wallet is on chain ${chainId}; switch it.`,
  );
}

/** A wallet of viem. The wallet client must carry its account. */
export function fromViem(walletClient: WalletClient, publicClient: PublicClient): ArcadeWallet {
  const { account } = walletClient;
  if (account === undefined) throw new TypeError("fromViem: the wallet client has no account; create it with one");
  return {
    address: account.address,
    signMessage: (message) => walletClient.signMessage({ account, message }),
    signTypedData: ({ domain, types, primaryType, message }) =>
      walletClient.signTypedData({ account, domain, types, primaryType, message } as never),
    async sendCall(call) {
      try {
        checkChain(call, await publicClient.getChainId());
        const { to, data } = call;
        const txHash = await walletClient.sendTransaction({
          account,
          chain: walletClient.chain ?? null,
          to,
          data,
          value: BigInt(call.value),
        });
        return { txHash };
      } catch (thrown) {
        throw chainError(thrown, call.functionName);
      }
    },
    async waitForReceipt(txHash) {
      try {
        const receipt = await publicClient.waitForTransactionReceipt({ hash: txHash, timeout: RECEIPT_TIMEOUT_MS });
        const { status, gasUsed, effectiveGasPrice, blockNumber, transactionHash } = receipt;
        // A wallet may replace its transaction (a higher fee): the hash that counts is the receipt's.
        return { txHash: transactionHash, status, gasUsed, gasPrice: effectiveGasPrice, block: Number(blockNumber) };
      } catch (thrown) {
        if ((thrown as Error)?.name === "WaitForTransactionReceiptTimeoutError") throw timeoutError(txHash, thrown);
        throw chainError(thrown, txHash);
      }
    },
  };
}

/** A wallet of ethers. The signer must be connected to a provider. */
export async function fromEthers(signer: Signer): Promise<ArcadeWallet> {
  const { provider } = signer;
  if (provider === null) throw new TypeError("fromEthers: the signer has no provider; connect it to one");
  return {
    address: (await signer.getAddress()) as Address,
    signMessage: async (message) => (await signer.signMessage(message)) as Hex,
    async signTypedData({ domain, types, message }) {
      // ethers derives EIP712Domain itself and refuses to be given it.
      const { EIP712Domain: _, ...own } = types;
      return (await signer.signTypedData(domain, own as never, message)) as Hex;
    },
    async sendCall(call) {
      try {
        checkChain(call, Number((await provider.getNetwork()).chainId));
        const { to, data, value } = call;
        return { txHash: (await signer.sendTransaction({ to, data, value: BigInt(value) })).hash as Hex };
      } catch (thrown) {
        throw chainError(thrown, call.functionName);
      }
    },
    async waitForReceipt(txHash) {
      try {
        const receipt = await provider.waitForTransaction(txHash, 1, RECEIPT_TIMEOUT_MS);
        if (receipt === null) throw timeoutError(txHash);
        const { gasUsed, gasPrice, blockNumber } = receipt;
        return { txHash, status: receipt.status === 1 ? "success" : "reverted", gasUsed, gasPrice, block: blockNumber };
      } catch (thrown) {
        if ((thrown as { code?: unknown })?.code === "TIMEOUT") throw timeoutError(txHash, thrown);
        throw chainError(thrown, txHash);
      }
    },
  };
}

/** Refuses a call whose data is not its function and arguments, or that carries money: what is shown is what is sent. */
export function checkCall(call: Call): void {
  let data: Hex | null = null;
  try {
    data = makeCall(call.chainId, call.to, call.functionName, call.args).data;
  } catch {
    // An unknown function, or arguments that do not fit it: refused below.
  }
  if (data === call.data && call.value === "0") return;
  throw new ArcadeChainError(
    "CALL_REFUSED",
    `Expected the data of ${call.functionName}(${call.args.length} arguments) and no value; the prepared call holds something else and was not sent.`,
  );
}

/** Sends a prepared call from the wallet and waits for its block. Throws `ArcadeChainError` where it failed. */
export async function sendSignedCall(wallet: ArcadeWallet, prepared: { readonly call: Call }): Promise<Receipt> {
  checkCall(prepared.call);
  const { txHash } = await wallet.sendCall(prepared.call);
  const receipt = await wallet.waitForReceipt(txHash);
  if (receipt.status === "success") return receipt;
  throw new ArcadeChainError(
    "REVERTED",
    `${prepared.call.functionName} was reverted in block ${receipt.block} (${receipt.txHash}).`,
    {
      txHash: receipt.txHash,
    },
  );
}
