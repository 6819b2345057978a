/** A scripted browser wallet (EIP-6963) for tests. It signs with a test key and sends through a node. */
import { type Account, createWalletClient, defineChain, type Hex, http, publicActions, RpcError } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

/** A page of Playwright. */
export interface WalletPage {
  exposeFunction(name: string, run: (method: string, params: readonly unknown[]) => Promise<Answer>): Promise<unknown>;
  addInitScript(script: (info: WalletInfo) => void, info: WalletInfo): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: Playwright's own type of any function
  evaluate(script: (value: any) => void, value: unknown): Promise<unknown>;
}

interface WalletInfo {
  readonly uuid: string;
  readonly name: string;
}

export interface WalletOptions {
  /** The node that transactions are sent to. */
  readonly rpcUrl: string;
  /** A new key without ether by default. */
  readonly privateKey?: Hex;
  /** The name that the page shows. */
  readonly name?: string;
  /** Whether it can send several calls at once (EIP-5792). */
  readonly offersBatches?: boolean;
}

export interface WalletRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface ScriptedWallet {
  readonly address: Hex;
  /** The page's requests, in order. */
  readonly requests: readonly WalletRequest[];
  /** Approves requests from now on; the default. */
  approve(): void;
  /** Rejects requests from now on: error 4001. */
  reject(): void;
  /** Switches to an account, a new one by default, and notifies the page. */
  switchAccount(privateKey?: Hex): Promise<void>;
  /** Switches to a chain and notifies the page. On another chain nothing can be sent: error 4901. */
  switchChain(chainId: number): Promise<void>;
}

type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

interface Call {
  readonly to: Hex;
  readonly data?: Hex;
  readonly value?: Hex;
}

class WalletError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const ASKS_THE_PERSON = /^(eth_requestAccounts|eth_send|eth_sign|personal_sign|wallet_sendCalls|wallet_switch)/;
const SENDS = /^(eth_send|wallet_sendCalls)/;
const toHex = (number: number): string => `0x${number.toString(16)}`;

/** Runs in the page. */
function announce(info: WalletInfo): void {
  const page = window as unknown as {
    arcadeWallet(method: string, params: readonly unknown[]): Promise<Answer>;
    arcadeWalletEvent?(event: string, value: unknown): void;
  };
  const listeners: { event: string; run(value: unknown): void }[] = [];
  page.arcadeWalletEvent = (event, value) => {
    for (const listener of [...listeners]) if (listener.event === event) listener.run(value);
  };
  const provider = {
    async request({ method, params }: { method: string; params?: unknown[] }): Promise<unknown> {
      const answer = await page.arcadeWallet(method, params ?? []);
      if ("result" in answer) return answer.result;
      throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    },
    on: (event: string, run: (value: unknown) => void) => void listeners.push({ event, run }),
    removeListener(event: string, run: (value: unknown) => void) {
      const index = listeners.findIndex((listener) => listener.event === event && listener.run === run);
      if (index >= 0) listeners.splice(index, 1);
    },
  };
  const icon = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>";
  const detail = Object.freeze({ info: { ...info, icon, rdns: "test.agent-arcade" }, provider });
  const dispatch = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  addEventListener("eip6963:requestProvider", dispatch);
  dispatch();
}

class Wallet {
  readonly requests: WalletRequest[] = [];
  readonly #options: WalletOptions;
  readonly #client: ReturnType<typeof createNodeClient>;
  /** The transactions of the batches. */
  readonly #batches: Hex[][] = [];
  readonly #nodeChainId: number;
  account: Account & ReturnType<typeof privateKeyToAccount>;
  chainId: number;
  isRefusing = false;
  emit: (event: string, value: unknown) => Promise<unknown> = async () => undefined;

  constructor(options: WalletOptions, chainId: number) {
    this.#options = options;
    this.#nodeChainId = chainId;
    this.chainId = chainId;
    this.#client = createNodeClient(options.rpcUrl, chainId);
    this.account = privateKeyToAccount(options.privateKey ?? generatePrivateKey());
  }

  async answer(method: string, params: readonly unknown[]): Promise<Answer> {
    this.requests.push({ method, params });
    try {
      return { result: (await this.#run(method, params)) ?? null };
    } catch (error) {
      const { code } = error as Partial<WalletError>;
      const message = error instanceof RpcError ? error.details : (error as Error).message;
      return { error: { code: typeof code === "number" ? code : -32_603, message } };
    }
  }

  async #run(method: string, params: readonly unknown[]): Promise<unknown> {
    const { account } = this;
    if (this.isRefusing && ASKS_THE_PERSON.test(method)) throw new WalletError(4001, "User rejected the request.");
    if (this.chainId !== this.#nodeChainId && SENDS.test(method))
      throw new WalletError(4901, `The wallet is on chain ${this.chainId}.`);
    if (method.startsWith("wallet_") && method !== "wallet_switchEthereumChain" && this.#options.offersBatches !== true)
      throw new WalletError(-32_601, `the method ${method} does not exist`);
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return [account.address];
      case "eth_chainId":
        return toHex(this.chainId);
      case "personal_sign":
        return account.signMessage({ message: { raw: params[0] as Hex } });
      case "eth_signTypedData_v4":
        return account.signTypedData(JSON.parse(params[1] as string));
      case "eth_sendTransaction":
        return this.#send(params[0] as Call);
      case "wallet_switchEthereumChain":
        return this.#switchBack(Number((params[0] as { readonly chainId: string }).chainId));
      case "wallet_getCapabilities":
        return { [toHex(this.chainId)]: { atomic: { status: "supported" } } };
      case "wallet_sendCalls":
        return this.#sendAll((params[0] as { readonly calls: readonly Call[] }).calls);
      case "wallet_getCallsStatus":
        return this.#getStatus(params[0] as string);
      default:
        return this.#client.request({ method, params } as never);
    }
  }

  #send({ to, data = "0x", value = "0x0" }: Call): Promise<Hex> {
    return this.#client.sendTransaction({ account: this.account, to, data, value: BigInt(value) });
  }

  async #switchBack(chainId: number): Promise<null> {
    if (chainId !== this.#nodeChainId) throw new WalletError(4902, `Unrecognized chain ID "${toHex(chainId)}".`);
    await this.switchChain(chainId);
    return null;
  }

  async switchChain(chainId: number): Promise<void> {
    this.chainId = chainId;
    await this.emit("chainChanged", toHex(chainId));
  }

  async switchAccount(privateKey: Hex = generatePrivateKey()): Promise<void> {
    this.account = privateKeyToAccount(privateKey);
    await this.emit("accountsChanged", [this.account.address]);
  }

  /** Sends the transactions of one account one at a time. */
  async #sendAll(calls: readonly Call[]): Promise<{ readonly id: string }> {
    const hashes: Hex[] = [];
    for (const call of calls) hashes.push(await this.#send(call));
    return { id: toHex(this.#batches.push(hashes)) };
  }

  async #getStatus(id: string): Promise<object> {
    const wait = (hash: Hex) => this.#client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    const receipts = await Promise.all(this.#batches[Number(id) - 1]!.map(wait));
    return {
      version: "2.0.0",
      id,
      status: receipts.every(({ status }) => status === "success") ? 200 : 500,
      atomic: true,
      receipts: receipts.map(({ transactionHash }) => ({ transactionHash, status: "0x1" })),
    };
  }
}

const createNodeClient = (rpcUrl: string, id = 0) => {
  const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
  const chain = defineChain({ id, name: "test", nativeCurrency, rpcUrls: { default: { http: [rpcUrl] } } });
  return createWalletClient({ chain, transport: http(rpcUrl, { retryCount: 0 }) }).extend(publicActions);
};

/** Announces a wallet to the page, now and after each navigation. */
export async function announceWallet(page: WalletPage, options: WalletOptions): Promise<ScriptedWallet> {
  const wallet = new Wallet(options, await createNodeClient(options.rpcUrl).getChainId());
  const info = { uuid: crypto.randomUUID(), name: options.name ?? "Scripted wallet" };
  await page.exposeFunction("arcadeWallet", (method, params) => wallet.answer(method, params));
  await page.addInitScript(announce, info);
  await page.evaluate(announce, info);
  const tell = ([event, value]: [string, unknown]) => {
    const { arcadeWalletEvent } = window as { arcadeWalletEvent?(event: string, value: unknown): void };
    arcadeWalletEvent?.(event, value);
  };
  wallet.emit = (event, value) => page.evaluate(tell, [event, value]);
  return {
    requests: wallet.requests,
    get address() {
      return wallet.account.address;
    },
    approve: () => {
      wallet.isRefusing = false;
    },
    reject: () => {
      wallet.isRefusing = true;
    },
    switchAccount: (privateKey) => wallet.switchAccount(privateKey),
    switchChain: (chainId) => wallet.switchChain(chainId),
  };
}
