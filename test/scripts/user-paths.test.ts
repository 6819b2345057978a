import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { UsageError } from "../../scripts/cli/failures.ts";
import { openOutputFile, openOutputFolder } from "../../scripts/cli/user-paths.ts";
import { useEach } from "../helpers/fixture.ts";

describe("paths for output on the command line", () => {
  const place = useEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "arcade-paths-"));
    return { folder, close: async () => rmSync(folder, { recursive: true }) };
  });

  it("get their folders, and no file yet", () => {
    const folder = join(place.folder, "one/two");
    expect(openOutputFolder("out", folder)).to.equal(folder);
    expect(existsSync(folder)).to.equal(true);
    const file = join(place.folder, "three/round.json");
    expect(openOutputFile("out", file)).to.equal(file);
    expect([existsSync(join(place.folder, "three")), existsSync(file)]).to.deep.equal([true, false]);
  });

  it("are rejected before the work begins if they cannot be written to", () => {
    const blocked = join(place.folder, "file");
    writeFileSync(blocked, "");
    const message = (flag: string) =>
      `--${flag}: expected a folder that can be written to, received ${blocked} (EEXIST)`;
    expect(() => openOutputFolder("out", blocked)).to.throw(UsageError, message("out"));
    expect(() => openOutputFile("record", join(blocked, "faults.json"))).to.throw(UsageError, message("record"));
  });
});
