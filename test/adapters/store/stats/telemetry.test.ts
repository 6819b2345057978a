import { expect } from "chai";
import type { TelemetryRow } from "../../../../backend/ports/store/stats.ts";
import { ALICE, BASE_TIME_MS, createId } from "../rows.ts";
import { describeStore } from "../suite.ts";

const event = (change: Partial<TelemetryRow> = {}): TelemetryRow => ({
  eventId: createId(),
  event: "page_view",
  wallet: ALICE,
  slug: "shellrunners",
  sessionId: null,
  metadata: '{"path":"/"}',
  occurredAtMs: BASE_TIME_MS,
  receivedAtMs: BASE_TIME_MS + 1,
  ...change,
});

describeStore("telemetry", (store) => {
  it("is kept in the order of arrival, many rows at once", async () => {
    const { telemetry } = store;
    const rows = Array.from({ length: 1_201 }, () => event());
    await telemetry.add(rows);
    await telemetry.add([]);
    expect(await telemetry.list({ afterEventId: null, limit: 2_000 })).to.deep.equal(rows);
    expect(await telemetry.list({ afterEventId: rows[9]!.eventId, limit: 2 })).to.deep.equal(rows.slice(10, 12));
  });

  it("stores an event once when it is offered again", async () => {
    const { telemetry } = store;
    const rows = [event(), event()];
    await telemetry.add(rows);
    await telemetry.add([...rows, event()]);
    expect(await telemetry.list({ afterEventId: null, limit: 10 })).to.have.length(3);
  });
});

describeStore("the newsletter", (store) => {
  it("stores an address once, with its first time", async () => {
    const { newsletter } = store;
    await newsletter.add({ email: "b@example.org", createdAtMs: BASE_TIME_MS });
    await newsletter.add({ email: "a@example.org", createdAtMs: BASE_TIME_MS + 1 });
    await newsletter.add({ email: "b@example.org", createdAtMs: BASE_TIME_MS + 2 });
    const all = await newsletter.list({ afterEmail: null, limit: 10 });
    expect(all).to.deep.equal([
      { email: "a@example.org", createdAtMs: BASE_TIME_MS + 1 },
      { email: "b@example.org", createdAtMs: BASE_TIME_MS },
    ]);
    expect(await newsletter.list({ afterEmail: "a@example.org", limit: 10 })).to.deep.equal(all.slice(1));
  });
});
