/** Counts its nonces itself, as many scripts do: it trusts its node. Do not copy it. */
import { createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";

const FEES = { gas: 21_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };

export class NaiveSender {
  #client;
  #nonce = null;

  constructor({ rpcUrl, privateKey }) {
    const account = privateKeyToAccount(privateKey);
    const transport = http(rpcUrl, { retryCount: 0 });
    this.#client = createWalletClient({ account, chain: hardhat, transport }).extend(publicActions);
  }

  /** Throws the node's error; the caller may retry. */
  async send(to, value) {
    this.#nonce ??= await this.#client.getTransactionCount(this.#client.account);
    const hash = await this.#client.sendTransaction({ ...FEES, to, value, nonce: this.#nonce });
    this.#nonce += 1;
    return hash;
  }
}
