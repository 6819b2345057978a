import { tmpdir } from "node:os";
import { expect } from "chai";
import { setEnvironment } from "./environment.ts";

describe("the environment of a test", () => {
  it("is also the one that Node itself reads, and is restored", () => {
    const before = { ...process.env };
    const restoreAll = setEnvironment({ ARCADE_TEST_ADDED: "1" });
    const restoreFolder = setEnvironment({ TMPDIR: "/a", HOME: undefined });
    process.env.ARCADE_TEST_LATER = "1";
    expect([tmpdir(), "HOME" in process.env]).to.deep.equal(["/a", false]);
    restoreFolder();
    expect({ ...process.env }).to.deep.equal({ ...before, ARCADE_TEST_ADDED: "1" });
    restoreAll();
    expect({ ...process.env }).to.deep.equal(before);
    process.env.TMPDIR = "/b";
    expect(tmpdir()).to.equal("/b");
    restoreAll();
  });
});
