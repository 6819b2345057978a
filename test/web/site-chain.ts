import { type Chain, defineChain } from "viem";
import type { TestStack } from "../helpers/suite.ts";

/** The test's chain for viem. */
export const siteChainOf = (stack: Pick<TestStack, "chain" | "deployment">): Chain =>
  defineChain({
    id: stack.deployment.chainId,
    name: "test",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [stack.chain.rpcUrl] } },
  });
