import { expect } from "chai";
import { renderTracePage } from "../../../lab/simulate/trace-page.ts";

const hash = `0x${"ab".repeat(32)}`;

describe("the page of a simulated run", () => {
  const html = renderTracePage({
    ...{ seed: 7, digest: "0123456789abcdef01", simulatedMs: 3_000, steps: 9 },
    plan: [{ kind: "node slow", atMs: 1_000, forMs: 1_500 }],
    violation: { invariant: "every wait ends", message: "every wait ends: <none>" },
    coverage: {},
    trace: [
      { text: "5.000 backend-1 starts", agent: null },
      { text: '1000.000 {"kind":"node slow","atMs":1000,"forMs":1500}', agent: null },
      { text: "1200.000 auth.nonce: answered", agent: "agent 1" },
      { text: `2000.000 block 1: ${hash} ok`, agent: null },
      { text: "2600.000 auth.verify: TOKEN_INVALID", agent: "agent 1" },
      { text: "2700.000 VIOLATION every wait ends: <none>", agent: null },
    ],
  });
  const rows = html.split("\n").filter((line) => line.startsWith("<tr"));

  it("has a column for each agent and backend, and one row for each line", () => {
    expect([...html.matchAll(/<th>([^<]*)<\/th>/g)].map(([, name]) => name)).to.deep.equal([
      ...["s", "faults", "agent 1", "chain", "backend-1", "run"],
    ]);
    expect(rows).to.have.length(6);
  });

  it("shows lasting faults only in the rows of their time", () => {
    expect(rows.map((row) => row.includes('"under-way">node slow<'))).to.deep.equal([
      ...[false, false, true, true, false, false],
    ]);
    expect(rows[1]).to.contain("node slow, forMs 1500");
  });

  it("shortens hashes, marks rejections, and escapes its content", () => {
    expect(rows[3]).to.contain("0xababab…abab").and.not.to.contain(hash);
    expect(rows[2]).to.contain('<span class="">auth.nonce');
    expect(rows[4]).to.contain('<span class="refused">');
    expect(html).to.contain("&lt;none&gt;").and.not.to.contain("<none>");
  });
});
