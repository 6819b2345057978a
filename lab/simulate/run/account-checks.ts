/** Checks what the service tells a wallet about its payouts. */
import type { Address, Hex } from "viem";
import type { Answer, Input, PayoutView, RouteName } from "../../../client/api.ts";
import { REASONS } from "../chain/payout-rule.ts";
import { mark } from "./coverage.ts";
import { tally } from "./game.ts";
import type { Login } from "./login.ts";
import type { Refusal } from "./no-answer.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const SHOWN = "payouts are shown as they are on chain";
const REFUSED = "refused payouts state the contract's reasons";
const SETTLED = "payouts are settled in final blocks";
const UNSETTLED = `select payout_id as id from payouts where settled_at_ms is null
  union select id from transactions where settled_at_ms is null`;
/** The service may know an older head. */
const BLOCKS_BACK = 8;
const BLOCK_SECONDS = 2;
/** Blocks are final at a depth of twelve. Polls agree on it within 16 s, and old transactions are read every 32 s. */
const FINAL_MS = 60_000;
const SELF_MS = 30_000;
const KEY_LENGTH_MAX = 64;
const CLAIM_MS = 60_000;
/** As if the process of its request had ended. */
const ABANDON =
  "update idempotency_keys set status = null, body = null, created_at_ms = created_at_ms - ? where key = ?";
const ATTEMPTS_MAX = 8;

const PAID = `select e.tx_hash as txHash, e.block, e.block_time as blockTime, e.score, e.amount, e.scorebank, coalesce(p.payout_id, e.tx_hash) as payoutId
  from chain_events e left join payouts p on p.tx_hash = e.tx_hash and p.wallet = e.wallet
  where e.name = 'Payout' and e.wallet = ? order by e.position desc`;

interface Paid {
  readonly txHash: Hex;
  readonly block: number;
  readonly blockTime: number;
  readonly score: string;
  readonly amount: string;
  readonly scorebank: string;
  readonly payoutId: string;
}

const listPaid = ({ disk }: World, wallet: Address): readonly Paid[] =>
  disk.database.prepare(PAID).all(wallet) as readonly Paid[];

/** An included payout has the figures of its event, and every read shows it. */
export function checkPayoutView(world: World, wallet: Address, view: PayoutView): void {
  const { status, txHash, score, points, amount, remainingPoints, finality } = view;
  // A reorganization may have undone it since.
  if (status !== "included" || txHash === null || world.chain.find(txHash) === null) return;
  mark("check", SHOWN);
  const paid = listPaid(world, wallet).find((one) => one.txHash === txHash);
  // Its events may be missing until the second read, or until a moved block is read.
  if (
    paid === undefined &&
    (world.chain.dropped.length > 0 || world.plan.some((fault) => fault.kind === "logs missing once"))
  )
    return;
  // Answered before the backend has seen that the transaction has moved: it may pay another amount there.
  const hasMoved = world.chain.dropped.some(({ transactions }) => transactions.some(({ hash }) => hash === txHash));
  const expected = paid && [paid.score, paid.score, paid.amount, paid.scorebank].map(BigInt).join();
  if ((!hasMoved && expected !== [score, points, amount, remainingPoints].join()) || finality === null)
    world.fail(new Violation(SHOWN, `${JSON.stringify(view)}: ${expected}`));
}

type Terms = { readonly [field: string]: unknown };

/** The reasons and times that the contract gives now, or gave a few blocks ago. */
function listTerms({ chain, fixtures, plan }: World, wallet: Address): readonly string[] {
  // A caller with a second request at a suspended backend gets both answers after it.
  const pausedMs = plan.map((fault) => (fault.kind === "backend paused" ? fault.forMs : 0));
  const back = BLOCKS_BACK + Math.ceil(Math.max(0, ...pausedMs) / 1_000 / BLOCK_SECONDS);
  const blocks = [...chain.blocks.slice(-back), ...chain.dropped.slice(-back)];
  return blocks.flatMap(({ state, time }) =>
    Array.from({ length: 2 * BLOCK_SECONDS + 1 }, (_, seconds) => {
      const terms = fixtures.contracts.explainPayout(state, wallet.toLowerCase(), BigInt(time + seconds));
      const reasons = REASONS.filter((_reason, bit) => (terms.reasons >> BigInt(bit)) & 1n);
      const next = terms.nextPayoutAt === 0n ? null : new Date(1_000 * Number(terms.nextPayoutAt)).toISOString();
      return JSON.stringify([reasons, next]);
    }),
  );
}

/** `told`: the fields of `PAYOUT_NOT_READY`, or a readiness. */
export function checkTerms(
  world: World,
  wallet: Address,
  { reasons, nextEligibleAt, eligibleInSeconds }: Terms,
  message = "",
): void {
  mark("check", REFUSED);
  const stated = (reasons as readonly string[]).filter((reason) => reason !== "PAYOUT_PENDING");
  const told = JSON.stringify([
    stated,
    nextEligibleAt === null ? null : new Date(nextEligibleAt as string).toISOString(),
  ]);
  const isKnown = listTerms(world, wallet).includes(told) && (nextEligibleAt === null) === (eligibleInSeconds === null);
  // Another step helps only if this one does not.
  const isStepRight = stated.includes("IDENTITY_REQUIRED") || !message.includes("register an identity");
  if (!isKnown || !isStepRight) world.fail(new Violation(REFUSED, `${wallet}: ${told}, in ${eligibleInSeconds} s`));
}

/** Asks again after a sign-in, and while the service cannot know the chain's state. */
async function ask<Name extends RouteName>(
  world: World,
  login: Login,
  name: Name,
  input: Input<Name>,
): Promise<Answer<Name>> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (login.token === null) await login.signIn();
      return await login.ask(name, input);
    } catch (error) {
      const { code = "" } = error as Refusal;
      if (attempt === ATTEMPTS_MAX || !/^TOKEN_|^CHAIN_UNAVAILABLE$|^$/.test(code)) throw error;
      if (code.startsWith("TOKEN_")) login.close();
      await world.loop.sleep(1_000 * BLOCK_SECONDS);
    }
  }
}

/** At the end of a run: history, status, readiness, and a payout that the wallet sends itself if it can be paid. */
export async function checkAccount(world: World, wallet: Address, login: Login): Promise<void> {
  mark("check", SETTLED);
  const findUnsettled = () => world.disk.database.prepare(UNSETTLED).get() as { readonly id: string } | undefined;
  const finalMs = world.loop.nowMs + FINAL_MS;
  while (findUnsettled() !== undefined && world.loop.nowMs < finalMs) await world.loop.sleep(1_000 * BLOCK_SECONDS);
  const unsettled = findUnsettled();
  if (unsettled !== undefined) return world.fail(new Violation(SETTLED, unsettled.id));
  await checkHistory(world, wallet, login);
  const readiness = await ask(world, login, "rewards.readiness", {});
  checkTerms(world, wallet, readiness);
  const { amount, points, remainingPoints, ready } = readiness;
  if (!ready) return;
  const self = await ask(world, login, "rewards.payout", { mode: "self" });
  if (
    self.mode !== "self" ||
    [self.amount, self.points, self.score, self.remainingPoints].join() !==
      [amount, points, points, remainingPoints].join()
  )
    return world.fail(new Violation(SHOWN, `${JSON.stringify(self)}: ${JSON.stringify(readiness)}`));
  const hash = world.chain.sendCall(wallet, self.call.to, self.call.data);
  const untilMs = world.loop.nowMs + SELF_MS;
  while (!listPaid(world, wallet).some(({ txHash }) => txHash === hash) && world.loop.nowMs < untilMs)
    await world.loop.sleep(500);
  const [last] = listPaid(world, wallet);
  if (last?.txHash !== hash || last.amount !== BigInt(amount).toString().padStart(78, "0"))
    world.fail(new Violation(SHOWN, `${wallet}: ${JSON.stringify(last)} after ${JSON.stringify(self)}`));
  await checkHistory(world, wallet, login);
}

/** The order of a body's fields does not count, a claim of an ended process ends, and a wrong key is refused. */
export async function checkKeys(world: World, wallet: Address, login: Login): Promise<void> {
  const { disk, loop, plan } = world;
  const track = (metadata: { readonly [name: string]: unknown }, idempotencyKey: string) =>
    login.ask("stats.track", { event: "audited", metadata }, { idempotencyKey });
  const key = `audit-${wallet}`;
  await track({ first: 1, second: 2 }, key);
  await track({ second: 2, first: 1 }, key);
  while (disk.database.inTransaction) await loop.sleep(1);
  // The clock may have been put back since.
  const steps = plan.map((fault) => (fault.kind === "clock step" ? Math.abs(fault.byMs) : 0));
  disk.database.prepare(ABANDON).run(CLAIM_MS + Math.max(0, ...steps), key);
  await track({ first: 1, second: 2 }, key);
  const path = await track({}, "k".repeat(KEY_LENGTH_MAX + 1)).then(
    () => null,
    ({ fields }: Refusal) => (fields?.issues as readonly { readonly path: string }[] | undefined)?.[0]?.path,
  );
  if (path !== "header.idempotency-key") world.fail(new Violation("a key has one answer", `a wrong key: ${path}`));
}

async function checkHistory(world: World, wallet: Address, login: Login): Promise<void> {
  mark("check", SHOWN);
  const paid = listPaid(world, wallet);
  const expected = paid.map(({ payoutId, txHash, block, blockTime, score, amount }) =>
    [payoutId, txHash, block, 1_000 * blockTime, BigInt(score), BigInt(amount)].join(),
  );
  for (const input of [{ includeAllGames: true }, { gameSlug: tally.slug }]) {
    const { items } = await ask(world, login, "rewards.payoutHistory", input);
    const told = items.map(({ payoutId, txHash, block, at, score, amount }) =>
      [payoutId, txHash, block, Date.parse(at), score, amount].join(),
    );
    if (told.join(" ") !== expected.join(" "))
      world.fail(new Violation(SHOWN, `${JSON.stringify(items)}: ${expected.join(" ")}`));
  }
  for (const { payoutId } of paid.slice(0, 2)) {
    const view = await ask(world, login, "rewards.payoutStatus", { payoutId });
    // A node of a fleet that has not read the block of a payout yet shows it as sent.
    if (view.payoutId !== payoutId || (view.status !== "included" && !(world.kind.isFleet && view.status === "sent")))
      world.fail(new Violation(SHOWN, JSON.stringify(view)));
    checkPayoutView(world, wallet, view);
  }
}
