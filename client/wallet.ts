/** The wallet interface of the client, and adapters for viem and ethers. */
import type { Address, Hex, PublicClient, WalletClient } from "viem";
import { decodeRevert, findRevertData } from "../domain/reverts.ts";
import type { Call, TypedData } from "./api.ts";
import { type CallExpectation, checkCall } from "./check-call.ts";
import { ArcadeChainError } from "./errors.ts";

export interface Receipt {
  readonly txHash: Hex;
  readonly status: "success" | "reverted";
  readonly gasUsed: bigint;
  /** Wei per gas. */
  readonly gasPrice: bigint;
  readonly block: number;
}

/** A call, and the message that the service signed for it. */
export interface PreparedCall {
  readonly call: Call;
  readonly typedData?: TypedData;
}

export interface ArcadeWallet {
  readonly address: Address;
  /** The chain that the wallet sends to. A wallet without it signs in on the chain of the client's contracts. */
  getChainId?(): Promise<number>;
  /** EIP-191 over the text. Throws `ArcadeChainError` with `REJECTED` if the wallet rejects it. */
  signMessage(message: string): Promise<Hex>;
  /** EIP-712; needed for votes and listings. */
  signTypedData?(typedData: TypedData): Promise<Hex>;
  /**
   * Sends a prepared call; `signed` is the message that the service signed for it, for wallets that show it. Throws
   * `ArcadeChainError`.
   */
  sendCall(call: Call, signed?: TypedData): Promise<{ readonly txHash: Hex }>;
  /**
   * Sends several calls at once (EIP-5792), all or none, and waits for their block; absent if the wallet cannot. The
   * hashes are in the order of the calls and may be equal. Throws `ArcadeChainError`.
   */
  sendCalls?(calls: readonly PreparedCall[]): Promise<readonly Hex[]>;
  /** Waits until a block includes the transaction; `TX_TIMEOUT` after two minutes. */
  waitForReceipt(txHash: Hex): Promise<Receipt>;
}

interface EthersReceipt {
  readonly gasUsed: bigint;
  readonly gasPrice: bigint;
  readonly blockNumber: number;
  readonly status: number | null;
}

/** What `fromEthers` uses of a signer of ethers 6; the package does not depend on ethers. */
export interface EthersSigner {
  readonly provider: {
    getNetwork(): Promise<{ readonly chainId: bigint }>;
    getTransactionReceipt(hash: string): Promise<EthersReceipt | null>;
    waitForTransaction(hash: string, confirmations: number, timeoutMs: number): Promise<EthersReceipt | null>;
  } | null;
  getAddress(): Promise<string>;
  signMessage(message: string): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: ethers' own types of a payload differ from version to version
  signTypedData(domain: any, types: any, message: any): Promise<string>;
  sendTransaction(transaction: {
    readonly to: string;
    readonly data: string;
    readonly value: bigint;
  }): Promise<{ readonly hash: string }>;
}

const RECEIPT_TIMEOUT_MS = 120_000;

/** The text of the node or wallet: libraries wrap its answer, viem in `cause`, ethers in `error` or `info`. */
function getErrorMessage(thrown: unknown): string {
  const walk = (value: unknown): string | null => {
    if (typeof value !== "object" || value === null) return null;
    const { cause, error, info, data, reason, shortMessage, message, status } = value as Record<string, unknown>;
    for (const inner of [cause, error, (info as { readonly error?: unknown } | undefined)?.error, data]) {
      const text = walk(inner);
      if (text !== null) return text;
    }
    const text = [reason, shortMessage, message].find((found) => typeof found === "string" && found !== "");
    if (text === undefined) return null;
    return typeof status === "number" ? `${text} (HTTP ${status})` : String(text).split("\n")[0]!;
  };
  return walk(thrown) ?? String(thrown);
}

const isRevert = (error: unknown): boolean =>
  /revert|CALL_EXCEPTION/i.test(`${(error as { code?: unknown })?.code ?? ""} ${(error as Error)?.message ?? ""}`);

/** EIP-1193's 4001 and ethers' code, in the error or in those that it wraps. */
export function isRejection(thrown: unknown, depthMax = 6): boolean {
  if (typeof thrown !== "object" || thrown === null || depthMax === 0) return false;
  const { code, cause, error, info } = thrown as Record<string, unknown>;
  const isOf = (inner: unknown): boolean => isRejection(inner, depthMax - 1);
  return code === 4001 || code === "ACTION_REJECTED" || [cause, error, info].some(isOf);
}

/** The error with its class and, if one of our contracts reverted, the name of the contract's error. */
function toChainError(error: unknown, context: string): ArcadeChainError {
  if (error instanceof ArcadeChainError) return error;
  const data = findRevertData(error);
  const revert = data === null ? null : decodeRevert(data);
  if (isRejection(error)) {
    const text = `${context}: the wallet rejected it, and nothing was sent (${getErrorMessage(error)}). Repeat it, and confirm it in the wallet.`;
    return new ArcadeChainError("REJECTED", text, { cause: error });
  }
  const code = revert !== null || isRevert(error) ? "REVERTED" : "RPC_FAULT";
  const message = `${context}: ${revert?.text ?? getErrorMessage(error)}`;
  return new ArcadeChainError(code, message, { revertName: revert?.name ?? null, cause: error });
}

/** A signature, or `REJECTED`; other errors of the wallet stay as they are. */
async function sign(context: string, signature: Promise<string>): Promise<Hex> {
  return signature.catch((error: unknown) => {
    throw isRejection(error) ? toChainError(error, context) : error;
  }) as Promise<Hex>;
}

function createTimeoutError(txHash: Hex, cause?: unknown): ArcadeChainError {
  return new ArcadeChainError(
    "TX_TIMEOUT",
    `No block took ${txHash} within ${RECEIPT_TIMEOUT_MS / 1000} s; look it up before sending again.`,
    { txHash, cause },
  );
}

/** `chainId`: the chain of the wallet that sends, or of the public client that reads. */
function checkChain(call: Call, of: "wallet" | "public client", chainId: number): void {
  if (chainId === call.chainId) return;
  const remedy = of === "wallet" ? "switch it" : `create it for chain ${call.chainId}`;
  throw new ArcadeChainError(
    "WRONG_CHAIN",
    `The call is for chain ${call.chainId}, the ${of} is on chain ${chainId}; ${remedy}.`,
  );
}

/** What `fromViem` uses of a public client. On OP Stack chains other actions have different types. */
type ViemReader = Pick<PublicClient, "getChainId" | "waitForTransactionReceipt">;

/** A viem wallet. The wallet client must carry its account. */
export function fromViem(walletClient: WalletClient, publicClient: ViemReader): ArcadeWallet {
  const { account } = walletClient;
  if (account === undefined) throw new TypeError("fromViem: the wallet client has no account; create it with one");
  if (publicClient === undefined)
    throw new TypeError("fromViem: expected a public client after the wallet client, received undefined");
  return {
    address: account.address,
    getChainId: () => walletClient.getChainId(),
    signMessage: (message) => sign("sign-in message", walletClient.signMessage({ account, message })),
    signTypedData: ({ domain, types, primaryType, message }) =>
      sign(primaryType, walletClient.signTypedData({ account, domain, types, primaryType, message } as never)),
    async sendCall(call) {
      try {
        // They may use different nodes; a browser wallet sends to its current chain.
        const [sendsTo, readsFrom] = await Promise.all([walletClient.getChainId(), publicClient.getChainId()]);
        checkChain(call, "wallet", sendsTo);
        checkChain(call, "public client", readsFrom);
        const { to, data } = call;
        const txHash = await walletClient.sendTransaction({
          account,
          chain: walletClient.chain ?? null,
          to,
          data,
          value: BigInt(call.value),
        });
        return { txHash };
      } catch (error) {
        throw toChainError(error, call.functionName);
      }
    },
    async waitForReceipt(txHash) {
      try {
        const receipt = await publicClient.waitForTransactionReceipt({ hash: txHash, timeout: RECEIPT_TIMEOUT_MS });
        const { status, gasUsed, effectiveGasPrice, blockNumber, transactionHash } = receipt;
        // A wallet may replace its transaction (a higher fee): use the receipt's hash.
        return { txHash: transactionHash, status, gasUsed, gasPrice: effectiveGasPrice, block: Number(blockNumber) };
      } catch (error) {
        if ((error as Error)?.name === "WaitForTransactionReceiptTimeoutError") throw createTimeoutError(txHash, error);
        throw toChainError(error, txHash);
      }
    },
  };
}

/** An ethers wallet. The signer must be connected to a provider. */
export async function fromEthers(signer: EthersSigner): Promise<ArcadeWallet> {
  if (typeof signer?.signTypedData !== "function")
    throw new TypeError(
      "fromEthers: expected a signer of ethers 6, received one without `signTypedData`, as in ethers 5",
    );
  const { provider } = signer;
  if (provider === null) throw new TypeError("fromEthers: the signer has no provider; connect it to one");
  return {
    address: (await signer.getAddress()) as Address,
    getChainId: async () => Number((await provider.getNetwork()).chainId),
    signMessage: (message) => sign("sign-in message", signer.signMessage(message)),
    signTypedData({ domain, types, primaryType, message }) {
      // ethers derives EIP712Domain itself and rejects it among the types.
      const { EIP712Domain: _, ...own } = types;
      return sign(primaryType, signer.signTypedData(domain, own, message));
    },
    async sendCall(call) {
      try {
        checkChain(call, "wallet", Number((await provider.getNetwork()).chainId));
        const { to, data, value } = call;
        return { txHash: (await signer.sendTransaction({ to, data, value: BigInt(value) })).hash as Hex };
      } catch (error) {
        throw toChainError(error, call.functionName);
      }
    },
    async waitForReceipt(txHash) {
      try {
        // After a cached block number, ethers waits for one more block. An idle local chain has none.
        const receipt =
          (await provider.getTransactionReceipt(txHash)) ??
          (await provider.waitForTransaction(txHash, 1, RECEIPT_TIMEOUT_MS));
        if (receipt === null) throw createTimeoutError(txHash);
        const { gasUsed, gasPrice, blockNumber } = receipt;
        return { txHash, status: receipt.status === 1 ? "success" : "reverted", gasUsed, gasPrice, block: blockNumber };
      } catch (error) {
        if ((error as { code?: unknown })?.code === "TIMEOUT") throw createTimeoutError(txHash, error);
        throw toChainError(error, txHash);
      }
    },
  };
}

/**
 * Sends a prepared call if it is the `expected` one, and waits for its block. Throws `ArcadeChainError`: `CALL_REFUSED`
 * if the call differs, `REVERTED` if it failed.
 */
export async function sendSignedCall(
  wallet: ArcadeWallet,
  prepared: PreparedCall,
  expected: CallExpectation,
): Promise<Receipt> {
  checkCall(prepared.call, expected);
  const { txHash } = await wallet.sendCall(prepared.call, prepared.typedData);
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
