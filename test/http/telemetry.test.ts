import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { openStore } from "../../backend/adapters/store/index.ts";
import { ArcadeError } from "../../backend/domain/errors.ts";
import type { TelemetryRow } from "../../backend/ports.ts";
import { makeTelemetry } from "../../backend/services/telemetry.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { watchRoutes } from "./support/watch-routes.ts";

const EVENT = {
  event: "page_view",
  walletAddress: null,
  gameSlug: null,
  sessionId: null,
  metadata: {},
  occurredAtMs: null,
};
const log = { debug() {}, info() {}, warn() {}, error() {} };
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe("the telemetry buffer", () => {
  /** A store that keeps what it takes, and fails while `broken`. */
  function makeBuffer() {
    const clock = new TestClock();
    const batches: (readonly TelemetryRow[])[] = [];
    const state = { broken: false };
    const add = async (rows: readonly TelemetryRow[]): Promise<void> => {
      if (state.broken) throw new ArcadeError("STORAGE_BUSY", "busy");
      batches.push(rows);
    };
    return { clock, batches, state, telemetry: makeTelemetry({ store: { add }, clock, log }) };
  }

  it("writes a second's events together", async () => {
    const { clock, batches, telemetry } = makeBuffer();
    for (let index = 0; index < 300; index += 1) telemetry.track({ ...EVENT, event: `e${index}` });
    expect(batches).to.deep.equal([]);
    clock.advance(1000);
    await settle();
    expect(batches.map((rows) => rows.length)).to.deep.equal([300]);
    clock.advance(5000);
    await settle();
    expect(batches).to.have.length(1);
    telemetry.track(EVENT);
    clock.advance(1000);
    await settle();
    expect(batches.map((rows) => rows.length)).to.deep.equal([300, 1]);
  });

  it("keeps what the store refused, in order, and offers it again", async () => {
    const { clock, batches, state, telemetry } = makeBuffer();
    state.broken = true;
    telemetry.track({ ...EVENT, event: "first" });
    clock.advance(1000);
    await settle();
    telemetry.track({ ...EVENT, event: "second" });
    state.broken = false;
    clock.advance(1000);
    await settle();
    expect(batches.flat().map(({ event }) => event)).to.deep.equal(["first", "second"]);
  });

  it("writes the rest when it stops, and takes no more", async () => {
    const { batches, telemetry } = makeBuffer();
    telemetry.track(EVENT);
    await telemetry.stop();
    expect(batches.flat()).to.have.length(1);
    expect(() => telemetry.track(EVENT))
      .to.throw(ArcadeError)
      .with.property("code", "SHUTTING_DOWN");
  });

  it("asks a busy store again when it stops", async () => {
    const { clock, batches, state, telemetry } = makeBuffer();
    telemetry.track(EVENT);
    state.broken = true;
    const stopped = telemetry.stop();
    await settle();
    state.broken = false;
    clock.advance(200);
    await stopped;
    expect(batches.flat()).to.have.length(1);
  });

  it("holds a bounded number of events while the store does not answer", () => {
    const { telemetry } = makeBuffer();
    for (let index = 0; index < 10_000; index += 1) telemetry.track(EVENT);
    expect(() => telemetry.track(EVENT))
      .to.throw(ArcadeError)
      .with.property("code", "STORAGE_BUSY");
  });
});

describe("telemetry and newsletter", () => {
  let suite: Suite;
  let dataDir: string;
  const api = watchRoutes(() => suite);
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-telemetry-"));
    suite = await startSuite({ dataDir });
  });
  after(async () => {
    await suite.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const stored = async () => {
    const store = await openStore({ databaseUrl: `sqlite:${join(dataDir, "arcade.db")}` });
    try {
      const events = await store.telemetry.list({ afterEventId: null, limit: 1000 });
      return { events, subscribers: await store.newsletter.list({ afterEmail: null, limit: 10 }) };
    } finally {
      await store.close();
    }
  };

  it("accepts both names of the route and of its fields", async () => {
    const walletAddress = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    for (const [name, body] of [
      ["stats.track", { event: "new", walletAddress, gameSlug: "flappy-bots", metadata: { a: [1, { b: null }] } }],
      ["stats.trackLegacy", { eventType: "old", properties: { c: "ü" }, occurredAt: "2026-01-02T03:04:05+01:00" }],
      ["stats.track", { event: "bare", sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab" }],
    ] as const) {
      const answer = await api.succeed(name, { body });
      expect(answer.status).to.equal(202);
      expect(answer.body.accepted).to.equal(1);
    }
  });

  it("refuses what is no event", async () => {
    for (const body of [
      {},
      { event: "a", eventType: "b" },
      { event: "" },
      { event: "x".repeat(65) },
      { event: "a\u0000" },
      { event: "a", metadata: {}, properties: {} },
      { event: "a", metadata: [] },
      { event: "a", occurredAt: "yesterday" },
      { event: "a", walletAddress: "0x12" },
    ]) {
      await api.refuse("stats.track", "VALIDATION_FAILED", { body });
    }
    await api.refuse("stats.trackLegacy", "UNKNOWN_FIELD", { body: { event: "a", userAgent: "x" } });
    const body = { event: "big", metadata: { text: "x".repeat(4096) } };
    await api.refuse("stats.track", "BODY_TOO_LARGE", { body });
    await api.refuse("stats.trackLegacy", "BODY_TOO_LARGE", { body });
  });

  it("counts an event with a key once", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    for (const _ of [1, 2]) await api.succeed("stats.track", { headers, body: { event: "keyed" } });
    await api.refuse("stats.track", "IDEMPOTENCY_CONFLICT", { headers, body: { event: "another" } });
  });

  it("answers a subscription the same, known or not", async () => {
    const answers = [];
    for (const email of ["Agent@Example.org", " agent@example.org ", "other@example.org"]) {
      const { status, body } = await api.succeed("stats.subscribe", { body: { email } });
      const { requestId: _, ...rest } = body;
      answers.push({ status, rest });
    }
    for (const answer of answers) expect(answer).to.deep.equal({ status: 200, rest: { ok: true, subscribed: true } });
    for (const email of ["", "nobody", "a@b", "a@example.org\nb@example.org", `${"a".repeat(250)}@example.org`]) {
      await api.refuse("stats.subscribe", "VALIDATION_FAILED", { body: { email } });
    }
    const { subscribers } = await stored();
    expect(subscribers.map(({ email }) => email)).to.deep.equal(["agent@example.org", "other@example.org"]);
  });

  it("has written every accepted event after a clean stop", async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => api.succeed("stats.track", { body: { event: `last-${index}` } })),
    );
    await suite.close();
    const { events } = await stored();
    const names = events.map(({ event }) => event);
    for (let index = 0; index < 40; index += 1) expect(names).to.include(`last-${index}`);
    expect(names.filter((name) => name === "keyed")).to.have.length(1);
    expect(events.find(({ event }) => event === "new")).to.include({
      slug: "flappybots",
      metadata: '{"a":[1,{"b":null}]}',
    });
    expect(events.find(({ event }) => event === "old")).to.include({
      metadata: '{"c":"ü"}',
      occurredAtMs: Date.parse("2026-01-02T02:04:05Z"),
    });
    suite = await startSuite({ dataDir });
  });
});

describe("limits of telemetry and newsletter", () => {
  it("are 120 events a minute and 3 subscriptions an hour per address", async () => {
    const suite = await startSuite({ env: { ARCADE_RATE_LIMITS: "on" }, clock: new TestClock(Date.now()) });
    try {
      const statuses = async (path: string, body: object, count: number) => {
        const answers = await Promise.all(Array.from({ length: count }, () => suite.request("POST", path, { body })));
        return answers.filter(({ status }) => status === 429).length;
      };
      expect(await statuses("/api/events/track", { event: "a" }, 121)).to.equal(1);
      expect(await statuses("/api/analytics/event", { event: "a" }, 1), "the alias shares the bucket").to.equal(1);
      expect(await statuses("/api/newsletter/subscribe", { email: "a@example.org" }, 4)).to.equal(1);
    } finally {
      await suite.close();
    }
  });
});
