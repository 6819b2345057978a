import { expect } from "chai";
import { BASE_TIME_MS, createTelemetryRow } from "../rows.ts";
import { describeStore } from "../suite.ts";

describeStore("telemetry", (store) => {
  const list = (limit: number, afterEventId: string | null = null) => store.telemetry.list({ afterEventId, limit });

  it("is stored in order of arrival, many rows at once", async () => {
    const rows = Array.from({ length: 1_201 }, () => createTelemetryRow());
    for (const added of [rows, []]) await store.telemetry.add(added);
    expect(await list(2_000)).to.deep.equal(rows);
    expect(await list(2, rows[9]!.eventId)).to.deep.equal(rows.slice(10, 12));
  });

  it("stores a repeated event once", async () => {
    const rows = [createTelemetryRow(), createTelemetryRow()];
    await store.telemetry.add(rows);
    await store.telemetry.add([...rows, createTelemetryRow()]);
    expect(await list(10)).to.have.length(3);
  });
});

describeStore("the newsletter", (store) => {
  it("stores an address once, with its first time", async () => {
    const { newsletter } = store;
    const list = (afterEmail: string | null) => newsletter.list({ afterEmail, limit: 10 });
    for (const [index, name] of ["b", "a", "b"].entries())
      await newsletter.add({ email: `${name}@example.org`, createdAtMs: BASE_TIME_MS + index });
    const all = await list(null);
    expect(all).to.deep.equal([
      { email: "a@example.org", createdAtMs: BASE_TIME_MS + 1 },
      { email: "b@example.org", createdAtMs: BASE_TIME_MS },
    ]);
    expect(await list("a@example.org")).to.deep.equal(all.slice(1));
  });
});
