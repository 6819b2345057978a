import type { DevStack } from "../../backend/dev-stack.ts";

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
    ["viewer", `${app.httpUrl}/`],
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
    "  npm run agent -- --game flappybots     one agent's whole lifecycle, from identity to payout",
    "  npm run agent -- --game both",
    `  open ${app.httpUrl}/ and watch it play`,
    "",
    "Ctrl-C stops; the next start finds everything as it was (--fresh forgets it)",
    "",
  ].join("\n");
}
