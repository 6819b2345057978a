/** Indexes the approvals of a token as many tutorials do: it trusts its node. Do not copy it. */
import { createPublicClient, http, parseAbi } from "viem";

export const TOKEN_ABI = parseAbi([
  "event Approval(address indexed owner, address indexed spender, uint256 value)",
  "function approve(address spender, uint256 value) returns (bool)",
]);

export class NaiveIndexer {
  #client;
  #token;
  #nextBlock;
  /** Hashes of the transactions, in order. */
  rows = [];

  constructor({ rpcUrl, token, nextBlock }) {
    this.#client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }), cacheTime: 0 });
    this.#token = token;
    this.#nextBlock = nextBlock;
  }

  /** Reads the blocks since the last time. After an error the next call tries again. */
  async poll() {
    const head = await this.#client.getBlockNumber();
    if (head < this.#nextBlock) return;
    const filter = { address: this.#token, abi: TOKEN_ABI, eventName: "Approval" };
    const logs = await this.#client.getContractEvents({ ...filter, fromBlock: this.#nextBlock, toBlock: head });
    this.rows.push(...logs.map(({ transactionHash }) => transactionHash));
    this.#nextBlock = head + 1n;
  }
}
