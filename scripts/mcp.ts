/** `npm run mcp`: the tools of the Model Context Protocol over stdio, with a wallet on this machine. */
import { Readable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createClient } from "../client/client.ts";
import { isApiError } from "../client/errors.ts";
import { isLocalChain } from "../domain/chain-ids.ts";
import { games } from "../games/index.ts";
import { dropNullMembersOfLines } from "../mcp/null-members.ts";
import { Plays } from "../mcp/plays.ts";
import { createMcpServer } from "../mcp/server.ts";
import { Simulations } from "../mcp/simulations.ts";
import { loadAgentContext } from "./agent/context.ts";
import { AGENT_FLAGS, type AgentOptions, parseAgentOptions } from "./agent/options.ts";
import { claimKeys, createWallet } from "./agent/wallets.ts";
import { defineCommand } from "./cli/command.ts";
import { CommandError, EXIT } from "./cli/failures.ts";

const { url, rpc, deployment, key, yes } = AGENT_FLAGS;

const loadKey = async ({ key: given, keysFolder }: AgentOptions) => given ?? (await claimKeys(keysFolder, 1))[0]!.key;

async function createContext(options: AgentOptions) {
  const context = await loadAgentContext(options);
  const { chainId, publicClient, contracts } = context;
  const isLocal = isLocalChain(chainId);
  if (!isLocal && !options.yes) {
    throw new CommandError(`The tools would spend the wallet's ether on chain ${chainId} without confirmation.`, {
      exitCode: EXIT.usage,
      next: "allow it with --yes",
    });
  }
  const account = createWallet(await loadKey(options), context);
  const getBalance = () => publicClient.getBalance({ address: account.address });
  const client = createClient({
    baseUrl: context.url,
    wallet: { ...account, getBalance } as typeof account,
    contracts,
  });
  const hasLeague = await client.league.current({ slug: games[0]!.slug }).then(
    () => true,
    (error) => !(isApiError(error) && error.code === "LEAGUE_OFF"),
  );
  const [plays, simulations] = [new Plays(), new Simulations()];
  return { client, token: null, address: null, isLocal, hasLeague, plays, simulations };
}

export const command = defineCommand({
  isServer: true,
  name: "mcp",
  summary: "serves the tools of the Model Context Protocol on stdin and stdout, with a wallet on this machine",
  flags: { url, rpc, deployment, key, yes },
  examples: ["npm run --silent mcp -- --url http://127.0.0.1:4100", "npm run --silent mcp -- --key @agent.key"],
  notes: [
    "stdout belongs to the protocol: start it with npm run --silent. Without a wallet: POST /mcp of the service (docs/mcp.md).",
  ],
  async run(input) {
    const context = await createContext(parseAgentOptions(input));
    const create = () => createMcpServer(context, (error) => console.error("a tool failed", error));
    const stdin = Readable.from(dropNullMembersOfLines(process.stdin), { objectMode: false });
    const server = serveStdio(create, { transport: new StdioServerTransport(stdin) });
    await new Promise<void>((resolve) => {
      process.stdin.once("close", resolve);
      // Without a listener the process would end at once, and leave the policies' processes behind.
      for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, resolve);
    });
    await server.close();
    // Running sessions still hold sockets.
    process.exit(EXIT.ok);
  },
});
