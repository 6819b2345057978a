import { parseEther } from "viem";
import type { Address, Hex } from "../ports.ts";

/** Development money of the local chain. */
export interface FaucetPort {
  fund(address: Address, wei: bigint): Promise<Hex>;
}

const AMOUNT_WEI = parseEther("1");

export type Faucet = ReturnType<typeof makeFaucet>;

/** Gives gas to anybody who asks; exists on chain 31337 alone. */
export function makeFaucet(port: FaucetPort) {
  return {
    async fund(address: Address) {
      return { txHash: await port.fund(address, AMOUNT_WEI), amount: AMOUNT_WEI.toString() };
    },
  };
}
