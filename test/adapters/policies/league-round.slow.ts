import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { build } from "esbuild";
import { openEngine } from "../../../backend/adapters/policies/engine-file.ts";
import { digestJson } from "../../../domain/canonical-json.ts";
import { compareRuns } from "../../../domain/league/compare-runs.ts";
import { createForfeitedRun, type Run } from "../../../domain/league/course.ts";
import {
  checkRoundForm,
  computePoliciesDigest,
  computeTextDigest,
  type Round,
  roundSchema,
} from "../../../domain/league/round.ts";
import { verifyRound } from "../../../scripts/verify/league.ts";
import { launchBrowser } from "../../web/support/browser.ts";
import { playRound } from "./league-round.ts";

const SIZE = [20, 50, 40] as const;
const OTHER = `0x${"43".repeat(32)}` as const;
const WASM = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));

async function bundle(): Promise<string> {
  const entry = fileURLToPath(new URL("round-digest.ts", import.meta.url));
  const options = { bundle: true, format: "esm", platform: "browser", write: false, logLevel: "silent" } as const;
  return (await build({ entryPoints: [entry], ...options })).outputFiles[0]!.text;
}

describe("a round of 20 policies on 50 courses", function () {
  this.timeout(600_000);
  let round: Round;
  before(async () => {
    round = await playRound(openEngine(), ...SIZE);
  });

  it("has one digest in this process, in another one from a bundle, and in Chromium", async () => {
    const folder = mkdtempSync(join(tmpdir(), "arcade-round-"));
    const browser = await launchBrowser();
    try {
      const text = await bundle();
      writeFileSync(join(folder, "round.mjs"), text);
      const program = `import { readFileSync } from "node:fs"; import { computeDigest } from ${JSON.stringify(pathToFileURL(join(folder, "round.mjs")).href)};
        console.log(await computeDigest(readFileSync(${JSON.stringify(WASM)}), ${JSON.stringify(SIZE)}));`;
      const inNode = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
      expect(inNode.stdout.trim()).to.equal(digestJson(round));
      const page = await browser.newPage();
      await page.setContent("<title>round</title>");
      const inPage = `(async () => {
        const url = URL.createObjectURL(new Blob([${JSON.stringify(text)}], { type: "text/javascript" }));
        const { computeDigest } = await import(url);
        const bytes = Uint8Array.from(atob(${JSON.stringify(readFileSync(WASM, "base64"))}), (each) => each.charCodeAt(0));
        return computeDigest(bytes, ${JSON.stringify(SIZE)});
      })()`;
      const inBrowser = await page.evaluate(inPage);
      expect(inBrowser).to.equal(digestJson(round));
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true });
    }
  });

  it("has the forfeits and the unknown moves of its policies, and fits its schema", () => {
    const [looping, nonsense] = [round.policies[17]!, round.policies[18]!];
    expect(looping.runs.map(({ forfeit }) => forfeit?.reason)).to.deep.equal(Array(50).fill("fuel"));
    expect(nonsense.runs[0]!.unknown).to.deep.include({ example: '{"t":"jump"}' });
    expect(roundSchema.parse(JSON.parse(JSON.stringify(round)))).to.deep.equal(round);
  });
});

describe("the verification of a round", () => {
  let round: Round;
  before(async () => {
    round = await playRound(openEngine(), 3, 3, 60);
  });
  const verifyChanged = (change: (copy: Round) => unknown): Promise<readonly string[] | null> => {
    const copy = structuredClone(round);
    change(copy);
    return verifyRound(copy);
  };

  it("finds nothing in a round that was not changed", async () => {
    expect(await verifyRound(round)).to.deep.equal([]);
  });

  it("finds every changed character of a text by its digest, and by the runs when the digests were made to fit", async () => {
    const { text, id } = round.policies[1]!;
    for (let at = 0; at < text.length; at += 1) {
      const copy = structuredClone(round);
      copy.policies[1]!.text = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
      expect(checkRoundForm(copy).join("\n"), String(at)).to.include(`digest of the text of ${id}`);
    }
    const found = await verifyChanged((copy) => {
      copy.policies[1]!.text = text.replace("> -200", "< -9000");
      copy.policies[1]!.digest = computeTextDigest(copy.policies[1]!.text);
      copy.policiesDigest = computePoliciesDigest(copy.policies);
    });
    expect(found!.join("\n")).to.match(new RegExp(`^${id}, course \\d: move of tick`));
  });

  it("finds each changed move", () => {
    const { id, runs } = round.policies[0]!;
    const { moves } = runs[1]!;
    for (let at = 0; at < moves.length; at += 1) {
      const changed = structuredClone(runs);
      changed[1]!.moves = `${moves.slice(0, at)}${moves[at] === "." ? "1" : "."}${moves.slice(at + 1)}`;
      const [difference, ...others] = compareRuns(id, runs, changed);
      expect(difference).to.include(`${id}, course 1: move of tick ${at + 1}`);
      expect(others).to.deep.equal([]);
    }
  });

  const changeRun = (change: Partial<Run>) => (copy: Round) => Object.assign(copy.policies[0]!.runs[1]!, change);
  const stopped = { reason: "stopped", text: "It did not return.", tick: 0, line: null, column: null } as const;
  const CHANGES: { readonly [difference: string]: (copy: Round) => unknown } = {
    "score: expected": changeRun({ score: -1 }),
    "fuel: expected": changeRun({ fuel: 1 }),
    "ticks: expected": changeRun({ ticks: 1 }),
    'forfeit: expected null, the file has {"reason":"stopped"': changeRun(createForfeitedRun(stopped)),
    "bot:quick, course 0: score": ({ rungs }) => Object.assign(rungs[1]!.runs[0]!, { score: -1 }),
    "commitment: expected": (copy) => Object.assign(copy, { serverSeed: OTHER }),
    "course 0: ": ({ block }) => Object.assign(block, { hash: OTHER }),
    "policiesDigest: expected": (copy) => Object.assign(copy, { policiesDigest: OTHER }),
    "different ids of policies": ({ policies }) => policies.push(policies[0]!),
    "rating of ": ({ ratings }) => Object.assign(ratings[0]!, { rating: 1 }),
    "low of ": ({ ratings }) => Object.assign(ratings[1]!, { low: 1 }),
    "number of ratings": ({ ratings }) => ratings.pop(),
    "courses of": ({ policies }) => policies[0]!.runs.pop(),
    "points of thinker": ({ thinkers }) => Object.assign(thinkers[0]!, { points: -1 }),
    "expected no decision after its end": ({ thinkers }) =>
      Object.assign(thinkers[0]!.courses[0]!, { decisions: Array(121).fill(".1").join(" ") }),
  };
  for (const [difference, change] of Object.entries(CHANGES))
    it(`names a change of the file: ${difference}`, async () => {
      expect((await verifyChanged(change))!.join("\n")).to.include(difference);
    });

  it("cannot tell anything about rules that this build does not have", async () => {
    expect(
      await verifyChanged((copy) => {
        copy.rulesVersion += 1;
      }),
    ).to.equal(null);
    expect(
      await verifyChanged((copy) => {
        copy.rulesHash = `0x${"43".repeat(32)}`;
      }),
    ).to.equal(null);
  });
});
