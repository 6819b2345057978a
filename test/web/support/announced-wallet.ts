/** A wallet of the browser (EIP-6963) that signs with a key of the test, over the chain's own node. */
import type { Page } from "playwright-core";
import { type Account, createWalletClient, type Hex, http, publicActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { TestStack } from "../../helpers/suite.ts";
import { siteChainOf } from "../site-chain.ts";

interface Call {
  readonly to: Hex;
  readonly data: Hex;
  readonly value?: Hex;
}

const NAME = "<b>Test</b>";

/** EIP-5792: the calls of a request as transactions of one account, one after the other. */
function createBatches(stack: TestStack, account: Account) {
  const client = createWalletClient({ account, chain: siteChainOf(stack), transport: http(stack.chain.rpcUrl) });
  const sent = new Map<string, readonly Hex[]>();
  const send = ({ to, data, value }: Call): Promise<Hex> =>
    client.sendTransaction({ account, chain: client.chain, to, data, value: BigInt(value ?? "0x0") });
  return {
    send,
    async sendAll({ calls, atomicRequired }: { readonly calls: readonly Call[]; readonly atomicRequired: boolean }) {
      if (!atomicRequired) throw new Error("the page should ask for all or none");
      const hashes: Hex[] = [];
      for (const call of calls) hashes.push(await send(call));
      const id = `0x${(sent.size + 1).toString(16)}`;
      sent.set(id, hashes);
      return { id };
    },
    async getStatus(id: string) {
      const reader = client.extend(publicActions);
      const receipts = await Promise.all(
        sent.get(id)!.map((hash) => reader.waitForTransactionReceipt({ hash, pollingInterval: 20 })),
      );
      const isGood = receipts.every(({ status }) => status === "success");
      return {
        version: "2.0.0",
        id,
        status: isGood ? 200 : 500,
        atomic: true,
        receipts: receipts.map(({ transactionHash }) => ({ transactionHash, status: "0x1" })),
      };
    },
  };
}

/** Announces the wallet to the page. Returns the methods that the page asks for, in order. */
export async function announceWallet(
  page: Page,
  { stack }: { readonly stack: TestStack },
  { offersBatches }: { readonly offersBatches: boolean },
): Promise<readonly string[]> {
  const account = privateKeyToAccount(generatePrivateKey());
  const batches = createBatches(stack, account);
  const chainId = `0x${stack.deployment.chainId.toString(16)}`;
  const requests: string[] = [];
  await page.exposeFunction("walletRequest", async (method: string, params: readonly unknown[]) => {
    requests.push(method);
    const isBatch = method.startsWith("wallet_") && !offersBatches;
    if (isBatch) throw new Error(`the method ${method} does not exist`);
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return [account.address];
      case "eth_chainId":
        return chainId;
      case "personal_sign":
        return account.signMessage({ message: { raw: params[0] as Hex } });
      case "eth_signTypedData_v4":
        return account.signTypedData(JSON.parse(params[1] as string));
      case "eth_sendTransaction":
        return batches.send(params[0] as Call);
      case "wallet_getCapabilities":
        return { [chainId]: { atomic: { status: "supported" } } };
      case "wallet_sendCalls":
        return batches.sendAll(params[0] as Parameters<typeof batches.sendAll>[0]);
      case "wallet_getCallsStatus":
        return batches.getStatus(params[0] as string);
      default:
        return stack.chain.request(method, [...params]);
    }
  });
  const announce = (name: string): void => {
    const { walletRequest } = window as unknown as {
      walletRequest(method: string, params: readonly unknown[]): Promise<unknown>;
    };
    const provider = {
      request: ({ method, params }: { method: string; params?: unknown[] }) => walletRequest(method, params ?? []),
      /** A test sends `wallet:EVENT`. */
      on: (event: string, listener: (value: unknown) => void) =>
        addEventListener(`wallet:${event}`, (sent) => listener((sent as CustomEvent).detail)),
    };
    const detail = { info: { uuid: "1", name, icon: "", rdns: "test" }, provider };
    const send = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    addEventListener("eip6963:requestProvider", send);
    send();
  };
  await page.evaluate(announce, NAME);
  // The next load has the wallet too.
  await page.addInitScript(announce, NAME);
  return requests;
}
