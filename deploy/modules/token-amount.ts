import { formatUnits } from "viem";

/** An amount of the reward token as text: `20,000 ARCD`, with all of its decimals. */
export function formatTokens(amount: bigint, { symbol }: { readonly symbol: string }): string {
  const [whole = "0", fraction] = formatUnits(amount, 18).split(".");
  return `${BigInt(whole).toLocaleString("en-US")}${fraction === undefined ? "" : `.${fraction}`} ${symbol}`;
}
