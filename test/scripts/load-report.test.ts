import { expect } from "chai";
import { formatReport, type LoadReport } from "../../scripts/load/report.ts";

const TIMES = { count: 9, p50Ms: 1, p99Ms: 2, maxMs: 3 };
const REPORT: LoadReport = {
  agents: 4,
  spectators: 5,
  seconds: 6,
  sessions: 7,
  ranked: true,
  frames: { received: 80, missed: 1, sockets: 9 },
  lateness: TIMES,
  answers: { ...TIMES, count: 11 },
  bytes: { received: 12_000, sent: 34, receivedPerSecond: 2_000 },
  errors: {},
  service: null,
  verdict: { ok: true, reasons: [] },
};

describe("the report of a load run", () => {
  it("has lines for people", () => {
    expect(formatReport(REPORT)).to.deep.equal([
      "4 agents in 7 ranked sessions and 5 spectators for 6 s",
      "frames     80 received, 1 missed",
      "lateness   p50 1 ms, p99 2 ms, max 3 ms (9 measured), as they arrived here",
      "answers    p50 1 ms, p99 2 ms, max 3 ms (11 measured)",
      "bytes      2.0 kB/s received, 34 sent in all",
      "errors     none",
      "verdict    good",
    ]);
  });

  it("has the service's own figures, the errors and the reasons against it", () => {
    const service = { count: 1, dropped: 0, lateP50Ms: 0.125, lateP99Ms: 1, lateMaxMs: 2 };
    const verdict = { ok: false, reasons: ["one", "two"] };
    const lines = formatReport({ ...REPORT, ranked: false, service, errors: { A: 1, B: 2 }, verdict });
    expect(lines[0]).to.include("practice sessions");
    expect(lines[3]).to.match(/p50 0\.1[23] ms, p99 1\.00 ms, measured by the service$/);
    expect(lines.at(-2)).to.equal("errors     1 x A, 2 x B");
    expect(lines.at(-1)).to.equal("verdict    not good: one; two");
  });
});
