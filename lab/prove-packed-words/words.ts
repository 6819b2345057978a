/** The packed words of the contracts, their setters, and what must hold of each besides. */
import { add, and, atMost, below, bool, eq, ite, most, sub } from "./terms.ts";
import { bv, type Term } from "./to-smt.ts";
import type { Word } from "./word-properties.ts";

export const WORDS: readonly Word[] = [
  {
    file: "SignerConfig",
    bits: 256,
    setters: [
      {
        name: "setSigner",
        args: ["account", bool("flag")],
        variables: { account: 160, flag: 1 },
        changes: { signer: "account", signerIsContract: "flag" },
      },
      { name: "setPaused", args: [bool("flag")], variables: { flag: 1 }, changes: { paused: "flag" } },
    ],
  },
  {
    file: "IdentityConfig",
    bits: 256,
    setters: [
      { name: "setLastAgentId", args: ["id"], variables: { id: 64 }, changes: { lastAgentId: "id" } },
      { name: "setBaseUriMoved", args: [], variables: {}, changes: { baseUriMoved: bv(1n) } },
    ],
  },
  {
    file: "RewardsConfig",
    bits: 256,
    setters: [
      {
        name: "setMaxScorePerSession",
        args: ["score"],
        variables: { score: 64 },
        changes: { maxScorePerSession: "score" },
      },
    ],
  },
  scoreAccount(),
  payoutWindow(),
  {
    file: "HolderState",
    bits: 256,
    setters: [
      {
        name: "setPrimary",
        args: ["id", "since"],
        variables: { id: 64, since: 40 },
        changes: { primaryId: "id", primarySince: "since" },
      },
      ...[
        { name: "incrementNonce", field: "mintNonce", step: add, limit: most(64) },
        { name: "incrementBalance", field: "balance", step: add, limit: most(64) },
        { name: "decrementBalance", field: "balance", step: sub, limit: bv(0n) },
      ].map(({ name, field, step, limit }) => ({
        name,
        args: [],
        variables: { before: 64 },
        assume: [eq("before", holderField(field)), `(not ${eq("before", limit)})`],
        changes: { [field]: step("before", bv(1n)) },
      })),
    ],
  },
  {
    file: "TokenSlot",
    bits: 256,
    setters: [
      { name: "setOwner", args: ["account"], variables: { account: 160 }, changes: { owner: "account" } },
      { name: "setData", args: ["value"], variables: { value: 96 }, changes: { data: "value" } },
    ],
  },
  gameRecord(),
];

/** The fields of HolderState that count, by their drawn places. */
function holderField(name: string): Term {
  const offset = name === "mintNonce" ? 104 : 168;
  return `((_ zero_extend 192) ((_ extract ${offset + 63} ${offset}) word))`;
}

function scoreAccount(): Word {
  const bank = "((_ zero_extend 160) ((_ extract 95 0) word))";
  const count = "((_ zero_extend 224) ((_ extract 247 216) word))";
  // The bank never holds more than its number of snapshots times 2^64 points.
  const bound = (banked: Term, snapshots: Term): Term => atMost(banked, `(bvshl ${snapshots} ${bv(64n)})`);
  const isCounted = [bound(bank, count), below(count, most(32))];
  return {
    file: "ScoreAccount",
    bits: 256,
    setters: [
      {
        name: "credit",
        args: ["score", "time"],
        variables: { score: 64, time: 40 },
        assume: isCounted,
        changes: {
          scorebank: add(bank, "score"),
          firstPlayAt: ite(eq("word", bv(0n)), "time", "((_ zero_extend 216) ((_ extract 135 96) word))"),
          lastSnapshotAt: "time",
          snapshots: add(count, bv(1n)),
        },
      },
      {
        name: "take",
        args: ["points"],
        variables: { points: 96 },
        assume: [atMost("points", bank)],
        changes: { scorebank: sub(bank, "points") },
      },
      {
        name: "restore",
        args: ["points"],
        variables: { points: 96 },
        // What was taken was credited before.
        assume: [bound(add(bank, "points"), count), below(count, most(32))],
        changes: { scorebank: add(bank, "points") },
      },
      {
        name: "pay",
        args: ["points", "time"],
        variables: { points: 96, time: 40 },
        assume: [atMost("points", bank)],
        changes: { scorebank: sub(bank, "points"), lastPayoutAt: "time" },
      },
    ],
    more: (word) => [
      word.property(
        "credit keeps the bank within its bound, so no sum overflows",
        `(let ((next ${word.call("credit", "word", "score", "time")})) ${bound(word.field("scorebank", "next"), word.field("snapshots", "next"))})`,
        { score: 64, time: 40 },
        isCounted,
      ),
    ],
  };
}

function payoutWindow(): Word {
  const point = (offset: number): Term => `((_ zero_extend 216) ((_ extract ${offset + 39} ${offset}) word))`;
  const [today, week, daily, weekly, payout] = [0, 40, 80, 120, 160].map(point) as [Term, Term, Term, Term, Term];
  const day = "((_ zero_extend 232) ((_ extract 223 200) word))";
  const weekOf = (term: Term): Term => `(div7 ${add(term, bv(3n))})`;
  const left = (cap: Term, paid: Term): Term => ite(`(bvugt ${cap} ${paid})`, sub(cap, paid), bv(0n));
  return {
    file: "PayoutWindow",
    bits: 256,
    setters: [
      {
        name: "onDay",
        args: ["now"],
        variables: { now: 24 },
        changes: {
          day: "now",
          paidToday: ite(eq(day, "now"), today, bv(0n)),
          paidThisWeek: ite(eq(weekOf(day), weekOf("now")), week, bv(0n)),
        },
      },
      {
        name: "spend",
        args: ["points"],
        variables: { points: 40 },
        assume: [atMost("points", left(daily, today)), atMost("points", left(weekly, week))],
        changes: { paidToday: add(today, "points"), paidThisWeek: add(week, "points") },
      },
      {
        name: "setCaps",
        args: ["daily", "weekly"],
        variables: { daily: 40, weekly: 40 },
        changes: { dailyCap: "daily", weeklyCap: "weekly" },
      },
      { name: "setMaxPayout", args: ["points"], variables: { points: 40 }, changes: { maxPayout: "points" } },
      { name: "resume", args: ["time"], variables: { time: 32 }, changes: { resumedAt: "time" } },
      { name: "pause", args: [], variables: {}, changes: { resumedAt: most(32) } },
    ],
    more: (word) => {
      const now = word.call("payableNow", "word");
      const bounds = [payout, left(daily, today), left(weekly, week)];
      return [
        word.property("dailyLeft is what the day's cap leaves", eq(word.call("dailyLeft", "word"), left(daily, today))),
        word.property(
          "weeklyLeft is what the week's cap leaves",
          eq(word.call("weeklyLeft", "word"), left(weekly, week)),
        ),
        word.property(
          "payableNow is the smallest of the three bounds",
          and(...bounds.map((one) => atMost(now, one)), `(or ${bounds.map((one) => eq(now, one)).join(" ")})`),
        ),
      ];
    },
  };
}

function gameRecord(): Word {
  const count = "((_ zero_extend 244) ((_ extract 43 32) word))";
  const minutes = "(div60 time)";
  return {
    file: "GameRecord",
    bits: 96,
    setters: [
      {
        name: "upgrade",
        args: ["points", "time"],
        variables: { points: 32, time: 40 },
        assume: [atMost(minutes, most(26))],
        changes: {
          score: "points",
          upgradedAtMinute: minutes,
          upgrades: ite(eq(count, most(12)), count, add(count, bv(1n))),
        },
      },
      { name: "annul", args: [], variables: {}, changes: { score: bv(0n) } },
    ],
    more: (word) => [
      word.property(
        "newGameRecord holds score and minute of the mint, and nothing else",
        eq(word.call("newGameRecord", "points", "time"), `(bvor points (bvshl ${minutes} ${bv(44n)}))`),
        { points: 32, time: 40 },
        [atMost(minutes, most(26))],
      ),
      ...["mintedAt", "upgradedAt"].map((name) =>
        word.property(
          `${name} is its minute in seconds`,
          eq(word.call(name, "word"), `(bvmul ${word.field(`${name}Minute`)} ${bv(60n)})`),
        ),
      ),
    ],
  };
}
