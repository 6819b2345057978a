import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type ArcadeApiError, ArcadeChainError, errorOfAnswer } from "../../client/errors.ts";
import { loadBot } from "../../scripts/agent/bots.ts";
import { releaseAgents } from "../../scripts/agent/hold.ts";
import { agentOptionsOf } from "../../scripts/agent/options.ts";
import { cooldownLeftMs, whyNotPaid } from "../../scripts/agent/payout.ts";
import { planOf } from "../../scripts/agent/plan.ts";
import { stepLine } from "../../scripts/agent/solo.ts";
import { keepKey, takeKeys } from "../../scripts/agent/wallets.ts";
import { CommandError, EXIT, exitCodeOf, UsageError } from "../../scripts/cli/failures.ts";
import { duration, makeStyle, plain, table, widthOf } from "../../scripts/cli/style.ts";

const token = { address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", name: "T", symbol: "T", decimals: 18 } as const;

function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const { ARCADE_AGENT_KEY: _, INIT_CWD: __, FORCE_COLOR: ___, ...clean } = process.env;
    execFile(process.execPath, [`scripts/${script}.ts`, ...args], { env: { ...clean, ...env } }, (fault, out, err) =>
      resolve({ code: typeof fault?.code === "number" ? fault.code : fault === null ? 0 : -1, out, err }),
    );
  });
}

describe("commands", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("tell their exit code from what went wrong", () => {
    const api = (status: number, code: string): ArcadeApiError =>
      errorOfAnswer(status, { ok: false, code, error: "" }, null);
    expect(exitCodeOf(new UsageError(""))).to.equal(2);
    expect(exitCodeOf(new ArcadeChainError("REVERTED", ""))).to.equal(3);
    expect(exitCodeOf(api(503, "CHAIN_UNAVAILABLE"))).to.equal(3);
    expect(exitCodeOf(api(401, "SIGNATURE_INVALID"))).to.equal(4);
    expect(exitCodeOf(api(403, "IDENTITY_REQUIRED"))).to.equal(4);
    expect(exitCodeOf(api(500, "INTERNAL"))).to.equal(1);
    expect(exitCodeOf(new CommandError("", { exitCode: EXIT.chain }))).to.equal(3);
    expect(exitCodeOf(new Error("bug"))).to.equal(1);
  });

  it("colour a terminal, and never with NO_COLOR", () => {
    const colours = (isTty: boolean, env: NodeJS.ProcessEnv): boolean => makeStyle(isTty, env).coloured;
    expect(colours(true, {})).to.equal(true);
    expect(colours(false, {})).to.equal(false);
    expect(colours(true, { NO_COLOR: "1" })).to.equal(false);
    expect(colours(true, { NO_COLOR: "1", FORCE_COLOR: "1" })).to.equal(false);
    const { good } = makeStyle(true, {});
    expect(good("yes")).to.not.equal("yes");
    expect(plain(good("yes"))).to.equal("yes");
  });

  it("align what they print", () => {
    const style = makeStyle(true, {});
    const rows = table(
      ["name", "n"],
      [
        ["a", "1"],
        [style.good("longer"), "200"],
      ],
      style,
      [1],
    )
      .split("\n")
      .slice(2);
    expect(rows.map(widthOf)).to.deep.equal([13, 13]);
    const line = stepLine(
      "nft",
      { words: "minted", gasUsed: 101_342n, txHash: `0x1bf7${"0".repeat(56)}8fc1` },
      83,
      makeStyle(false, {}),
    );
    expect(line).to.match(/^ {2}✓ nft +minted +101,342 gas +83 ms {2}0x1bf7…8fc1$/);
    expect([duration(83), duration(24_900), duration(142_000)]).to.deep.equal(["83 ms", "24.9 s", "2 min 22 s"]);
  });

  describe("agent", () => {
    const read = (flags: object, env: NodeJS.ProcessEnv = {}) => agentOptionsOf({ flags, positionals: [] }, env);

    it("has defaults, and reads its flags", () => {
      expect(read({})).to.include({
        bot: "reference",
        sessions: 1,
        agents: 1,
        url: "http://127.0.0.1:4100",
        key: null,
      });
      expect(read({ game: "both" }).slugs).to.deep.equal(["shellrunners", "flappybots"]);
      expect(read({ bot: "./my-bot.ts" }, { INIT_CWD: "/somewhere" }).bot).to.equal("/somewhere/my-bot.ts");
      expect(read({}, { ARCADE_AGENT_KEY: `0x${"11".repeat(32)}` }).key).to.equal(`0x${"11".repeat(32)}`);
    });

    const wrong: readonly object[] = [
      { game: "chess" },
      { bot: "clever" },
      { sessions: "0" },
      { sessions: "many" },
      { agents: "-1" },
      { url: "not a url" },
      { key: "0x12" },
      { key: `0x${"11".repeat(32)}`, agents: "2" },
    ];
    for (const flags of wrong) {
      it(`refuses ${JSON.stringify(flags).slice(0, 40)}`, () => {
        expect(() => read(flags)).to.throw(UsageError);
      });
    }

    it("never repeats a mistyped key", () => {
      expect(() => read({ key: "0xsecret" }))
        .to.throw(UsageError)
        .with.property("message")
        .that.does.not.include("secret");
    });

    it("plays a wallet in one process at a time: another takes the next, and a dead one holds none", async () => {
      const keys = join(folder, "shared");
      const [own] = await takeKeys(keys, 1);
      expect(own).to.include({ number: 1 });
      const script = `
        import { takeKeys } from ${JSON.stringify(new URL("../../scripts/agent/wallets.ts", import.meta.url).href)};
        console.log(JSON.stringify(await takeKeys(process.argv[1], Number(process.argv[2]))));`;
      const other = (count: number) =>
        JSON.parse(
          execFileSync(process.execPath, ["--input-type=module", "-e", script, keys, String(count)], {
            encoding: "utf8",
          }),
        );
      const [next] = other(1);
      expect(next.number).to.equal(2);
      expect(next.origin).to.match(/2\.json; 1 plays elsewhere$/);
      expect(other(2).map(({ number }: { number: number }) => number)).to.deep.equal([2, 3]);
      releaseAgents();
      expect(other(2).map(({ key }: { key: string }) => key)).to.deep.equal([own!.key, next.key]);
    });

    it("keeps a new wallet for its owner alone, and finds it again", async () => {
      const keys = join(folder, "agents");
      const made = await keepKey(keys, 1);
      const path = join(keys, "1.json");
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
      expect((await keepKey(keys, 1)).key).to.equal(made.key);
      expect((await keepKey(keys, 2)).key).to.not.equal(made.key);
      await writeFile(path, "{}");
      const error = await keepKey(keys, 1).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(CommandError);
      expect(await readFile(path, "utf8")).to.equal("{}");
    });

    it("loads a bot from a file, fresh for each session", async () => {
      const path = join(folder, "bot.mjs");
      await writeFile(path, "export const makeBot = (slug) => () => ({ t: 'action', action: slug });");
      const makeBot = await loadBot(path);
      expect(makeBot("x")({} as never)).to.deep.equal({ t: "action", action: "x" });
      await writeFile(join(folder, "none.mjs"), "export const nothing = 1;");
      const error = await loadBot(join(folder, "none.mjs")).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(CommandError);
    });

    it("waits for a short cooldown and for nothing else", () => {
      const nowMs = Date.parse("2026-01-01T00:00:00Z");
      const notPaid = (reasons: string[], nextEligibleAt: string | null) =>
        cooldownLeftMs({ paid: false, reasons: reasons as never, nextEligibleAt, token }, nowMs);
      expect(notPaid(["COOLDOWN_ACTIVE"], "2026-01-01T00:00:05Z")).to.equal(6_000);
      expect(notPaid(["COOLDOWN_ACTIVE"], "2026-01-01T00:01:00Z")).to.equal(null);
      expect(notPaid(["COOLDOWN_ACTIVE", "PAUSED"], "2026-01-01T00:00:05Z")).to.equal(null);
      expect(notPaid(["SCOREBANK_EMPTY"], null)).to.equal(null);
    });

    it("says exactly why there is no payout", () => {
      expect(whyNotPaid(["COOLDOWN_ACTIVE", "DAILY_CAP"], "2026-01-01T00:00:00Z")).to.equal(
        "not paid: the cooldown is running (COOLDOWN_ACTIVE), today's cap is used up (DAILY_CAP), next time 2026-01-01T00:00:00Z",
      );
    });

    it("plans the most that it can send", () => {
      const { gas, lines } = planOf({ agents: 2, games: 2, sessions: 3 });
      expect(lines.map(({ count }) => count)).to.deep.equal([2, 12, 12]);
      expect(gas).to.equal(2n * 150_000n + 12n * 90_000n + 12n * 120_000n);
    });

    it("says what to do when no service answers", async () => {
      const { code, out, err } = await run("agent", ["--url", "http://127.0.0.1:9", "--json"], { NO_COLOR: "1" });
      expect(code).to.equal(1);
      expect(err).to.include("next: start the service with `npm start`");
      expect(JSON.parse(out)).to.include({ ok: false, code: "NETWORK_FAULT", exitCode: 1 });
    }).timeout(20_000);

    it("has a help with an example, and refuses unknown flags", async () => {
      const [help, unknown] = await Promise.all([run("agent", ["--help"]), run("agent", ["--fast"])]);
      expect(help.code).to.equal(0);
      expect(help.out).to.include("npm run agent -- --game both");
      expect(unknown.code).to.equal(2);
      expect(unknown.err).to.include("--fast");
    }).timeout(20_000);
  });

  describe("replay", () => {
    it("refuses what is no replay, and finds fault with a wrong one", async () => {
      const path = join(folder, "replay.json");
      await writeFile(path, JSON.stringify({ v: 1, slug: "shellrunners", rulesVersion: 1, sequence: "0" }));
      const [none, nothing, wrong] = await Promise.all([
        run("replay", []),
        run("replay", [join(folder, "missing.json")]),
        run("replay", [path, "--offline", "--json"]),
      ]);
      expect(none.code).to.equal(2);
      expect(nothing.code).to.equal(2);
      expect(wrong.code, wrong.err).to.equal(1);
      const { ok, differences } = JSON.parse(wrong.out) as { ok: boolean; differences: { field: string }[] };
      expect(ok).to.equal(false);
      expect(differences.map(({ field }) => field)).to.include("seed");
    }).timeout(20_000);
  });
});
