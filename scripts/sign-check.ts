/**
 * `npm run sign-check`: shows why a signature recovers to another address, and which field differs from the chain's
 * domain.
 */
import { readAddressesFile } from "../backend/app/addresses-file.ts";
import { connectChain } from "../backend/app/connect.ts";
import type { Deployment } from "../backend/ports/chain.ts";
import type { Explanation } from "../backend/services/dev/explain.ts";
import { createClient } from "../client/client.ts";
import { renderCall, renderMessage, type Shown } from "../domain/typed-data/clear-signing/render.ts";
import { findContractName } from "../domain/typed-data/contract-names.ts";
import { defineCommand, parseServiceFlag } from "./cli/command.ts";
import { CommandError, EXIT } from "./cli/failures.ts";
import { findGivenNode, RPC_FLAG } from "./cli/node.ts";
import { readServiceConfig } from "./cli/service-config.ts";
import { padEnd } from "./cli/style.ts";
import type { Terminal } from "./cli/terminal.ts";
import { resolveUserPath } from "./cli/user-paths.ts";
import { readSignedPayload } from "./sign-check/payload.ts";

const FLAGS = {
  signature: { type: "string", value: "0x…", help: "the signature, if the file has none" },
  expected: { type: "string", value: "ADDRESS", help: "the expected signer; the contract's signers by default" },
  url: { type: "string", value: "URL", help: "the service", default: "ARCADE_PUBLIC_URL or http://127.0.0.1:4100" },
  ...RPC_FLAG,
} as const;

/** The contracts and the chain's node: from the service, or from the addresses file and the configuration. */
async function loadContext(url: string, rpc: string | undefined): Promise<{ deployment: Deployment; rpcUrl: string }> {
  const config = readServiceConfig();
  const instructions = await createClient({ baseUrl: url, retry: { retries: 1, baseMs: 200 } })
    .agent.agentInstructions()
    .catch(() => null);
  const deployment =
    instructions === null
      ? await readAddressesFile(config.deploymentPath)
      : {
          ...instructions.contracts,
          market: instructions.contracts.market ?? null,
          chainId: instructions.chainId,
          startBlock: 0,
        };
  const rpcUrl = rpc ?? instructions?.rpcUrl ?? null;
  if (deployment === null)
    throw new CommandError(`Neither ${url} nor ${config.deploymentPath} has the contracts' addresses.`, {
      next: "start the service, or give its address with --url",
    });
  if (rpcUrl === null)
    throw new CommandError(`No node of chain ${deployment.chainId} is known.`, {
      exitCode: EXIT.chain,
      next: "set one with --rpc",
    });
  return { deployment, rpcUrl };
}

/** What a wallet with the clear-signing descriptors shows. */
function printShown(what: string, shown: Shown | null, terminal: Terminal): void {
  if (shown === null) return;
  const { style } = terminal;
  terminal.print(`  ${style.bold(`${what}: ${shown.intent}`)}`);
  for (const { label, text } of shown.fields) terminal.print(`  ${padEnd(style.dim(label), 18)} ${text}`);
  terminal.print("");
}

function printExplanation(found: Explanation, terminal: Terminal): void {
  const { style } = terminal;
  const row = (label: string, text: string): void => terminal.print(`  ${padEnd(style.dim(label), 18)} ${text}`);
  terminal.print("");
  row("domain", JSON.stringify(found.domain));
  row("chain's domain", found.chainDomain === null ? "none" : JSON.stringify(found.chainDomain));
  row("type string", found.typeString);
  row("domain separator", found.domainSeparator);
  row("struct hash", found.structHash);
  row("digest", found.digest);
  row("recovered", found.recovered ?? "none");
  row("expected", found.expectedSigners.join(" or ") || "unknown");
  terminal.print("");
  if (found.signatureFault !== null) terminal.print(`  ${style.bad("✗")} the signature: ${found.signatureFault}`);
  for (const { field, expected, received } of found.differences)
    terminal.print(
      `  ${style.bad("✗")} ${style.bold(field)}: the chain expects ${expected}, the payload has ${received}`,
    );
  if (found.signedInstead !== null) {
    const { field, given, signed } = found.signedInstead;
    terminal.print(`  ${style.bad("✗")} ${style.bold(field)}: the payload has ${given}, signed was ${signed}`);
  }
  const isGood = found.matches && found.differences.length === 0;
  terminal.print(`  ${isGood ? style.good("✓") : style.bad("✗")} ${found.sentence}`);
}

export const command = defineCommand({
  name: "sign-check",
  summary: "reports who signed a typed payload, who should have signed, and which field differs",
  args: { file: { help: "typed data, or a response of the service that contains it (JSON)" } },
  flags: FLAGS,
  examples: [
    "npm run sign-check -- ./response.json",
    "npm run sign-check -- ./typed-data.json --signature 0x… --expected 0x…",
  ],
  async run({ flags, args }, terminal) {
    const path = resolveUserPath(args.file);
    const { request, call } = await readSignedPayload(path, flags.signature, flags.expected);
    const config = readServiceConfig();
    const url = parseServiceFlag(flags.url ?? config.publicUrl ?? `http://127.0.0.1:${config.port}`);
    const { deployment, rpcUrl } = await loadContext(url, findGivenNode(flags));
    const found = await (await connectChain(rpcUrl, deployment, null)).explain(request);
    const names = { getName: (address: string) => findContractName(deployment, address) };
    const shown = {
      message: renderMessage(request.typedData, names),
      call: call === null ? null : renderCall(call, names),
    };
    printShown("the message", shown.message, terminal);
    printShown("the call", shown.call, terminal);
    printExplanation(found, terminal);
    terminal.printJson({ ok: found.matches && found.differences.length === 0, ...found, shown });
    return found.matches && found.differences.length === 0 ? EXIT.ok : EXIT.error;
  },
});
