/** `npm run doctor`: compares a deployment and the backend's keys with the chain; each finding has the next step. */
import { getEnvironment } from "../backend/config/environment.ts";
import { defineCommand } from "./cli/command.ts";
import { CommandError, EXIT, UsageError } from "./cli/failures.ts";
import { compareWithServerStore } from "./cli/server-store.ts";
import { type DeployContext, loadDeployContext, NETWORK_FLAGS } from "./deploy/options.ts";
import { loadParameters } from "./deploy/parameters.ts";
import { listRolesChanges } from "./doctor/roles-changes.ts";
import { runChecks } from "./doctor/run-checks.ts";
import { type CheckResult, type Decision, loadTarget } from "./doctor/target.ts";

const FLAGS = {
  ...NETWORK_FLAGS,
  deployment: {
    type: "string",
    value: "FILE",
    help: "the addresses file; by default ARCADE_DEPLOYMENT or the network's own",
  },
  roles: {
    type: "string",
    value: "FILE",
    help: "the holder of each role, and the limits (JSON); needed on public chains",
  },
  salt: { type: "string", value: "LABEL", help: "the salt's label of the deployment", default: "agent-arcade" },
  all: { type: "boolean", help: "also show the checks that passed" },
} as const;

async function loadDecision(
  { network }: DeployContext,
  flags: { readonly roles?: string; readonly salt?: string },
): Promise<Decision | null> {
  if (flags.roles === undefined) return null;
  const parameters = await loadParameters(network, flags.roles);
  return { parameters, saltLabel: flags.salt ?? FLAGS.salt.default };
}

export const command = defineCommand({
  name: "doctor",
  summary: "checks code, domains, signers, roles, caps, float, balances, clock and traffic of a deployment",
  flags: FLAGS,
  examples: ["npm run doctor -- --network baseSepolia --roles roles.json", "npm run doctor -- --network local --all"],
  async run({ flags }, terminal) {
    const { style } = terminal;
    const context = await loadDeployContext(flags);
    const target = await loadTarget(context, flags.deployment, getEnvironment(), await loadDecision(context, flags));
    await compareWithServerStore(target.client, target.record);
    // A comparison with only the addresses file must not end with "0 faults": an attacker may have replaced the file.
    const findings = await runChecks(target, "fault").catch((cause: unknown) => {
      if (cause instanceof CommandError || cause instanceof UsageError) throw cause;
      const [message] = (cause as Error).message.split("\n");
      const next = "try again, or another node with --rpc";
      throw new CommandError(`The chain did not answer: ${message}`, { exitCode: EXIT.chain, next, cause });
    });
    const marks = { ok: style.good("✓"), warning: style.warn("!"), fault: style.bad("✗"), skipped: style.dim("–") };
    terminal.print(`\n  ${style.bold("Doctor")}  ${context.network.title}, chain ${context.network.chainId}\n`);
    for (const { status, finding, next } of findings) {
      if (status === "ok" && !flags.all) continue;
      terminal.print(`  ${marks[status]} ${finding}`);
      if (next !== null) terminal.print(`      ${style.dim("next:")} ${next}`);
    }
    const rolesChanges = listRolesChanges(findings);
    if (rolesChanges.length > 0) {
      terminal.print("\n  If the chain is as intended, the file of --roles needs:");
      for (const { path, value } of rolesChanges) terminal.print(`    ${path}: ${JSON.stringify(value)}`);
    }
    const count = (status: CheckResult["status"]): number => findings.filter((one) => one.status === status).length;
    const errorCount = count("fault");
    terminal.print(
      `\n  ${count("ok")} ok, ${count("warning")} warnings, ${errorCount} faults, ${count("skipped")} skipped`,
    );
    terminal.printJson({ ok: errorCount === 0, chainId: context.network.chainId, findings, rolesChanges });
    return errorCount === 0 ? EXIT.ok : EXIT.error;
  },
});
