/** Rules of the chain model, each changed in one line. A useful comparison must detect each of them. */
import { registerHooks } from "node:module";
import { replaceOnce } from "../../injected/replace-once.ts";
import type * as Replay from "./replay.ts";

const FOLDER = "lab/simulate/chain";

interface ChangedRule {
  readonly file: string;
  readonly line: string;
  readonly replacement: string;
}

const change = (file: string, line: string, replacement: string): ChangedRule => ({ file, line, replacement });
const payout = (line: string, replacement: string) => change("payout-rule.ts", line, replacement);
const call = (line: string, replacement: string) => change("contracts.ts", line, replacement);
const view = (line: string, replacement: string) => change("views.ts", line, replacement);

export const CHANGED_RULES: { readonly [name: string]: ChangedRule } = {
  "cooldown ends a second later": payout("time < cooldownEnd,", "time <= cooldownEnd,"),
  "no cooldown before the first payout": payout(
    "(account.lastPayoutAt || account.firstPlayAt)",
    "account.lastPayoutAt",
  ),
  "new identities are paid": payout("time < primarySince + cooldownSeconds,", "false,"),
  "sums outlive their day": payout("if (day === today) return", "if (day !== today - 1n) return"),
  "weeks begin on Tuesdays": payout("(day + 3n) / 7n", "(day + 2n) / 7n"),
  "one payout may be of any amount": payout("min(bank, limits.maxPayout, dailyLeft", "min(bank, dailyLeft"),
  "a cap is left out": payout("limits.maxPayout, dailyLeft, weeklyLeft)", "limits.maxPayout, dailyLeft)"),
  "another reason comes first": payout('["BELOW_MINIMUM", "BelowMinimum", [bank, minScore]],', ""),
  "an empty float pays": payout("FLOAT_EMPTY: float < amount,", "FLOAT_EMPTY: false,"),
  "deadlines end a second earlier": call("if (deadline < time)", "if (deadline <= time)"),
  "deadlines may be a second later": call("if (deadline - time > MAX", "if (deadline - time > 1n + MAX"),
  "signatures have any v": call("HAS_CONTRACT_V.test(signature)", "true"),
  "any signer will do": call("if (recovered !== signer)", "if (recovered === null)"),
  "others mint a wallet's identity": call("&& key(from) !== key(to))", "&& key(from) === ZERO)"),
  "identities need no consent": call("if (willing !== to)", "if (willing === ZERO)"),
  "mints are not counted": call("mintNonce: holder.mintNonce + 1n,", "mintNonce: holder.mintNonce,"),
  "the last identity is the primary one": call("holder.primaryId === 0n ?", "holder.primaryId >= 0n ?"),
  "an NFT is minted twice": call("if (isMint && record !== undefined)", "if (isMint && record === null)"),
  "a score is recorded again": call("if (score <= record.score)", "if (score < record.score)"),
  "tiers begin a point later": call("score >= least", "score > least"),
  "mints are timed by the second": call("(time / 60n) * 60n", "time"),
  "a session is credited twice": call("for (const session of seen) state.consumed.add(session);", ""),
  "a batch has a session twice": call("|| seen.has(session))", ")"),
  "scores have no limit": call("score > limits.maxScorePerSession ?", "score === 0n ?"),
  "a payout may be too small": call("amount < leastAmount", "amount + leastAmount < 0n"),
  "every snapshot is a first one": call("before.snapshots === 0n && before", "before.snapshots >= 0n || before"),
  "anyone asks for a payout": call("key(one) === key(from))", 'key(one) !== "")'),
  "payouts have no time": call("scorebank, lastPayoutAt: time }", "scorebank }"),
  "payouts are not summed up": call("state.paidToday += points;", ""),
  "readiness forgets the amount": view(
    "[reasons === 0n, reasons, nextPayoutAt, amount]",
    "[true, reasons, nextPayoutAt, amount]",
  ),
  "consumed sessions look open": view("[block.state.consumed.has(", "[!block.state.consumed.has("),
};

const NAME = "changed";

/** Loads a copy of the model with one rule changed, and returns its `findDifference`. Other imports do not change. */
export async function loadChanged(name: string): Promise<typeof Replay.findDifference> {
  const rule = CHANGED_RULES[name];
  if (rule === undefined) throw new Error(`there is no changed rule ${name}`);
  const query = new URLSearchParams({ [NAME]: name }).toString();
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const isOfModel = resolved.url.includes(`/${FOLDER}/`) && context.parentURL?.endsWith(`?${query}`) === true;
      return isOfModel ? { ...resolved, url: `${resolved.url}?${query}` } : resolved;
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${FOLDER}/${rule.file}?${query}`)) return loaded;
      return { ...loaded, source: replaceOnce(String(loaded.source), rule.line, rule.replacement) };
    },
  });
  try {
    const module: typeof Replay = await import(new URL(`./replay.ts?${query}`, import.meta.url).href);
    return module.findDifference;
  } finally {
    hooks.deregister();
  }
}
