import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { loadBot } from "../../scripts/agent/bots.ts";
import { makeFleetView } from "../../scripts/agent/fleet.ts";
import { parseAgentOptions } from "../../scripts/agent/options.ts";
import { formatUnpaidReasons, toPayoutReport } from "../../scripts/agent/payout.ts";
import { createPlan } from "../../scripts/agent/plan.ts";
import type { AgentRun } from "../../scripts/agent/run.ts";
import { formatSummary } from "../../scripts/agent/solo.ts";
import { releaseWalletLocks } from "../../scripts/agent/wallet-lock.ts";
import { claimKeys, loadOrCreateKey } from "../../scripts/agent/wallets.ts";
import { CommandError, UsageError } from "../../scripts/cli/failures.ts";
import { createStyle } from "../../scripts/cli/style.ts";
import type { Terminal } from "../../scripts/cli/terminal.ts";

function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const { ARCADE_AGENT_KEY: _, INIT_CWD: __, FORCE_COLOR: ___, ...clean } = process.env;
    execFile(process.execPath, ["scripts/run.mjs", script, ...args], { env: { ...clean, ...env } }, (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out, err }),
    );
  });
}

describe("commands", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  describe("agent", () => {
    const read = (flags: object, env: NodeJS.ProcessEnv = {}) => parseAgentOptions({ flags }, env);

    it("applies its defaults and reads its flags", () => {
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
      { url: "http://127.0.0.1:4100/api" },
      { url: "http://me:secret@127.0.0.1:4100" },
      { key: "0x12" },
      { key: `0x${"11".repeat(32)}`, agents: "2" },
    ];
    for (const flags of wrong) {
      it(`rejects the flags ${JSON.stringify(flags).slice(0, 40)}`, () => {
        expect(() => read(flags)).to.throw(UsageError);
      });
    }

    it("never repeats a mistyped key in its message", () => {
      expect(() => read({ key: "0xsecret" }))
        .to.throw(UsageError)
        .with.property("message")
        .that.does.not.include("secret");
    });

    it("uses a wallet in one process at a time: another takes the next one, and a dead one locks none", async () => {
      const keys = join(folder, "shared");
      const [own] = await claimKeys(keys, 1);
      expect(own).to.include({ number: 1 });
      const script = `
        import { claimKeys } from ${JSON.stringify(new URL("../../scripts/agent/wallets.ts", import.meta.url).href)};
        console.log(JSON.stringify(await claimKeys(process.argv[1], Number(process.argv[2]))));`;
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
      releaseWalletLocks();
      expect(other(2).map(({ key }: { key: string }) => key)).to.deep.equal([own!.key, next.key]);
    });

    it("stores a new wallet readable only by its owner, and finds it again", async () => {
      const keys = join(folder, "agents");
      const made = await loadOrCreateKey(keys, 1);
      const path = join(keys, "1.json");
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
      expect((await loadOrCreateKey(keys, 1)).key).to.equal(made.key);
      expect((await loadOrCreateKey(keys, 2)).key).to.not.equal(made.key);
      await writeFile(path, "{}");
      const error = await loadOrCreateKey(keys, 1).catch((error: unknown) => error);
      expect(error).to.be.instanceOf(CommandError);
      expect(await readFile(path, "utf8")).to.equal("{}");
    });

    it("loads a bot from a file and makes a new one for each session", async () => {
      const path = join(folder, "bot.mjs");
      await writeFile(path, "export const makeBot = (slug) => () => ({ t: 'action', action: slug });");
      const makeBot = await loadBot(path);
      expect(makeBot("x")({} as never)).to.deep.equal({ t: "action", action: "x" });
      await writeFile(join(folder, "none.mjs"), "export const nothing = 1;");
      const error = await loadBot(join(folder, "none.mjs")).catch((error: unknown) => error);
      expect(error).to.be.instanceOf(CommandError);
    });

    it("loads a bot of a CommonJS module", async () => {
      const path = join(folder, "bot.cjs");
      await writeFile(path, "module.exports = { bot: () => ({ t: 'action', action: 'FLAP' }) };");
      const makeBot = await loadBot(read({ bot: path }).bot);
      expect(makeBot("x")({} as never)).to.deep.equal({ t: "action", action: "FLAP" });
    });

    it("reports a path without a file, and a folder", async () => {
      for (const [path, received] of [
        [join(folder, "gone.js"), "no file"],
        [folder, "a folder"],
      ] as const) {
        const error = await loadBot(path).catch((error: unknown) => error);
        expect(error).to.be.instanceOf(CommandError);
        expect((error as CommandError).message).to.equal(`--bot: expected a file, received ${received} at ${path}.`);
      }
    });

    for (const extension of ["ts", "mjs"])
      it(`reports the line of a syntax error in a .${extension} bot`, async () => {
        const path = join(folder, `typo.${extension}`);
        await writeFile(path, 'export function bot() {\n  return { t: "action" action: "FLAP" };\n}\n');
        const error = await loadBot(path).catch((error: unknown) => error);
        expect(error).to.be.instanceOf(CommandError);
        expect((error as CommandError).message)
          .to.include(`typo.${extension}:2`)
          .and.include('action: "FLAP"');
        expect((error as CommandError).next).to.be.a("string");
      });

    it("reports the line of a bot that throws while it is loaded", async () => {
      const path = join(folder, "throws.ts");
      await writeFile(path, "const model: unknown = null;\nthrow new Error('no model ' + model);\n");
      const error = await loadBot(path).catch((error: unknown) => error);
      expect((error as CommandError).message)
        .to.include("no model null")
        .and.include("throws.ts:2:");
    });

    it("shows each agent of a fleet in its own row, when row and wallet numbers differ", () => {
      const addresses = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
      for (const isInteractive of [false, true]) {
        const lines: string[] = [];
        const terminal: Terminal = {
          json: false,
          style: createStyle(false, {}),
          isInteractive,
          columns: 120,
          rows: 30,
          print: (line) => void lines.push(line),
          draw: (text) => void lines.push(text),
          printJson: () => undefined,
        };
        const view = makeFleetView(terminal, addresses);
        view.finished(1, { number: 8, address: addresses[1]!, ms: 5, error: new Error("second") });
        view.finished(0, { number: 7, address: addresses[0]!, ms: 5, error: new Error("first") });
        if (isInteractive) view.redraw();
        const text = lines.join("\n");
        expect(text)
          .to.match(/0xa1a1…a1a1.*first/)
          .and.match(/0xb2b2…b2b2.*second/);
      }
    });

    it("reads a key from a file, and rejects one in the command line", async () => {
      const path = join(folder, "key.txt");
      const key = `0x${"5".repeat(64)}`;
      await writeFile(path, `${key}\n`);
      const read = (flags: { key?: string }, env: NodeJS.ProcessEnv = {}) =>
        parseAgentOptions({ flags: flags as never }, { INIT_CWD: folder, ...env });
      expect(read({ key: "@key.txt" })).to.include({ key, isKeyExposed: false });
      expect(read({}, { ARCADE_AGENT_KEY: "@key.txt" })).to.include({ key, isKeyExposed: false });
      expect(read({}, { ARCADE_AGENT_KEY: key })).to.include({ key, isKeyExposed: false });
      expect(read({ key })).to.include({ key, isKeyExposed: true });
      expect(() => read({ key: "@missing.txt" })).to.throw(UsageError, "--key");
    });

    it("reports every reason why there is no payout", () => {
      expect(formatUnpaidReasons(["COOLDOWN_ACTIVE", "DAILY_CAP"], "2026-01-01T00:00:00Z")).to.equal(
        "not paid: the cooldown is running (COOLDOWN_ACTIVE), today's cap is used up (DAILY_CAP), next time 2026-01-01T00:00:00Z",
      );
    });

    it("reports how long a payout waits, and why there is none", () => {
      const token = { address: `0x${"11".repeat(20)}`, name: "Arcade", symbol: "ARCD", decimals: 18 } as const;
      const notReady = {
        paid: false,
        reasons: ["COOLDOWN_ACTIVE"],
        nextEligibleAt: null,
        eligibleInSeconds: 4,
        token,
      } as const;
      expect(toPayoutReport(notReady, 5_000)).to.deep.equal({
        message: "in 5 s: the cooldown is running",
        mark: "quiet",
      });
      expect(toPayoutReport({ ...notReady, reasons: ["IDENTITY_TOO_NEW"] }, 5_000).message).to.equal(
        "in 5 s: the wallet has not held its identity for a whole cooldown",
      );
      expect(toPayoutReport(notReady, null)).to.deep.equal({
        message: "not paid: the cooldown is running (COOLDOWN_ACTIVE)",
        mark: "warn",
      });
    });

    it("ends with the page of the last run and the command that checks its score", () => {
      const run = {
        games: [
          { slug: "flappybots", sessionId: "first", score: 1, endReason: "exit" },
          { slug: "flappybots", sessionId: "last", score: 2, endReason: "exit" },
        ],
        snapshots: [],
        nfts: [],
        payouts: [],
        payoutsTotal: 30,
        payout: { paid: false, summary: "not paid" },
      } as unknown as AgentRun;
      const style = createStyle(false, {});
      const lastLines = (url: string) => formatSummary(run, url, style).split("\n").slice(-2);
      expect(formatSummary(run, "http://127.0.0.1:4100", style)).to.include("30 payouts, the latest:");
      expect(lastLines("http://127.0.0.1:4100")).to.deep.equal([
        "  watch it    http://127.0.0.1:4100/runs/last",
        "  check it    npm run replay -- last",
      ]);
      expect(lastLines("https://arcade.example")[1]).to.equal(
        "  check it    npm run replay -- last --url https://arcade.example",
      );
    });

    it("plans the largest number of transactions that it can send", () => {
      const { gas, lines } = createPlan({ agents: 2, games: 2, sessions: 3 });
      expect(lines.map(({ count }) => count)).to.deep.equal([2, 12, 12]);
      expect(gas).to.equal(2n * 150_000n + 12n * 90_000n + 12n * 120_000n);
    });

    it("reports what to do when no service answers", async () => {
      const { code, out, err } = await run("agent", ["--url", "http://127.0.0.1:9", "--json"], { NO_COLOR: "1" });
      expect(code).to.equal(1);
      expect(err).to.include("next: start the service with `npm start`");
      expect(JSON.parse(out)).to.include({ ok: false, code: "NETWORK_FAULT", exitCode: 1 });
    });
  });

  describe("replay", () => {
    it("rejects files that are not replays, and reports the fields of a wrong one", async () => {
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
    });
  });
});
