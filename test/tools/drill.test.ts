import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";
import { DRILLS } from "../../tools/drill/list.ts";

describe("the list of drills", () => {
  it("names files that exist, and every drill of test/drills once", () => {
    const files = DRILLS.flatMap(({ files }) => files);
    expect(files.filter((file) => !existsSync(join(root, "test", file)))).to.deep.equal([]);
    const drills = files.filter((file) => file.endsWith(".drill.ts")).sort();
    expect(drills).to.deep.equal(globSync("drills/*.drill.ts", { cwd: join(root, "test") }).sort());
    expect(new Set(DRILLS.map(({ id }) => id)).size).to.equal(DRILLS.length);
  });
});
