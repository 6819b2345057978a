/** The development faucets: of a local node that another program runs, and of the chain in this process. */
import { type Address, createClient, type Hex } from "viem";
import { isSameAddress } from "../../../domain/addresses.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { createNodeTransport } from "./transport.ts";

const TIMEOUT_MS = 5000;

const createFaucetError = (message: string, cause: unknown): ArcadeError =>
  new ArcadeError("CHAIN_UNAVAILABLE", message, {}, { cause });

/**
 * Sends wei from `from`, an account that the chain of this process has unlocked. Throws `CHAIN_UNAVAILABLE` if the
 * chain is closed or rejects the transaction.
 */
export const createLocalFaucet =
  (
    chain: { request(method: string, params: readonly unknown[]): Promise<unknown> },
    from: Address,
  ): ((to: Address, wei: bigint) => Promise<Hex>) =>
  async (to, wei) => {
    try {
      return (await chain.request("eth_sendTransaction", [{ from, to, value: `0x${wei.toString(16)}` }])) as Hex;
    } catch (cause) {
      throw createFaucetError("The local chain's faucet could not send; is the chain still running?", cause);
    }
  };

/**
 * Sends wei from an account that the node has unlocked: `preferred` if it is among them, otherwise the last one.
 * Throws `CHAIN_UNAVAILABLE` if the node unlocks none or rejects the transaction.
 */
export function createNodeFaucet(rpcUrl: string, preferred: Address): (to: Address, wei: bigint) => Promise<Hex> {
  const client = createClient({ transport: createNodeTransport(rpcUrl, TIMEOUT_MS, 1) });
  const send = async (to: Address, wei: bigint): Promise<Hex> => {
    const accounts = (await client.request({ method: "eth_accounts" } as never)) as readonly Address[];
    const from = accounts.find((account) => isSameAddress(account, preferred)) ?? accounts.at(-1);
    if (from === undefined) throw new Error("the node has unlocked no account");
    const transaction = { from, to, value: `0x${wei.toString(16)}` };
    return (await client.request({ method: "eth_sendTransaction", params: [transaction] } as never)) as Hex;
  };
  return (to, wei) =>
    send(to, wei).catch((cause: unknown) => {
      throw createFaucetError("The node's faucet could not send; its accounts must be unlocked.", cause);
    });
}
