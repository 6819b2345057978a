import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { openStore } from "../../backend/adapters/store/open-store.ts";
import type { TelemetryRow } from "../../backend/ports/store/stats.ts";
import { Telemetry } from "../../backend/services/stats/telemetry.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { startTestStack, type TestStack } from "../helpers/suite.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { createRouteTester } from "./support/watch-routes.ts";

const EVENT = {
  event: "page_view",
  walletAddress: null,
  gameSlug: null,
  sessionId: null,
  metadata: {},
  occurredAtMs: null,
};
const log = { debug() {}, info() {}, warn() {}, error() {} };
const flushMicrotasks = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe("the telemetry buffer", () => {
  /** A store that keeps its input, and fails while `broken`. */
  function createTelemetryFixture() {
    const clock = new TestClock();
    const batches: (readonly TelemetryRow[])[] = [];
    const state = { broken: false };
    const add = async (rows: readonly TelemetryRow[]): Promise<void> => {
      if (state.broken) throw new ArcadeError("STORAGE_BUSY", "busy");
      if (rows.some(({ event }) => event.startsWith("unstorable"))) throw new TypeError("cannot be bound");
      batches.push(rows);
    };
    return { clock, batches, state, telemetry: new Telemetry({ store: { add }, clock, log }) };
  }

  it("the buffer writes one second's events together", async () => {
    const { clock, batches, telemetry } = createTelemetryFixture();
    for (let index = 0; index < 300; index += 1) telemetry.track({ ...EVENT, event: `e${index}` });
    expect(batches).to.deep.equal([]);
    clock.advance(1000);
    await flushMicrotasks();
    expect(batches.map((rows) => rows.length)).to.deep.equal([300]);
    clock.advance(5000);
    await flushMicrotasks();
    expect(batches).to.have.length(1);
    telemetry.track(EVENT);
    clock.advance(1000);
    await flushMicrotasks();
    expect(batches.map((rows) => rows.length)).to.deep.equal([300, 1]);
  });

  it("a stop writes the events that arrived while others were being written", async () => {
    for (const isFailing of [false, true]) {
      const clock = new TestClock();
      const written: string[] = [];
      const writes: (() => void)[] = [];
      const add = async (rows: readonly TelemetryRow[]): Promise<void> => {
        await new Promise<void>((resolve) => writes.push(resolve));
        if (isFailing && writes.length === 1) throw new ArcadeError("STORAGE_BUSY", "busy");
        written.push(...rows.map(({ event }) => event));
      };
      const telemetry = new Telemetry({ store: { add }, clock, log });
      telemetry.track({ ...EVENT, event: "first" });
      clock.advance(1000);
      telemetry.track({ ...EVENT, event: "second" });
      const stopped = telemetry.stop();
      writes[0]!();
      await flushMicrotasks();
      expect(writes, "without a pause").to.have.length(2);
      writes[1]!();
      await stopped;
      expect(written, `failing: ${isFailing}`).to.deep.equal(["first", "second"]);
    }
  });

  it("the buffer keeps rejected events in order and retries them", async () => {
    const { clock, batches, state, telemetry } = createTelemetryFixture();
    state.broken = true;
    telemetry.track({ ...EVENT, event: "first" });
    clock.advance(1000);
    await flushMicrotasks();
    telemetry.track({ ...EVENT, event: "second" });
    state.broken = false;
    clock.advance(1000);
    await flushMicrotasks();
    expect(batches.flat().map(({ event }) => event)).to.deep.equal(["first", "second"]);
  });

  it("the buffer drops and counts events whose content the store rejects, and writes all others", async () => {
    const { clock, batches, telemetry } = createTelemetryFixture();
    const names = Array.from({ length: 100 }, (_, index) => (index % 33 === 7 ? `unstorable${index}` : `e${index}`));
    for (const event of names) telemetry.track({ ...EVENT, event });
    clock.advance(1000);
    for (let turn = 0; turn < 20; turn += 1) await flushMicrotasks();
    const kept = names.filter((name) => name.startsWith("e"));
    expect(batches.flat().map(({ event }) => event)).to.deep.equal(kept);
    expect(telemetry.dropped).to.equal(names.length - kept.length);
    telemetry.track({ ...EVENT, event: "later" });
    clock.advance(1000);
    await flushMicrotasks();
    expect(batches.flat().at(-1)?.event).to.equal("later");
  });

  it("the buffer writes the rest when it stops, and accepts no more events", async () => {
    const { batches, telemetry } = createTelemetryFixture();
    telemetry.track(EVENT);
    await telemetry.stop();
    expect(batches.flat()).to.have.length(1);
    expect(() => telemetry.track(EVENT))
      .to.throw(ArcadeError)
      .with.property("code", "SHUTTING_DOWN");
  });

  it("the buffer retries a busy store when it stops", async () => {
    const { clock, batches, state, telemetry } = createTelemetryFixture();
    telemetry.track(EVENT);
    state.broken = true;
    const stopped = telemetry.stop();
    await flushMicrotasks();
    state.broken = false;
    clock.advance(200);
    await stopped;
    expect(batches.flat()).to.have.length(1);
  });

  it("the buffer holds a bounded number of events while the store does not respond", () => {
    const { telemetry } = createTelemetryFixture();
    for (let index = 0; index < 10_000; index += 1) telemetry.track(EVENT);
    expect(() => telemetry.track(EVENT))
      .to.throw(ArcadeError)
      .with.property("code", "STORAGE_BUSY");
  });
});

describe("telemetry and newsletter", () => {
  let stack: TestStack;
  let dataDir: string;
  const api = createRouteTester(() => stack);
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-telemetry-"));
    stack = await startTestStack({ dataDir });
  });
  after(async () => {
    await stack.close();
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

  it("the service accepts both names of the route and of its fields", async () => {
    const walletAddress = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    for (const [name, body] of [
      ["stats.track", { event: "new", walletAddress, gameSlug: "flappy-bots", metadata: { a: [1, { b: null }] } }],
      ["stats.trackLegacy", { eventType: "old", properties: { c: "ü" }, occurredAt: "2026-01-02T03:04:05+01:00" }],
      ["stats.track", { event: "bare", sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab" }],
    ] as const) {
      const response = await api.expectSuccess(name, { body });
      expect(response.status).to.equal(202);
      expect(response.body.accepted).to.equal(1);
    }
  });

  it("events whose slug is the name of an object's method are stored like all others", async () => {
    const slugs = ["constructor", "__proto__", "toString", "hasOwnProperty"];
    for (const gameSlug of slugs)
      await api.expectSuccess("stats.track", { body: { event: "slug-of-prototype", gameSlug } });
    const deadlineMs = Date.now() + 120_000;
    const find = async () => (await stored()).events.filter(({ event }) => event === "slug-of-prototype");
    let events = await find();
    while (events.length < slugs.length && Date.now() < deadlineMs) events = await find();
    expect(events.map(({ slug }) => slug)).to.have.members(slugs);
  });

  it("an invalid event is rejected", async () => {
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
      await api.expectError("stats.track", "VALIDATION_FAILED", { body });
    }
    await api.expectError("stats.trackLegacy", "UNKNOWN_FIELD", { body: { event: "a", userAgent: "x" } });
    const body = { event: "big", metadata: { text: "x".repeat(4096) } };
    await api.expectError("stats.track", "BODY_TOO_LARGE", { body });
    await api.expectError("stats.trackLegacy", "BODY_TOO_LARGE", { body });
  });

  it("an event with an Idempotency-Key is counted once", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    for (const _ of [1, 2]) await api.expectSuccess("stats.track", { headers, body: { event: "keyed" } });
    await api.expectError("stats.track", "IDEMPOTENCY_CONFLICT", { headers, body: { event: "another" } });
  });

  it("a subscription gets the same response for a known and an unknown address", async () => {
    const responses = [];
    for (const email of ["Agent@Example.org", " agent@example.org ", "other@example.org"]) {
      const { status, body } = await api.expectSuccess("stats.subscribe", { body: { email } });
      responses.push({ status, body });
    }
    for (const response of responses)
      expect(response).to.deep.equal({ status: 200, body: { ok: true, subscribed: true } });
    for (const email of ["", "nobody", "a@b", "a@example.org\nb@example.org", `${"a".repeat(250)}@example.org`]) {
      await api.expectError("stats.subscribe", "VALIDATION_FAILED", { body: { email } });
    }
    const { subscribers } = await stored();
    expect(subscribers.map(({ email }) => email)).to.deep.equal(["agent@example.org", "other@example.org"]);
  });

  it("every accepted event is written after a clean stop", async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => api.expectSuccess("stats.track", { body: { event: `last-${index}` } })),
    );
    await stack.close();
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
    stack = await startTestStack({ dataDir });
  });
});

describe("limits of telemetry and newsletter", () => {
  it("the limits are 120 events a minute and 3 subscriptions an hour per address", async () => {
    const stack = await startTestStack({ env: { ARCADE_RATE_LIMITS: "on" }, clock: new TestClock(Date.now()) });
    try {
      const statuses = async (path: string, body: object, count: number) => {
        // One after the other, since the sockets per address are limited.
        let rejected = 0;
        for (let index = 0; index < count; index += 1)
          if ((await stack.request("POST", path, { body })).status === 429) rejected += 1;
        return rejected;
      };
      expect(await statuses("/api/events/track", { event: "a" }, 121)).to.equal(1);
      expect(await statuses("/api/analytics/event", { event: "a" }, 1), "the alias shares the bucket").to.equal(1);
      expect(await statuses("/api/newsletter/subscribe", { email: "a@example.org" }, 4)).to.equal(1);
    } finally {
      await stack.close();
    }
  });
});
