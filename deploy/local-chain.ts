import { defineChain } from "viem";
import { LOCAL_CHAIN_ID } from "../domain/chain-ids.ts";

/** The local chain for viem. `viem/chains` would load about 700 chains. */
export const localChain = defineChain({
  id: LOCAL_CHAIN_ID,
  name: "Local chain",
  nativeCurrency: { decimals: 18, name: "Ether", symbol: "ETH" },
  rpcUrls: { default: { http: ["http://127.0.0.1:8545"] } },
});
