import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isAddress } from "viem";
import type { LocalNode } from "./node.ts";
import { RpcError } from "./rpc-error.ts";

type Params = readonly unknown[];

const createInvalidParamsError = (message: string): RpcError => new RpcError(-32_602, message);

function readName(params: Params): string {
  const [name] = params;
  if (typeof name === "string" && /^[\w-]{1,64}$/.test(name)) return name;
  throw createInvalidParamsError("Expected a name of 1 to 64 letters, digits, - or _ for the saved chain");
}

/**
 * Handles requests to the local chain: the standard methods, and four more. `arcade_reorg(depth, lose)` replaces the
 * last blocks without the transactions of `lose`, `arcade_saveChain(name)` copies the chain, `arcade_loadChain(name)`
 * restores the copy, and `arcade_fund(address, wei)` sends ether from the faucet and returns the transaction's hash.
 */
export function createRpcHandler(node: LocalNode, savesDir: string) {
  const toPath = (params: Params): string => join(savesDir, `${readName(params)}.jsonl`);

  return async (method: string, params: Params): Promise<unknown> => {
    switch (method) {
      case "arcade_saveChain":
        await node.save(toPath(params));
        return { name: readName(params), blockNumber: node.blockNumber };
      case "arcade_loadChain":
        if ((await stat(toPath(params)).catch(() => null)) === null) {
          throw createInvalidParamsError(`No chain was saved as ${readName(params)}`);
        }
        await node.load(toPath(params));
        return { name: readName(params), blockNumber: node.blockNumber };
      case "arcade_fund": {
        const [address, wei] = params;
        if (typeof address !== "string" || !isAddress(address) || !/^0x[0-9a-fA-F]{1,24}$/.test(String(wei))) {
          throw createInvalidParamsError("Expected an address and an amount in wei as hex");
        }
        return await node.fund(address, BigInt(String(wei)));
      }
      default:
        return await node.request(method, params);
    }
  };
}
