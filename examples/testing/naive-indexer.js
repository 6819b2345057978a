/** Indexes the approvals of a token as many tutorials do: it believes its node. Do not copy it. */
import { createPublicClient, http, parseAbiItem } from "viem";

const APPROVAL = parseAbiItem("event Approval(address indexed owner, address indexed spender, uint256 value)");

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
    const range = { fromBlock: this.#nextBlock, toBlock: head };
    const logs = await this.#client.getLogs({ address: this.#token, event: APPROVAL, ...range });
    this.rows.push(...logs.map(({ transactionHash }) => transactionHash));
    this.#nextBlock = head + 1n;
  }
}
