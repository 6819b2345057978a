import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Round } from "../../domain/league/round.ts";
import { EXIT } from "../../scripts/cli/failures.ts";
import { command as league } from "../../scripts/league.ts";
import { command as verify } from "../../scripts/verify.ts";
import { KILLED } from "../adapters/policies/escapes.ts";
import { callCommand } from "../helpers/commands.ts";
import { startServer } from "../helpers/http-server.ts";

/** The policies of the tutorial in docs/league.md, by file name. */
const TUTORIAL = [...readFileSync("docs/league.md", "utf8").matchAll(/> policies\/(\S+) <<'END'\n([\s\S]*?)\n +END/g)];
const SHORT = ["--game", "flappybots", "--courses", "2", "--seconds", "5", "--seed", `0x${"11".repeat(32)}`];

describe("npm run league", () => {
  let folder: string;
  let out: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "arcade-league-"));
    out = join(folder, "round.json");
    mkdirSync(join(folder, "policies"));
    for (const [, name, text] of TUTORIAL) write(name!, text!);
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): void => writeFileSync(join(folder, "policies", name), text);
  const play = (args: readonly string[] = []) =>
    callCommand(league, ["--policies", join(folder, "policies"), "--out", out, ...SHORT, ...args]);
  const readRound = (): Round => JSON.parse(readFileSync(out, "utf8")) as Round;

  it("plays the policies of the tutorial, and npm run verify reproduces the file and names what was changed", async () => {
    expect(TUTORIAL.map(([, name]) => name)).to.deep.equal(["middle.js", "low.js"]);
    const played = await play();
    expect(played.err).to.equal("");
    expect(played.code).to.equal(EXIT.ok);
    expect(played.out).to.match(/middle +\d+ +\d+ to \d+ +\d+\/\d+\/\d+/);
    const round = readRound();
    expect(round.ratings.map(({ id }) => id)).to.include.members(["middle", "low", "bot:reference", "bot:random"]);

    const same = await callCommand(verify, ["--league", out]);
    expect(same.out).to.match(/REPRODUCED +season 1 of flappybots: 10 courses and all ratings/);
    expect(same.code).to.equal(EXIT.ok);
    const changedPolicies = round.policies.map((policy) => ({
      ...policy,
      text: policy.text.replace("frame", "brame"),
    }));
    writeFileSync(out, JSON.stringify({ ...round, policies: changedPolicies }));
    const changed = await callCommand(verify, ["--league", out, "--json"]);
    expect(changed.code).to.equal(EXIT.diverged);
    expect(changed.json.differences.join("\n")).to.include("digest of the text of low");
  });

  it("npm run verify refuses what is not the file of a round", async () => {
    const verifyText = async (text: string): Promise<string> => {
      writeFileSync(out, text);
      return (await callCommand(verify, ["--league", out])).err;
    };
    expect(await verifyText("{}")).to.include("expected the file of a league round, v: ");
    expect(await verifyText("round")).to.include("expected the file of a league round, received no JSON");
    rmSync(out);
    expect((await callCommand(verify, ["--league", out])).err).to.include(`${out}: there is no such file or folder`);
    expect((await callCommand(verify, ["--league", folder])).err).to.include("is not a file");
    const service = await startServer((_, response, request) => {
      response.statusCode = request.url === "/none" ? 404 : 500;
      response.end();
    });
    expect((await callCommand(verify, ["--league", `${service.url}/none`])).err).to.include("received 404");
    expect((await callCommand(verify, ["--league", `${service.url}/fault`])).err).to.include("answers 500");
    service.close();
    expect((await callCommand(verify, ["--league", `${service.url}/gone`])).err).to.include("does not answer");
  });

  it("lets a policy that has to be killed forfeit its courses, and the others play on", async () => {
    write("killed.js", KILLED);
    const played = await play();
    expect(played.out).to.match(/killed forfeited 2 courses: tick 0, The policy (did not return|used more)/);
    const { policies } = readRound();
    const find = (id: string) => policies.find((policy) => policy.id === id)!.runs;
    expect(find("killed").map(({ forfeit }) => forfeit?.reason)).to.deep.equal(["stopped", "stopped"]);
    expect(find("middle").map(({ forfeit }) => forfeit)).to.deep.equal([null, null]);
    expect((await callCommand(verify, ["--league", out])).code).to.equal(EXIT.ok);
  });

  it("refuses policies and flags that do not fit, with the place", async () => {
    write("broken.js", "(frame) =>\n  1 +* 2");
    expect((await play()).err).to.match(/broken\.js: line 2, column 6: unexpected token/);
    rmSync(join(folder, "policies"), { recursive: true });
    mkdirSync(join(folder, "policies"));
    expect((await play()).err).to.include("expected .js files, each with one policy");
    const missing = join(folder, "missing");
    expect((await callCommand(league, ["--policies", missing, ...SHORT])).err).to.include(
      `${missing}: there is no such`,
    );
    writeFileSync(missing, "");
    expect((await play(["--out", join(missing, "round.json")])).err).to.include("--out: expected a folder that can be");
    expect((await play(["--game", "chess"])).err).to.include("expected one of shellrunners, flappybots");
    expect((await play(["--seed", "7"])).err).to.include("--seed: expected 0x and 64 hex digits");
    expect((await callCommand(league, [])).err).to.include("expected --policies DIR");
  });
});
