import { type Address, type Hex, type PublicClient, parseAbi } from "viem";
import { CREATE_X } from "./create2.ts";

const [CONTRACT_CREATION] = parseAbi(["event ContractCreation(address indexed newContract, bytes32 indexed salt)"]);

export interface Creation {
  readonly block: number;
  readonly txHash: Hex;
}

/** The first block whose state has code at `address`. Reads old states, so it needs an archive node. */
async function findFirstBlockWithCode(client: PublicClient, address: Address): Promise<bigint> {
  let low = 0n;
  let high = await client.getBlockNumber();
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((await client.getCode({ address, blockNumber: middle })) === undefined) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/**
 * The transaction that created a contract through CreateX, found on chain if the deployment's folder is lost. Throws
 * with the next step if the node keeps no old states.
 */
export async function findCreation(client: PublicClient, address: Address): Promise<Creation> {
  const block = await findFirstBlockWithCode(client, address).catch((cause: Error) => {
    throw new Error(
      `The block in which ${address} was created cannot be found: the node keeps no old states (${cause.message.split("\n")[0]}). Set an archive node with --rpc.`,
      { cause },
    );
  });
  const [log] = await client.getLogs({
    address: CREATE_X,
    event: CONTRACT_CREATION,
    args: { newContract: address },
    fromBlock: block,
    toBlock: block,
  });
  if (log === undefined) throw new Error(`block ${block} has no creation of ${address} by CreateX`);
  return { block: Number(block), txHash: log.transactionHash };
}
