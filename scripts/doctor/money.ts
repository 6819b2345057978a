/** Can payouts be paid: caps, float, and gas for the operator. */
import { formatEther, formatUnits } from "viem";
import { REWARDS_ABI, TOKEN_ABI } from "../../deploy/abi.ts";
import { type Finding, fault, ok, type Patient, skipped, warning } from "./patient.ts";

/** Gas of one payout, above the dearest that the gas table allows. */
const PAYOUT_GAS = 80_000n;
/** Payouts the operator must have gas for: fewer is a fault, a warning. */
const PAYOUTS = { fault: 20n, warning: 500n };

async function readRewards({ client, record }: Patient) {
  const contract = { address: record.rewards, abi: REWARDS_ABI } as const;
  const [caps, dailyLeft, maxScore, rate, float, symbol] = await Promise.all([
    client.readContract({ ...contract, functionName: "caps" }),
    client.readContract({ ...contract, functionName: "getDailyRemaining" }),
    client.readContract({ ...contract, functionName: "maxScorePerSession" }),
    client.readContract({ ...contract, functionName: "scoreToTokenRate" }),
    client.readContract({ ...contract, functionName: "floatBalance" }),
    client.readContract({ address: record.token, abi: TOKEN_ABI, functionName: "symbol" }),
  ]);
  return { daily: caps[0], weekly: caps[1], dailyLeft, best: maxScore * rate, float, symbol };
}

export async function checkCapsAndFloat(patient: Patient): Promise<readonly Finding[]> {
  const { daily, weekly, dailyLeft, best, float, symbol } = await readRewards(patient);
  const tokens = (amount: bigint): string => `${Number(formatUnits(amount, 18)).toLocaleString("en-US")} ${symbol}`;
  const findings: Finding[] = [];
  const caps = `caps of ${tokens(daily)} a day and ${tokens(weekly)} a week`;
  if (daily === 0n || weekly === 0n) {
    findings.push(
      fault("caps", `rewards: ${caps}: nothing can be paid`, "setCaps by the admin, once the cause is gone"),
    );
  } else if (daily < best) {
    const finding = `rewards: ${caps}, but the best session earns ${tokens(best)}, which could then never be paid`;
    findings.push(
      fault("caps", finding, "setCaps higher by the admin, or setMaxScorePerSession lower by the guardian"),
    );
  } else findings.push(ok("caps", `rewards: ${caps}, the best session earns ${tokens(best)}`));
  if (dailyLeft < best) {
    findings.push(
      warning(
        "caps.today",
        `rewards: ${tokens(dailyLeft)} may still be paid today`,
        "it opens again at 00:00 UTC; more than usual? look at the Payout events",
      ),
    );
  }
  const fund = "approve and fund by the treasury (docs/contracts.md, Incidents)";
  if (float < best)
    findings.push(fault("float", `rewards: a float of ${tokens(float)} does not pay the best session`, fund));
  else if (float < daily)
    findings.push(warning("float", `rewards: a float of ${tokens(float)} is below a day's cap`, fund));
  else findings.push(ok("float", `rewards: a float of ${tokens(float)}`));
  return findings;
}

export async function checkOperatorBalance({ client, keys }: Patient): Promise<readonly Finding[]> {
  if (keys.operator === null) {
    return [skipped("balance.operator", "the operator is not known", "set ARCADE_OPERATOR_KEY")];
  }
  const { address } = keys.operator;
  const [balance, price] = await Promise.all([client.getBalance({ address }), client.getGasPrice()]);
  const count = price === 0n ? PAYOUTS.warning : balance / (price * PAYOUT_GAS);
  const finding = `the operator ${address} has ${formatEther(balance)} ETH, gas for ${count.toLocaleString("en-US")} payouts now`;
  const next = `send it at least ${formatEther(price * PAYOUT_GAS * PAYOUTS.warning)} ETH`;
  if (count < PAYOUTS.fault) return [fault("balance.operator", finding, next)];
  if (count < PAYOUTS.warning) return [warning("balance.operator", finding, next)];
  return [ok("balance.operator", finding)];
}
