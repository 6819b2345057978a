/** The contract's payouts, read from the chain. It needs viem, so it is loaded after the rest of the page. */
import { formatUnits, parseAbi } from "viem";
import { DAY_SECONDS } from "../../domain/time.ts";
import { createChainReader, siteChain } from "../wallet/chain.ts";
import { type DayRow, sumByDay } from "./days.ts";

const PAYOUT_EVENT = parseAbi([
  "event Payout(address indexed wallet, uint256 indexed day, uint256 score, uint256 amount, uint256 scorebank)",
]);

/** Tokens paid by day; null if the service lists no node. Throws the node's errors. */
export async function loadPaid(decimals: number): Promise<readonly DayRow[] | null> {
  if (siteChain.rpcUrl === null) return null;
  const reader = createChainReader(siteChain, null);
  const events = await reader.getContractEvents({
    address: siteChain.contracts.rewards,
    abi: PAYOUT_EVENT,
    eventName: "Payout",
    fromBlock: BigInt(siteChain.startBlock),
  });
  return sumByDay(
    events.map(({ args: { day, amount } }) => ({
      at: Number(day!) * DAY_SECONDS,
      value: Number(formatUnits(amount!, decimals)),
    })),
  );
}
