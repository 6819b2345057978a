/** `npm run sign-check`: why a signature recovers to another address, and which field differs from the chain's domain. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createReader } from "../backend/adapters/chain/reader.ts";
import { createRpc } from "../backend/adapters/chain/rpc.ts";
import { systemClock } from "../backend/adapters/clock.ts";
import { recoverDigest } from "../backend/adapters/worker/tasks.ts";
import { readConfig } from "../backend/config/config.ts";
import type { Deployment } from "../backend/ports.ts";
import { type Explanation, makeExplain } from "../backend/services/explain.ts";
import { createClient } from "../client/client.ts";
import { type Command, type Flag, runCommand, type Terminal, urlOf } from "./cli/command.ts";
import { CommandError, EXIT, UsageError } from "./cli/failures.ts";
import { padEnd } from "./cli/style.ts";
import { readGiven } from "./sign-check/given.ts";

const FLAGS = {
  signature: { type: "string", value: "0x…", help: "the signature, where the file has none" },
  expected: { type: "string", value: "ADDRESS", help: "who should have signed; else the contract's own signers" },
  url: { type: "string", value: "URL", help: "the service", default: "ARCADE_PUBLIC_URL or http://127.0.0.1:4100" },
  rpc: { type: "string", value: "URL", help: "the chain's node; else ARCADE_RPC_URL, else what the service tells" },
} as const satisfies { [name: string]: Flag };

/** The contracts and a node to ask about them: the service's own word, else the addresses file. */
async function placeOf(url: string, rpc: string | undefined): Promise<{ deployment: Deployment; rpcUrl: string }> {
  const config = readConfig();
  const told = await createClient({ baseUrl: url, retry: { retries: 1, baseMs: 200 } })
    .agent.agentInstructions()
    .catch(() => null);
  const written = await readFile(config.deploymentPath, "utf8").then(
    (text) => JSON.parse(text) as Deployment,
    () => null,
  );
  const deployment =
    told === null
      ? written
      : { ...told.contracts, market: told.contracts.market ?? null, chainId: told.chainId, startBlock: 0 };
  const rpcUrl = rpc ?? config.rpcUrl ?? told?.rpcUrl ?? null;
  if (deployment === null)
    throw new CommandError(`Neither ${url} nor ${config.deploymentPath} tells the contracts' addresses.`, {
      next: "start the service, or give its address with --url",
    });
  if (rpcUrl === null)
    throw new CommandError(`No node of chain ${deployment.chainId} is known.`, {
      exitCode: EXIT.chain,
      next: "give one with --rpc",
    });
  return { deployment, rpcUrl };
}

function tell(found: Explanation, terminal: Terminal): void {
  const { style } = terminal;
  const row = (head: string, words: string): void => terminal.say(`  ${padEnd(style.dim(head), 18)} ${words}`);
  terminal.say("");
  row("domain", JSON.stringify(found.domain));
  row("chain's domain", found.chainDomain === null ? "none" : JSON.stringify(found.chainDomain));
  row("type string", found.typeString);
  row("domain separator", found.domainSeparator);
  row("struct hash", found.structHash);
  row("digest", found.digest);
  row("recovered", found.recovered ?? "nobody");
  row("expected", found.expectedSigners.join(" or ") || "nobody known");
  terminal.say("");
  if (found.signatureFault !== null) terminal.say(`  ${style.bad("✗")} the signature: ${found.signatureFault}`);
  for (const { field, expected, received } of found.differences)
    terminal.say(
      `  ${style.bad("✗")} ${style.bold(field)}: the chain expects ${expected}, the payload says ${received}`,
    );
  if (found.signedInstead !== null) {
    const { field, given, signed } = found.signedInstead;
    terminal.say(`  ${style.bad("✗")} ${style.bold(field)}: the payload says ${given}, signed was ${signed}`);
  }
  const isGood = found.matches && found.differences.length === 0;
  terminal.say(`  ${isGood ? style.good("✓") : style.bad("✗")} ${found.sentence}`);
}

const command: Command<typeof FLAGS> = {
  name: "sign-check",
  summary: "says who signed a typed payload, who should have, and which field differs",
  positionals: "FILE",
  flags: FLAGS,
  examples: [
    "npm run sign-check -- ./response.json",
    "npm run sign-check -- ./typed-data.json --signature 0x… --expected 0x…",
  ],
  async run({ flags, positionals }, terminal) {
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError("Expected one FILE with typed data or a response");
    const given = await readGiven(resolve(process.env.INIT_CWD ?? ".", file), flags.signature, flags.expected);
    const config = readConfig();
    const url = urlOf("url", flags.url ?? config.publicUrl ?? `http://127.0.0.1:${config.port}`);
    const { deployment, rpcUrl } = await placeOf(url, flags.rpc === undefined ? undefined : urlOf("rpc", flags.rpc));
    const rpc = createRpc({ rpcUrl, chainId: deployment.chainId, clock: systemClock });
    const explain = makeExplain({
      chain: createReader({ rpc, deployment, confirmations: config.confirmations }),
      worker: { recoverDigest: async (digest, signature) => recoverDigest({ digest, signature }) },
    });
    const found = await explain(given);
    tell(found, terminal);
    terminal.answer({ ok: found.matches && found.differences.length === 0, ...found });
    return found.matches && found.differences.length === 0 ? EXIT.ok : EXIT.fault;
  },
};

process.exitCode = await runCommand(command);
