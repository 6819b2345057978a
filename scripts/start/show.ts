import type { DevStack } from "../../local-chain/dev-stack.ts";
import { AGENT_FLAGS } from "../agent/options.ts";

/** Commands to try, with the service's URL unless it is their default. */
export function listNextCommands(httpUrl: string): readonly string[] {
  const urlFlag = httpUrl === AGENT_FLAGS.url.default ? "" : ` --url ${httpUrl}`;
  const commands: readonly (readonly [string, string])[] = [
    [`npm run agent --${urlFlag} --bot quick`, "one agent from an empty wallet to a payout, in half a minute"],
    [`npm run agent --${urlFlag} --game both`, "the reference bot plays each game for about two minutes"],
    [`npm run new-bot --${urlFlag} ../my-bot`, "a bot of your own to change"],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  return commands.map(([command, text]) => `  ${command.padEnd(width)}  ${text}`);
}

/** One line for machines, one table for people. */
export function formatStack(stack: DevStack, json: boolean): string {
  const { app, chain, deployment, accounts } = stack;
  const { identity, rewards, token, market, nft } = deployment;
  if (json) {
    return `${JSON.stringify({
      ready: true,
      httpUrl: app.httpUrl,
      wsUrl: app.wsUrl,
      rpcUrl: chain.rpcUrl,
      chainId: deployment.chainId,
      contracts: { identity, rewards, token, market, nft },
      accounts,
    })}\n`;
  }
  const rows: [string, string][] = [
    ["site", `${app.httpUrl}/`],
    ["documents", `${app.httpUrl}/docs`],
    ["API", `${app.httpUrl}/api/agent-instructions`],
    ["WebSocket", app.wsUrl],
    ["chain RPC", `${chain.rpcUrl} (chain ${deployment.chainId})`],
    ["identity", identity],
    ["rewards", rewards],
    ["token", token],
    ...(market === null ? [] : [["market (Seaport 1.6)", market] as [string, string]]),
    ...Object.entries(nft).map(([slug, address]): [string, string] => [`NFT ${slug}`, address]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  const funded = accounts.slice(0, 3).map(({ address, privateKey }) => `  ${address}  ${privateKey}`);
  return [
    "",
    "Agent Arcade is ready",
    "",
    ...lines,
    "",
    "funded development accounts (their keys are public; use them only on this chain)",
    ...funded,
    `  … all ${accounts.length} with --json`,
    "",
    "try next, in another terminal",
    ...listNextCommands(app.httpUrl),
    `  open ${app.httpUrl}/ and watch it play`,
    "",
    "Ctrl-C stops everything; the next start continues from here (--fresh starts over)",
    "",
  ].join("\n");
}
