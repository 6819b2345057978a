/** Anvil as a child process: the local copy of a chain for rehearsals and tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRpcRequest } from "../../deploy/public/rpc.ts";
import { CommandError } from "../cli/failures.ts";
import { PortTakenError, startOnFreePort } from "../fleet/free-port.ts";

const START_POLLS = 100;
const POLL_MS = 50;

/** The program for this platform. The package's wrapper would survive a kill. */
function findProgram(): string {
  const system = process.platform === "win32" ? "win32" : process.platform;
  const machine = process.arch === "x64" ? "amd64" : process.arch;
  try {
    return createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${system}-${machine}/bin/anvil`);
  } catch (cause) {
    throw new CommandError("Anvil is not installed.", { next: "run npm ci, with the developer packages", cause });
  }
}

async function startOnPort(port: number, args: readonly string[]) {
  const program = findProgram();
  // Anvil would cache state by chain id and block in the user's home, and use it for another chain with the same id.
  const home = await mkdtemp(join(tmpdir(), "arcade-anvil-"));
  const child = spawn(program, ["--port", String(port), "--accounts", "0", "--silent", ...args], {
    stdio: "ignore",
    env: { HOME: home },
  });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await rm(home, { recursive: true, force: true });
  };
  const rpcUrl = `http://127.0.0.1:${port}`;
  const request = createRpcRequest(rpcUrl, 0);
  for (let poll = 1; child.exitCode === null; poll++) {
    const client = await request({ method: "web3_clientVersion" }).catch(() => null);
    if (String(client).startsWith("anvil") && child.exitCode === null) return { rpcUrl, close, processId: child.pid };
    if (poll === START_POLLS) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await close();
  throw new PortTakenError(`anvil does not answer on port ${port}`);
}

/** Starts anvil on a free port. Throws `CommandError` if it is not installed. */
export const startAnvil = (args: readonly string[]) => startOnFreePort((port) => startOnPort(port, args));
