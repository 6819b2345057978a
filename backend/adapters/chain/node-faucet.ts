/** The development faucet of a local node that another program runs. */
import { type Address, createClient, type Hex } from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import { createNodeTransport } from "./transport.ts";

const TIMEOUT_MS = 5000;

/**
 * Sends wei from an account that the node has unlocked: `preferred` where it is among them, otherwise the last one.
 * Throws `CHAIN_UNAVAILABLE` where the node unlocks none or rejects the transaction.
 */
export function createNodeFaucet(rpcUrl: string, preferred: Address): (to: Address, wei: bigint) => Promise<Hex> {
  const client = createClient({ transport: createNodeTransport(rpcUrl, TIMEOUT_MS, 1) });
  const send = async (to: Address, wei: bigint): Promise<Hex> => {
    const accounts = (await client.request({ method: "eth_accounts" } as never)) as readonly Address[];
    const from = accounts.find((account) => account.toLowerCase() === preferred.toLowerCase()) ?? accounts.at(-1);
    if (from === undefined) throw new Error("the node has unlocked no account");
    const transaction = { from, to, value: `0x${wei.toString(16)}` };
    return (await client.request({ method: "eth_sendTransaction", params: [transaction] } as never)) as Hex;
  };
  return (to, wei) =>
    send(to, wei).catch((cause: unknown) => {
      throw new ArcadeError(
        "CHAIN_UNAVAILABLE",
        "The node's faucet could not send; its accounts must be unlocked.",
        {},
        {
          cause,
        },
      );
    });
}
