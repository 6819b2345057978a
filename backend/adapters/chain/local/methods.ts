import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isAddress } from "viem";
import { type LocalNode, RpcError } from "./node.ts";

type Params = readonly unknown[];

const invalid = (sentence: string): RpcError => new RpcError(-32_602, sentence);

function readName(params: Params): string {
  const [name] = params;
  if (typeof name === "string" && /^[\w-]{1,64}$/.test(name)) return name;
  throw invalid("A saved chain's name is 1 to 64 letters, digits, - or _");
}

/**
 * What the local chain answers: the standard methods, and three of its own for scripts.
 * `arcade_saveChain(name)` and `arcade_loadChain(name)` keep the chain and bring it back;
 * `arcade_fund(address, wei)` sends ether of the faucet and answers the transaction's hash.
 */
export function makeHandler(node: LocalNode, savesDir: string) {
  const pathOf = (params: Params): string => join(savesDir, `${readName(params)}.jsonl`);

  return async (method: string, params: Params): Promise<unknown> => {
    switch (method) {
      case "arcade_saveChain":
        await node.save(pathOf(params));
        return { name: readName(params), blockNumber: node.blockNumber };
      case "arcade_loadChain":
        if ((await stat(pathOf(params)).catch(() => null)) === null) {
          throw invalid(`No chain was saved as ${readName(params)}`);
        }
        await node.load(pathOf(params));
        return { name: readName(params), blockNumber: node.blockNumber };
      case "arcade_fund": {
        const [address, wei] = params;
        if (typeof address !== "string" || !isAddress(address) || !/^0x[0-9a-fA-F]{1,24}$/.test(String(wei))) {
          throw invalid("Expected an address and an amount in wei as hex");
        }
        return await node.fund(address, BigInt(String(wei)));
      }
      default:
        return await node.request(method, params);
    }
  };
}
