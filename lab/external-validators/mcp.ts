/** `/mcp` of a running service, checked by the conformance tool of the model context protocol. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startTestStack } from "../../test/helpers/suite.ts";
import { labPackages } from "../install-packages.ts";
import type { Check } from "./check.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const TOOL = `${labPackages}/@modelcontextprotocol/conformance/dist/index.js`;
const TIMEOUT_MS = 60_000;
/**
 * The scenarios that any server has to pass. The others call tools, prompts and resources of the protocol's own test
 * server, or features that this server does not offer.
 */
const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

/** What the tool reports about a scenario; null if it passes. */
const runScenario = (url: string, scenario: string): Promise<string | null> =>
  new Promise((resolve) => {
    const args = [TOOL, "server", "--url", url, "--scenario", scenario];
    execFile(process.execPath, args, { cwd: FOLDER, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      const said = `${stdout}\n${stderr}`.trim().split("\n").slice(-6).join(" ");
      resolve(error === null ? null : `${scenario}: ${said}`);
    });
  });

async function runScenarios(url: string): Promise<string[]> {
  const errors: string[] = [];
  for (const scenario of SCENARIOS) {
    const error = await runScenario(url, scenario);
    if (error !== null) errors.push(error);
  }
  return errors;
}

/** Changes of a server's answers. The tool must find each. */
const FAULTS: { readonly [fault: string]: (answer: string) => string } = {
  "tools without a schema of their input": (answer) => answer.replaceAll('"inputSchema"', '"schema"'),
  "an initialization without the protocol's version": (answer) => answer.replaceAll('"protocolVersion"', '"version"'),
  // The proxy accepts every Host.
  "no protection against DNS rebinding": (answer) => answer,
};

/** Passes requests on with another Host, and changes the answers. */
async function startProxy(target: string, change: (answer: string) => string): Promise<Server> {
  const forward = async (request: IncomingMessage) => {
    const { method = "POST", headers } = request;
    const kept = Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-.*)$/.test(name));
    const body = method === "POST" ? { body: await text(request) } : {};
    return fetch(target, { method, headers: Object.fromEntries(kept) as Record<string, string>, ...body });
  };
  const server = createServer(async (request, response) => {
    const answer = await forward(request);
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
    response.end(change(await answer.text()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function listFoundFaults(url: string): Promise<string[]> {
  const found: string[] = [];
  for (const [fault, change] of Object.entries(FAULTS)) {
    const proxy = await startProxy(url, change);
    const { port } = proxy.address() as AddressInfo;
    const [first] = await runScenarios(`http://127.0.0.1:${port}/mcp`);
    proxy.close();
    if (first === undefined) return [];
    found.push(`${fault}: ${first}`);
  }
  return found;
}

export const mcp: Check = async ({ isSelfTest }) => {
  const stack = await startTestStack();
  try {
    const url = `${stack.httpUrl}/mcp`;
    return isSelfTest ? await listFoundFaults(url) : await runScenarios(url);
  } finally {
    await stack.close();
  }
};
