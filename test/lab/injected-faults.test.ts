import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { DRILL_FAULTS } from "../../lab/drill/injected.ts";
import { DRILLS } from "../../lab/drill/list.ts";
import { isFaultFound } from "../../lab/drill/run.ts";
import { FAULTS, SIMULATED_FAULTS } from "../../lab/injected/faults.ts";
import { changeMarked, createFaultEnvironment, listMarkers } from "../../lab/injected/inject.ts";
import { DRILLS_DOCUMENT } from "../../lab/pages/drills.ts";
import { readTable } from "../../scripts/dev/docs/table.ts";
import { root } from "../../scripts/start/build.ts";
import { withoutWarnings } from "../helpers/without-warnings.ts";

const read = (file: string): string => readFileSync(join(root, file), "utf8");

describe("injected faults", () => {
  const texts = globSync("{backend,client,domain,games,local-chain,mcp,scripts,web}/**/*.ts", { cwd: root }).map(read);
  const names = Object.values(FAULTS).map(({ safeguard }) => safeguard);

  it("remove safeguards with exactly one marker each, and every marker is used", () => {
    expect(texts.flatMap(listMarkers).sort()).to.deep.equal(names.sort());
    expect(Object.keys(SIMULATED_FAULTS)).to.have.length.above(25);
  });

  it("result in programs that differ from the product", () => {
    withoutWarnings(() => {
      for (const change of Object.values(FAULTS)) {
        const text = texts.find((candidate) => listMarkers(candidate).includes(change.safeguard))!;
        const [before, after] = [text, changeMarked(text, change)].map((source) => stripTypeScriptTypes(source));
        expect(after, change.safeguard).to.not.equal(before);
      }
    });
  });

  it("of drills have existing test titles in `foundBy`", () => {
    for (const [id, { fault, foundBy }] of Object.entries(DRILL_FAULTS)) {
      const files = DRILLS.find((drill) => drill.id === id)!.files.map(read);
      expect(
        files.filter((text) => text.includes(foundBy)),
        id,
      ).to.have.length(1);
      expect(FAULTS, id).to.have.property(fault);
    }
  });

  it("cover all drills without a switch, each with a self-test in the document", () => {
    const withoutSwitch = DRILLS.filter(({ files }) => files.every((file) => !file.startsWith("lab/")));
    const ids = withoutSwitch.map(({ id }) => id);
    expect(Object.keys(DRILL_FAULTS)).to.have.members(ids);
    const found = readTable(read(DRILLS_DOCUMENT)).filter((row) => row["self-test"]!.startsWith("found "));
    expect(found.map(({ drill }) => drill)).to.include.members(ids);
  });
});

describe("a marked statement", () => {
  const text = [
    "function f() {",
    "  // safeguard: check",
    "  if (a(b) && c)",
    "    d({",
    "      e,",
    "    });",
    "  g();",
    "}",
  ].join("\n");
  const change = (parts: object): readonly string[] =>
    changeMarked(text, { safeguard: "check", ...parts })
      .split("\n")
      .slice(2, -2)
      .map((line) => line.trim());

  it("is removed, replaced, preceded by another, or gets another condition", () => {
    expect(change({})).to.deep.equal([""]);
    expect(change({ replacement: "$&;" })).to.deep.equal(["$&;"]);
    expect(change({ before: "return;" })).to.deep.equal(["return;", "if (a(b) && c)", "d({", "e,", "});"]);
    expect(change({ condition: "c" })).to.deep.equal(["if (c)", "d({", "e,", "});"]);
  });

  it("is an error if the file does not have it, or has it twice", () => {
    const toFault = (safeguard: string) => () => changeMarked(`${text}\n${text}`, { safeguard });
    expect(toFault("other")).to.throw('expected the marker "safeguard: other" once, found it 0 times');
    expect(toFault("check")).to.throw('expected the marker "safeguard: check" once, found it 2 times');
  });
});

describe("a process with injected faults", () => {
  /** The hash of a token in a process started by another process. */
  function hashInChild(env: { readonly [name: string]: string }): string {
    const tokens = join(root, "backend/services/auth/tokens.ts");
    const program = `import { hashToken } from ${JSON.stringify(tokens)}; console.log(hashToken("a token"));`;
    const parent = `import { execFileSync } from "node:child_process";
      const args = ["--input-type=module", "--eval", ${JSON.stringify(program)}];
      process.stdout.write(execFileSync(process.execPath, args));`;
    const args = ["--input-type=module", "--eval", parent];
    return execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: "utf8" }).trim();
  }

  it("has the fault, as do the processes that it starts, but no later process", () => {
    expect(hashInChild(createFaultEnvironment(["token-not-hashed"]))).to.equal("a token");
    expect(hashInChild({})).to.match(/^[0-9a-f]{64}$/);
    expect(hashInChild(createFaultEnvironment(["player-not-checked"]))).to.match(/^[0-9a-f]{64}$/);
  });
});

describe("the verdict of a self-test", () => {
  const title = `sessions.end ${DRILL_FAULTS.K1!.foundBy}`;
  const isFound = (id: string, ...titles: readonly string[]): boolean =>
    isFaultFound(
      id,
      titles.map((test) => ({ test, message: "expected" })),
    );

  it("is that the fault is found when the test of an injected fault failed", () => {
    expect(isFound("K1", "another test", title)).to.equal(true);
  });

  it("is that the fault is missed if only other tests, hooks or the process failed", () => {
    expect(isFound("K1")).to.equal(false);
    expect(isFound("K1", "another test", "the process")).to.equal(false);
    expect(isFound("K1", `"before each" hook for "${title}"`)).to.equal(false);
  });

  it("accepts any failed test if the drill has a switch", () => {
    expect(isFound("A1", "any test")).to.equal(true);
    expect(isFound("A1")).to.equal(false);
  });
});
