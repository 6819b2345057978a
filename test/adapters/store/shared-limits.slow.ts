import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { createLimiter } from "../../../backend/rate-limits/limiter.ts";
import { createSharedLimiter, type SharedLimiter } from "../../../backend/rate-limits/shared-limiter.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import type { LimitPolicy } from "../../../domain/limits/limits.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { usePostgresStores } from "./postgres-stores.ts";

/** The window is long enough that no token is refilled during a test. */
const POLICY: LimitPolicy = { name: "sign-in", by: "ip", limit: 5, windowSeconds: 100_000, isShared: true };
/** More than fit into one statement. */
const ADDRESSES = Array.from({ length: 250 }, (_, index) => `198.51.100.${index}`);

describePostgres("limits of several backends", () => {
  const limiters: SharedLimiter[] = [];
  // Before the database is dropped.
  afterEach(() => Promise.all(limiters.splice(0).map((limiter) => limiter.close())));
  const database = usePostgresStores();
  beforeEach(() => database.open());

  const open = (): SharedLimiter => {
    const { databaseUrl } = database;
    const limiter = createSharedLimiter({ databaseUrl, own: createLimiter(systemClock, true), clock: systemClock });
    limiters.push(limiter);
    return limiter;
  };
  const takeAll = (backends: readonly SharedLimiter[], key: string, count: number, policy = POLICY) =>
    Promise.all(Array.from({ length: count }, (_, index) => backends[index % backends.length]!.take(policy, key)));

  it("let an address pass as often as with one backend, however its requests are spread", async () => {
    const backends = [open(), open()];
    const results = await takeAll(backends, "192.0.2.1", 2 * POLICY.limit);
    expect(results.filter(({ allowed }) => allowed)).to.have.length(POLICY.limit);
    expect(Math.min(...results.map(({ remaining }) => remaining))).to.equal(0);
    // One token is refilled in a fifth of the window.
    const { resetSeconds } = await backends[0]!.take(POLICY, "192.0.2.1");
    expect(resetSeconds).to.be.within(19_000, 20_000);
  });

  it("count each address correctly when more arrive at once than fit into one statement", async () => {
    const backends = [open(), open()];
    const twice = { ...POLICY, name: "twice", limit: 2 };
    const results = await Promise.all(
      ADDRESSES.map((address) => takeAll(backends, address, 2 * backends.length, twice)),
    );
    const passed = results.map((all) => all.filter(({ allowed }) => allowed).length);
    expect(passed).to.deep.equal(ADDRESSES.map(() => twice.limit));
  });

  it("keep a bucket for each address, and refill it evenly", async () => {
    const backends = [open(), open()];
    const quick = { ...POLICY, name: "quick", limit: 1, windowSeconds: 1 };
    await backends[0]!.take(quick, "192.0.2.2");
    expect((await backends[0]!.take(quick, "192.0.2.3")).allowed).to.equal(true);
    while (!(await backends[1]!.take(quick, "192.0.2.3")).allowed) await sleep(20);
  });

  it("take the tokens of simultaneous requests with one statement", async () => {
    const results = await takeAll([open()], "192.0.2.6", 2 * POLICY.limit);
    expect(results.map(({ allowed }) => allowed)).to.deep.equal(results.map((_, index) => index < POLICY.limit));
    expect(results.slice(0, POLICY.limit).map(({ remaining }) => remaining)).to.deep.equal([4, 3, 2, 1, 0]);
    const taken = await database.query("select taken::int from rate_buckets");
    expect(taken).to.deep.equal([{ taken: POLICY.limit }]);
  });

  it("give a refilled bucket all its tokens, even if they do not divide the window evenly", async () => {
    const backend = open();
    const odd = { ...POLICY, name: "odd", limit: 6, windowSeconds: 1 };
    await backend.take(odd, "192.0.2.7");
    const full = "select from rate_buckets where full_at_us < extract(epoch from now()) * 1000000";
    while ((await database.query(full)).length === 0) await sleep(20);
    const results = await takeAll([backend], "192.0.2.7", odd.limit, odd);
    expect(results.filter(({ allowed }) => allowed)).to.have.length(odd.limit);
  });

  it("last at most their window after the database's clock was ahead", async () => {
    const backend = open();
    await backend.take(POLICY, "192.0.2.8");
    await database.query("update rate_buckets set full_at_us = full_at_us + 30 * 86400000000::int8");
    const result = await backend.take(POLICY, "192.0.2.8");
    expect(result).to.include({ allowed: false, resetSeconds: POLICY.windowSeconds / POLICY.limit });
  });

  it("stay in memory if a policy is not shared", async () => {
    const backends = [open(), open()];
    const { isShared: _, ...own } = POLICY;
    const results = await takeAll(backends, "192.0.2.4", 2 * POLICY.limit, own);
    expect(results.every(({ allowed }) => allowed)).to.equal(true);
  });

  it("let no request pass while the database does not answer", async () => {
    const limiter = open();
    await limiter.take(POLICY, "192.0.2.5");
    const client = await database.connect();
    await client.query("begin; lock table rate_buckets in access exclusive mode");
    const takes = ["192.0.2.5", ...ADDRESSES].map(async (address) => await limiter.take(POLICY, address));
    const results = await Promise.allSettled(takes);
    await client.end();
    for (const result of results) {
      expect(result.status).to.equal("rejected");
      expect((result as PromiseRejectedResult).reason)
        .to.be.instanceOf(ArcadeError)
        .with.property("code", "STORAGE_BUSY");
    }
    expect(await limiter.take(POLICY, "192.0.2.5")).to.include({ allowed: true });
  });
});
