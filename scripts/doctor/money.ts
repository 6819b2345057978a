/** Whether payouts can be paid: caps, float, and gas for the operator. */
import { formatEther, formatUnits } from "viem";
import { REWARDS_ABI, TOKEN_ABI } from "../../deploy/abi.ts";
import { type CheckResult, type DoctorTarget, error, ok, skipped, warning } from "./target.ts";

/** Gas of one payout, above the highest of the gas table. */
const PAYOUT_GAS = 80_000n;
/** The number of payouts that the operator must be able to pay gas for: below it, a fault or a warning. */
const MIN_PAYOUTS = { error: 20n, warning: 500n };

async function readRewards({ client, record }: DoctorTarget) {
  const contract = { address: record.rewards, abi: REWARDS_ABI } as const;
  const [caps, dailyLeft, minScore, maxPayout, rate, float, symbol] = await Promise.all([
    client.readContract({ ...contract, functionName: "caps" }),
    client.readContract({ ...contract, functionName: "getDailyRemaining" }),
    client.readContract({ ...contract, functionName: "minScore" }),
    client.readContract({ ...contract, functionName: "maxPayout" }),
    client.readContract({ ...contract, functionName: "scoreToTokenRate" }),
    client.readContract({ ...contract, functionName: "floatBalance" }),
    client.readContract({ address: record.token, abi: TOKEN_ABI, functionName: "symbol" }),
  ]);
  return { daily: caps[0], weekly: caps[1], dailyLeft, least: minScore * rate, most: maxPayout, float, symbol };
}

/** A payout pays at most `maxPayout` of a scorebank, and at least the tokens for the minimum score. */
export async function checkCapsAndFloat(target: DoctorTarget): Promise<readonly CheckResult[]> {
  const { daily, weekly, dailyLeft, least, most, float, symbol } = await readRewards(target);
  const tokens = (amount: bigint): string => `${Number(formatUnits(amount, 18)).toLocaleString("en-US")} ${symbol}`;
  const findings: CheckResult[] = [];
  const caps = `caps of ${tokens(daily)} a day and ${tokens(weekly)} a week`;
  const raise = "the admin runs npm run admin -- chain limits once the cause is fixed";
  if (daily < least || weekly < least) {
    const finding = `rewards: ${caps} are below the smallest payout, ${tokens(least)}: nothing can be paid`;
    findings.push(error("caps", finding, raise));
  } else if (daily < most) {
    findings.push(warning("caps", `rewards: ${caps} are below one payout, at most ${tokens(most)}`, raise));
  } else
    findings.push(ok("caps", `rewards: ${caps}, one payout at most ${tokens(most)}; larger scorebanks in portions`));
  if (dailyLeft < least) {
    findings.push(
      warning(
        "caps.today",
        `rewards: only ${tokens(dailyLeft)} can still be paid today, less than the smallest payout`,
        "the cap resets at 00:00 UTC; if this is unusual, check the Payout events",
      ),
    );
  }
  const fund = "the treasury runs npm run admin -- chain fund (docs/contracts.md, Incidents)";
  if (float < most)
    findings.push(error("float", `rewards: a float of ${tokens(float)} does not pay the largest payout`, fund));
  else if (float < daily)
    findings.push(warning("float", `rewards: a float of ${tokens(float)} is below a day's cap`, fund));
  else findings.push(ok("float", `rewards: a float of ${tokens(float)}`));
  return findings;
}

export async function checkOperatorBalance({ client, keys }: DoctorTarget): Promise<readonly CheckResult[]> {
  if (keys.operator === null) {
    return [skipped("balance.operator", "the operator's ether was not checked", "set ARCADE_OPERATOR_KEY")];
  }
  const { address } = keys.operator;
  const [balance, price] = await Promise.all([client.getBalance({ address }), client.getGasPrice()]);
  const count = price === 0n ? MIN_PAYOUTS.warning : balance / (price * PAYOUT_GAS);
  const finding = `the operator ${address} has ${formatEther(balance)} ETH, gas for ${count.toLocaleString("en-US")} payouts now`;
  const next = `send it at least ${formatEther(price * PAYOUT_GAS * MIN_PAYOUTS.warning)} ETH`;
  if (count < MIN_PAYOUTS.error) return [error("balance.operator", finding, next)];
  if (count < MIN_PAYOUTS.warning) return [warning("balance.operator", finding, next)];
  return [ok("balance.operator", finding)];
}
