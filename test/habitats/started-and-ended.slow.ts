/** Starts and ends commands in different ways: below npm, in folders with spaces, with a closed output. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { findParentOfShell, quoteWord } from "../../scripts/cli/endings.ts";
import { command as packPython } from "../../scripts/pack-python.ts";
import { root } from "../../scripts/start/build.ts";
import { callCommand } from "../helpers/commands.ts";
import { waitUntil } from "../helpers/wait-until.ts";

/** The processes that have the folder in their environment: npm, its shell, the server and its children. */
async function listProcesses(folder: string): Promise<readonly { readonly id: number; readonly command: string }[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const read = (name: string) => readFile(`/proc/${id}/${name}`, "utf8").catch(() => "");
      const [command, environment] = await Promise.all([read("cmdline"), read("environ")]);
      return environment.includes(folder) ? [{ id: Number(id), command }] : [];
    }),
  );
  return found.flat();
}

/** The process that a supervisor ends, and the signal: npm, or the shell in which npm runs the script. */
const ENDS: readonly (readonly [title: string, end: (npm: number, shell: number) => void])[] = [
  ["SIGTERM to npm", (npm) => process.kill(npm, "SIGTERM")],
  ["SIGKILL to npm", (npm) => process.kill(npm, "SIGKILL")],
  ["SIGKILL to the shell of npm", (_, shell) => process.kill(shell, "SIGKILL")],
  ["SIGINT to the group, as by Ctrl-C", (npm) => process.kill(-npm, "SIGINT")],
  ["SIGTERM to the group, as by systemd", (npm) => process.kill(-npm, "SIGTERM")],
  ["SIGHUP to the group, as by a closed terminal", (npm) => process.kill(-npm, "SIGHUP")],
];

describe("a server below npm", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade's endings "));
  });
  afterEach(async () => {
    for (const { id } of await listProcesses(folder)) process.kill(id, "SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  for (const [title, end] of ENDS)
    it(`ends with all its processes, and closes its store, after ${title}`, async () => {
      const env = { ...process.env, ARCADE_DATA_DIR: folder, ARCADE_PORT: "0", ARCADE_RPC_PORT: "0" };
      const npm: ChildProcess = spawn("npm", ["run", "--silent", "start", "--", "--json"], {
        cwd: root,
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
        env,
      });
      let out = "";
      npm.stdout!.on("data", (text) => {
        out += text;
      });
      await waitUntil(() => out.includes('"httpUrl"'));
      const isServer = ({ command }: { readonly command: string }) =>
        /^\S*node\0scripts\/run\.mjs\0start\0/.test(command);
      const server = (await listProcesses(folder)).find(isServer)!;
      const stat = await readFile(`/proc/${server.id}/stat`, "utf8");
      const shell = Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
      expect(shell).to.not.equal(npm.pid);
      // SQLite removes its log only when the last connection is closed.
      const listLogs = async () => (await readdir(folder)).filter((name) => name.endsWith("-wal"));
      expect(await listLogs()).to.not.deep.equal([]);
      end(npm.pid!, shell);
      await waitUntil(async () => (await listProcesses(folder)).length === 0);
      expect(await listLogs()).to.deep.equal([]);
    });
});

describe("a command below npm", () => {
  /** Starts a shell as npm does, and reports the parent and the grandparent of what it runs. */
  const listAncestors = (shell: string) => {
    const program = `import(${JSON.stringify(join(root, "scripts/cli/endings.ts"))}).then(({ findParentOfShell }) =>
      console.log(JSON.stringify([process.ppid, findParentOfShell(process.ppid)])));`;
    const { stdout } = spawnSync(shell, ["-c", `${quoteWord(process.execPath)} -e ${quoteWord(program)}`], {
      encoding: "utf8",
    });
    return JSON.parse(stdout) as [parent: number, parentOfShell: string | null];
  };

  it("watches npm, and not who started npm, if the shell replaces itself by the command (bash)", () => {
    expect(listAncestors("bash")).to.deep.equal([process.pid, null]);
  });

  it("watches npm above a shell that stays (dash)", () => {
    const [shell, npm] = listAncestors("dash");
    expect(shell).to.not.equal(process.pid);
    expect(npm).to.equal(String(process.pid));
    expect(findParentOfShell(process.pid)).to.equal(null);
  });

  it("continues while its sockets use all file descriptors", () => {
    const program = `import(${JSON.stringify(join(root, "scripts/cli/endings.ts"))}).then(({ endWithNpm }) => {
      let check;
      globalThis.setInterval = (callback) => ((check = callback), { unref() {} });
      endWithNpm();
      try { for (;;) fs.openSync("/dev/null"); } catch {}
      check();
      console.log("continues");
    });`;
    const line = `ulimit -n 64; ${quoteWord(process.execPath)} -e ${quoteWord(program)}; exit`;
    // With a file of certificates, Node would warn that it cannot open it.
    const env = { ...process.env, npm_lifecycle_event: "start", NODE_EXTRA_CA_CERTS: "" };
    const { stdout, stderr } = spawnSync("sh", ["-c", line], { encoding: "utf8", env });
    expect([stdout, stderr]).to.deep.equal(["continues\n", ""]);
  });
});

describe("a command below pnpm, which passes `--` on", () => {
  for (const [args, usage] of [
    [["chain", "--", "--help"], "npm run chain"],
    [["lab", "--", "drill", "--help"], "npm run lab -- drill"],
  ] as const)
    it(`gets its arguments: ${args.join(" ")}`, () => {
      const { stdout } = spawnSync(process.execPath, ["scripts/run.mjs", ...args], { cwd: root, encoding: "utf8" });
      expect(stdout).to.include(`Usage: ${usage}`);
    });
});

/** Commands that print to a reader that has left before the first line. */
const PRINTING = ["admin --help", "agent --help", "doctor --help", "replay --help", "lab --help"];

describe("the first process of a container", () => {
  it("ends on SIGTERM, also before a server has started", async () => {
    const asUser = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
    let unshare: ChildProcess;
    const server = createServer(async () => {
      const [id] = (await readFile(`/proc/${unshare.pid}/task/${unshare.pid}/children`, "utf8")).split(" ");
      // No answer: the command waits for it when the signal arrives.
      process.kill(Number(id), "SIGTERM");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    try {
      const { port } = server.address() as AddressInfo;
      const command = [process.execPath, "scripts/run.mjs", "agent", "--url", `http://127.0.0.1:${port}`];
      unshare = spawn("unshare", [...asUser, "--pid", "--fork", "--mount-proc", "--kill-child", ...command], {
        cwd: root,
        stdio: "ignore",
      });
      const [status] = await once(unshare, "exit");
      expect(status).to.equal(128 + constants.signals.SIGTERM);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("a command whose output is closed", () => {
  for (const args of PRINTING)
    it(`ends without an error: ${args}`, () => {
      const line = `${quoteWord(process.execPath)} scripts/run.mjs ${args}`;
      const { output } = spawnSync("sh", ["-c", `{ ${line} 2>&3; echo "status $?" >&3; } | true`], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "ignore", "ignore", "pipe"],
      });
      expect(output[3]).to.equal("status 0\n");
    });
});

describe("a command whose output goes to a full disk", () => {
  it("ends with a message and status 1", () => {
    const line = `${quoteWord(process.execPath)} scripts/run.mjs admin --help > /dev/full`;
    const { status, stderr } = spawnSync("sh", ["-c", line], { cwd: root, encoding: "utf8" });
    expect(stderr).to.match(/^The output cannot be written: ENOSPC.*\n$/);
    expect(status).to.equal(1);
  });
});

describe("a server whose data does not fit on the disk", () => {
  it("ends with the file and the reason, without the request of the chain", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arcade-full-"));
    try {
      // The chain's journal has more than this number of blocks of 512 or 1024 bytes.
      const line = `ulimit -f 200; ${quoteWord(process.execPath)} scripts/run.mjs start`;
      const env = { ...process.env, ARCADE_DATA_DIR: folder, ARCADE_PORT: "0", ARCADE_RPC_PORT: "0" };
      const { status, stderr } = spawnSync("sh", ["-c", line], { cwd: root, encoding: "utf8", env });
      expect(stderr).to.match(/^✗ Agent Arcade could not start: .{0,80}cannot write \S+journal\.jsonl: EFBIG.*\n$/);
      expect(status).to.equal(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("reports the path of a smaller file too", () => {
    const module = JSON.stringify(join(root, "backend/adapters/node/replace-file.ts"));
    const path = join(tmpdir(), `arcade-full-${process.pid}`);
    const program = `import(${module}).then(({ replaceFile }) => replaceFile(${JSON.stringify(path)}, "x".repeat(5000)))
      .catch(({ code, path }) => console.log(code, path));`;
    const line = `ulimit -f 1; ${quoteWord(process.execPath)} -e ${quoteWord(program)}; rm -f ${quoteWord(path)}.new`;
    const { stdout } = spawnSync("sh", ["-c", line], { encoding: "utf8" });
    expect(stdout).to.equal(`EFBIG ${path}\n`);
  });
});

describe("a built wheel", () => {
  it("is installed by the command that pack:python prints, also in a folder with a space", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arcade's wheels #1 "));
    try {
      const { out, err, json } = await callCommand(packPython, ["--out", folder, "--json"]);
      const [, words] = /next: pip install (.*)/.exec(out + err)!;
      const { stdout } = spawnSync("sh", ["-c", `printf '%s\n' ${words}`], { encoding: "utf8" });
      expect(stdout).to.equal(`${json.file}\n`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("quoteWord", () => {
  const WORDS = ["my-bot", "../my bot #2", "it's", "$HOME", "`id`", "a\nb", "ü", "*", '"', "~", "", "-x", "100%"];
  for (const word of WORDS)
    it(`makes one word of ${JSON.stringify(word)}`, () => {
      const { stdout } = spawnSync("sh", ["-c", `printf %s ${quoteWord(word)}`], { encoding: "utf8" });
      expect(stdout).to.equal(word);
    });
});
