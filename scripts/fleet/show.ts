import type { Fleet } from "./start-fleet.ts";

/** One line for machines, one table for people. */
export function formatFleet({ url, rpcUrl, databaseUrl, nats, backends }: Fleet, json: boolean): string {
  if (json) {
    const processes = backends.map(({ httpUrl, processId }) => ({ httpUrl, processId }));
    const ready = { ready: true, httpUrl: url, rpcUrl, databaseUrl, natsUrl: nats.url, backends: processes };
    return `${JSON.stringify(ready)}\n`;
  }
  const rows: [string, string][] = [
    ["balancer", `${url}/`],
    ...backends.map(({ number, httpUrl, processId }): [string, string] => [
      `backend ${number}`,
      `${httpUrl}/ (process ${processId})`,
    ]),
    ["chain RPC", rpcUrl],
    ["PostgreSQL", databaseUrl],
    ["NATS", nats.url],
  ];
  return [
    "",
    "The fleet is ready",
    "",
    ...rows.map(([name, value]) => `  ${name.padEnd(10)}  ${value}`),
    "",
    "try next, in another terminal",
    `  npm run agent -- --url ${url} --game flappybots     one agent's whole lifecycle, from identity to payout`,
    `  open ${url}/ and watch it play`,
    `  kill -9 ${backends[0]!.processId}: the others continue the games of backend 1, which then restarts`,
    "",
    "Ctrl-C stops everything and removes the data (docs/scaling.md)",
    "",
  ].join("\n");
}
