import { expect } from "chai";
import { keepRows } from "../../../backend/adapters/store/kept-rows.ts";

describe("kept rows", () => {
  it("are read once for each version, and those that are absent too", async () => {
    let version = 1;
    const reads: string[] = [];
    const find = keepRows(
      () => version,
      async (key) => {
        reads.push(key);
        return key === "absent" ? null : `${key} ${version}`;
      },
    );
    for (const _ of [1, 2]) expect([await find("a"), await find("absent")]).to.deep.equal(["a 1", null]);
    expect(reads).to.deep.equal(["a", "absent"]);
    version = 2;
    expect(await find("a")).to.equal("a 2");
  });

  it("a row that was read before a change is not kept", async () => {
    let version = 1;
    const finishers: ((row: string) => void)[] = [];
    const find = keepRows(
      () => version,
      () => new Promise<string>((resolve) => finishers.push(resolve)),
    );
    const early = find("a");
    version = 2;
    const late = find("a");
    finishers[1]!("new");
    expect(await late).to.equal("new");
    finishers[0]!("old");
    expect(await early).to.equal("old");
    expect(await find("a")).to.equal("new");
  });

  it("are bounded in number", async () => {
    let reads = 0;
    const find = keepRows(
      () => 1,
      async (key) => {
        reads += 1;
        return key;
      },
    );
    for (let n = 0; n <= 10_000; n += 1) await find(String(n));
    await find("10000");
    expect(reads).to.equal(10_001);
    await find("0");
    expect(reads).to.equal(10_002);
  });
});
