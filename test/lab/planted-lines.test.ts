import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { DRILLS } from "../../lab/drill/list.ts";
import { PLANTED_LINES } from "../../lab/drill/planted.ts";
import { createPlantEnvironment, isFaultFound } from "../../lab/drill/run.ts";
import { FLEET_FAULTS } from "../../lab/drills/support/fleet-faults.ts";
import { DRILLS_DOCUMENT } from "../../lab/pages/drills.ts";
import { changeLine } from "../../lab/planted/source-change.ts";
import { readTable } from "../../scripts/dev/docs/table.ts";
import { root } from "../../scripts/start/build.ts";
import { withoutWarnings } from "../helpers/without-warnings.ts";

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const changes = [...Object.values(PLANTED_LINES).map(({ change }) => change), ...Object.values(FLEET_FAULTS).flat()];

describe("the planted lines of drills", () => {
  it("are each found exactly once in their files, which are programs after the change", () => {
    withoutWarnings(() => {
      for (const change of changes) stripTypeScriptTypes(changeLine(read(change.file), change));
    });
  });

  it("are of drills whose tests have the titles that find them", () => {
    for (const [id, { foundBy }] of Object.entries(PLANTED_LINES)) {
      const files = DRILLS.find((drill) => drill.id === id)!.files.map((file) => read(file));
      expect(
        files.filter((text) => text.includes(foundBy)),
        id,
      ).to.have.length(1);
    }
  });

  it("are those of the drills that have no switch of their own, each with a self-test in the document", () => {
    const withoutSwitch = DRILLS.filter(({ files }) => files.every((file) => !file.startsWith("lab/")));
    const ids = withoutSwitch.map(({ id }) => id);
    expect(Object.keys(PLANTED_LINES)).to.have.members(ids);
    const found = readTable(read(DRILLS_DOCUMENT)).filter((row) => row["self-test"]!.startsWith("found "));
    expect(found.map(({ drill }) => drill)).to.include.members(ids);
  });
});

describe("a changed line", () => {
  const change = { file: "rules.ts", line: "b", replacement: "$&" };

  it("takes the replacement as it is", () => {
    expect(changeLine("abc", change)).to.equal("a$&c");
  });

  it("is an error where the file does not have it, or has it twice", () => {
    expect(() => changeLine("ac", change)).to.throw('rules.ts: expected "b" once, found it 0 times');
    expect(() => changeLine("abcb", change)).to.throw('rules.ts: expected "b" once, found it 2 times');
  });
});

describe("a process of a self-test", () => {
  /** What a process that another process starts makes of a token. */
  function hashInChild(env: { readonly [name: string]: string }): string {
    const tokens = join(root, "backend/services/auth/tokens.ts");
    const program = `import { hashToken } from ${JSON.stringify(tokens)}; console.log(hashToken("a token"));`;
    const parent = `import { execFileSync } from "node:child_process";
      const args = ["--input-type=module", "--eval", ${JSON.stringify(program)}];
      process.stdout.write(execFileSync(process.execPath, args));`;
    const args = ["--input-type=module", "--eval", parent];
    return execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: "utf8" }).trim();
  }

  it("loads the changed line, as do the processes that it starts, and no process after it does", () => {
    expect(hashInChild(createPlantEnvironment("K2"))).to.equal("a token");
    expect(hashInChild({})).to.match(/^[0-9a-f]{64}$/);
    expect(hashInChild(createPlantEnvironment("K1"))).to.match(/^[0-9a-f]{64}$/);
  });
});

describe("the verdict of a self-test", () => {
  const title = `sessions.end ${PLANTED_LINES.K1!.foundBy}`;
  const isFound = (id: string, ...titles: readonly string[]): boolean =>
    isFaultFound(
      id,
      titles.map((test) => ({ test, message: "expected" })),
    );

  it("is that the fault is found where the test of a planted line failed", () => {
    expect(isFound("K1", "another test", title)).to.equal(true);
  });

  it("is that the fault is missed where only other tests, hooks or the process failed", () => {
    expect(isFound("K1")).to.equal(false);
    expect(isFound("K1", "another test", "the process")).to.equal(false);
    expect(isFound("K1", `"before each" hook for "${title}"`)).to.equal(false);
  });

  it("takes any failed test where the drill has a switch of its own", () => {
    expect(isFound("A1", "any test")).to.equal(true);
    expect(isFound("A1")).to.equal(false);
  });
});
