/** Limits of payouts and sessions, and the float. */
import { formatUnits, parseUnits } from "viem";
import { type AdminCall, createCall, loadToken, type Power } from "../../../deploy/admin/calls.ts";
import { defineCommand } from "../../cli/command.ts";
import { UsageError } from "../../cli/failures.ts";
import { readView } from "./read.ts";
import { runChainCommand } from "./run.ts";
import { CHAIN_FLAGS, type ChainTarget, parseAddress, selectContract } from "./target.ts";

const DECIMALS = 18;
const formatTokens = (amount: bigint): string => `${formatUnits(amount, DECIMALS)} tokens`;

/** Parses an amount of tokens, such as `5000` or `0.5`, to base units. Throws `UsageError`. */
function parseTokens(name: string, text: string): bigint {
  if (/^\d{1,30}(\.\d{1,18})?$/.test(text)) return parseUnits(text, DECIMALS);
  throw new UsageError(`${name}: expected an amount of tokens such as 5000 or 0.5, received "${text}"`);
}

/** Guardian and admin may lower a limit; only the admin raises one. */
const toPowers = (isRaised: boolean): readonly Power[] => (isRaised ? ["admin"] : ["guardian", "admin"]);

interface NewLimits {
  readonly dailyCap?: bigint;
  readonly weeklyCap?: bigint;
  readonly maxPayout?: bigint;
  readonly maxScore?: bigint;
}

async function describeLimits(target: ChainTarget, limits: NewLimits): Promise<readonly AdminCall[]> {
  const contract = selectContract(target, "rewards");
  const [[daily, weekly], maxPayout, maxScore] = await Promise.all([
    readView<readonly [bigint, bigint]>(target, contract, "caps"),
    readView<bigint>(target, contract, "maxPayout"),
    readView<bigint>(target, contract, "maxScorePerSession"),
  ]);
  const calls: AdminCall[] = [];
  const newDaily = limits.dailyCap ?? daily;
  const newWeekly = limits.weeklyCap ?? weekly;
  if (newDaily !== daily || newWeekly !== weekly) {
    const toText = (day: bigint, week: bigint): string => `${formatTokens(day)} a day, ${formatTokens(week)} a week`;
    const change = { what: "rewards: caps", from: toText(daily, weekly), to: toText(newDaily, newWeekly) };
    const powers = toPowers(newDaily > daily || newWeekly > weekly);
    calls.push(createCall(contract, "setCaps", [newDaily, newWeekly], { powers, change }));
  }
  if (limits.maxPayout !== undefined && limits.maxPayout !== maxPayout) {
    const change = { what: "rewards: one payout", from: formatTokens(maxPayout), to: formatTokens(limits.maxPayout) };
    const powers = toPowers(limits.maxPayout > maxPayout);
    calls.push(createCall(contract, "setMaxPayout", [limits.maxPayout], { powers, change }));
  }
  if (limits.maxScore !== undefined && limits.maxScore !== maxScore) {
    const change = { what: "rewards: one session", from: `${maxScore} points`, to: `${limits.maxScore} points` };
    const powers = toPowers(limits.maxScore > maxScore);
    calls.push(createCall(contract, "setMaxScorePerSession", [limits.maxScore], { powers, change }));
  }
  return calls;
}

const setLimits = defineCommand({
  name: "chain limits",
  summary: "changes limits of payouts; guardian or admin may lower them, only the admin raises them",
  flags: {
    "daily-cap": { type: "string", value: "TOKENS", help: "maximum of all payouts of a UTC day" },
    "weekly-cap": { type: "string", value: "TOKENS", help: "maximum of all payouts of a week" },
    "max-payout": { type: "string", value: "TOKENS", help: "maximum of one payout" },
    "max-score": { type: "string", value: "POINTS", help: "maximum points of one session" },
    ...CHAIN_FLAGS,
  },
  examples: ["npm run admin -- chain limits --daily-cap 1000 --max-payout 100 --network baseSepolia"],
  async run({ flags }, terminal) {
    const parse = (name: "daily-cap" | "weekly-cap" | "max-payout") =>
      flags[name] === undefined ? undefined : parseTokens(`--${name}`, flags[name]);
    const dailyCap = parse("daily-cap");
    const weeklyCap = parse("weekly-cap");
    const maxPayout = parse("max-payout");
    const score = flags["max-score"];
    if (score !== undefined && !/^[1-9]\d{0,18}$/.test(score))
      throw new UsageError(`--max-score: expected a number of points, received "${score}"`);
    const limits: NewLimits = {
      ...(dailyCap === undefined ? {} : { dailyCap }),
      ...(weeklyCap === undefined ? {} : { weeklyCap }),
      ...(maxPayout === undefined ? {} : { maxPayout }),
      ...(score === undefined ? {} : { maxScore: BigInt(score) }),
    };
    if (Object.keys(limits).length === 0)
      throw new UsageError("expected at least one of --daily-cap, --weekly-cap, --max-payout, --max-score");
    return runChainCommand("Change limits", flags, terminal, async (target) => {
      const calls = await describeLimits(target, limits);
      const note =
        calls.length === 0
          ? "Nothing to do: the limits already have these values."
          : "Write them into the file of --roles; otherwise the doctor reports them.";
      return { calls, notes: [note] };
    });
  },
});

const fund = defineCommand({
  name: "chain fund",
  args: { amount: { value: "TOKENS", help: "how many tokens" } },
  summary: "adds tokens to the float; from the treasury, or any account that has them",
  flags: CHAIN_FLAGS,
  examples: ["npm run admin -- chain fund 100000 --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const amount = parseTokens("TOKENS", args.amount);
    return runChainCommand("Fund the float", flags, terminal, async (target) => {
      const rewards = selectContract(target, "rewards");
      const token = await loadToken(target.record);
      const float = await readView<bigint>(target, rewards, "floatBalance");
      const approval = { what: "token: allowance of rewards", from: "as it is", to: formatTokens(amount) };
      const change = { what: "rewards: float", from: formatTokens(float), to: formatTokens(float + amount) };
      return {
        calls: [
          createCall(token, "approve", [rewards.address, amount], { powers: ["token"], change: approval }),
          createCall(rewards, "fund", [amount], {
            ...{ powers: ["token"], change, needsPrevious: true },
            findProblem: async (sender) => {
              const balance = await readView<bigint>(target, token, "balanceOf", [sender]);
              return balance >= amount ? null : `${sender} has ${formatTokens(balance)}, not ${formatTokens(amount)}`;
            },
          }),
        ],
        notes: [],
      };
    });
  },
});

const withdraw = defineCommand({
  name: "chain withdraw",
  args: { to: { help: "who receives them" }, amount: { value: "TOKENS", help: "how many tokens" } },
  summary: "withdraws tokens from the float, even while the contract is paused; admin only",
  flags: CHAIN_FLAGS,
  examples: ["npm run admin -- chain withdraw 0xTREASURY 100000 --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const to = parseAddress("TO", args.to);
    const amount = parseTokens("TOKENS", args.amount);
    return runChainCommand("Withdraw from the float", flags, terminal, async (target) => {
      const rewards = selectContract(target, "rewards");
      const float = await readView<bigint>(target, rewards, "floatBalance");
      if (amount > float)
        throw new UsageError(`TOKENS: the float has ${formatTokens(float)}, received ${formatTokens(amount)}`);
      const change = { what: `rewards: float, to ${to}`, from: formatTokens(float), to: formatTokens(float - amount) };
      return { calls: [createCall(rewards, "withdraw", [to, amount], { powers: ["admin"], change })], notes: [] };
    });
  },
});

export const LIMIT_COMMANDS = [setLimits, fund, withdraw];
