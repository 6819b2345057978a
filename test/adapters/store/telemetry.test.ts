import { expect } from "chai";
import type { TelemetryRow } from "../../../backend/ports.ts";
import { ALICE, freshId, T0 } from "./rows.ts";
import { describeStore } from "./suite.ts";

const event = (change: Partial<TelemetryRow> = {}): TelemetryRow => ({
  eventId: freshId(),
  event: "page_view",
  wallet: ALICE,
  slug: "shellrunners",
  sessionId: null,
  metadata: '{"path":"/"}',
  occurredAtMs: T0,
  receivedAtMs: T0 + 1,
  ...change,
});

describeStore("telemetry", (subject) => {
  it("is kept in the order of arrival, many rows at once", async () => {
    const { telemetry } = subject().store;
    const rows = Array.from({ length: 1_201 }, () => event());
    await telemetry.add(rows);
    await telemetry.add([]);
    expect(await telemetry.list({ afterEventId: null, limit: 2_000 })).to.deep.equal(rows);
    expect(await telemetry.list({ afterEventId: rows[9]!.eventId, limit: 2 })).to.deep.equal(rows.slice(10, 12));
  });

  it("keeps an event once that is offered again", async () => {
    const { telemetry } = subject().store;
    const rows = [event(), event()];
    await telemetry.add(rows);
    await telemetry.add([...rows, event()]);
    expect(await telemetry.list({ afterEventId: null, limit: 10 })).to.have.length(3);
  });
});

describeStore("the newsletter", (subject) => {
  it("keeps an address once, with its first time", async () => {
    const { newsletter } = subject().store;
    await newsletter.add({ email: "b@example.org", createdAtMs: T0 });
    await newsletter.add({ email: "a@example.org", createdAtMs: T0 + 1 });
    await newsletter.add({ email: "b@example.org", createdAtMs: T0 + 2 });
    const all = await newsletter.list({ afterEmail: null, limit: 10 });
    expect(all).to.deep.equal([
      { email: "a@example.org", createdAtMs: T0 + 1 },
      { email: "b@example.org", createdAtMs: T0 },
    ]);
    expect(await newsletter.list({ afterEmail: "a@example.org", limit: 10 })).to.deep.equal(all.slice(1));
  });
});
