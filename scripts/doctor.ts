/** `npm run doctor`: a deployment and the backend's keys against the chain; each finding with the next step. */
import { runCommand } from "./cli/command.ts";
import { CommandError, EXIT, UsageError } from "./cli/failures.ts";
import { findPlace, NETWORK_FLAGS } from "./deploy/options.ts";
import { examine } from "./doctor/examine.ts";
import { type Finding, findPatient } from "./doctor/patient.ts";

const FLAGS = {
  ...NETWORK_FLAGS,
  deployment: {
    type: "string",
    value: "FILE",
    help: "the addresses file; else ARCADE_DEPLOYMENT, else the network's own",
  },
  all: { type: "boolean", help: "show what is well, too" },
} as const;

process.exitCode = await runCommand({
  name: "doctor",
  summary: "code, domains, signers, roles, caps, float, balances, clock and traffic of a deployment",
  flags: FLAGS,
  examples: ["npm run doctor -- --network baseSepolia", "npm run doctor -- --network local --all"],
  async run({ flags }, terminal) {
    const { style } = terminal;
    const place = await findPlace(flags);
    const patient = await findPatient(place, flags.deployment);
    const findings = await examine(patient).catch((cause: unknown) => {
      if (cause instanceof CommandError || cause instanceof UsageError) throw cause;
      const [words] = (cause as Error).message.split("\n");
      const next = "try again, or another node with --rpc-url";
      throw new CommandError(`The chain did not answer: ${words}`, { exitCode: EXIT.chain, next, cause });
    });
    const marks = { ok: style.good("✓"), warning: style.warn("!"), fault: style.bad("✗"), skipped: style.dim("–") };
    terminal.say(`\n  ${style.bold("Doctor")}  ${place.network.title}, chain ${place.network.chainId}\n`);
    for (const { status, finding, next } of findings) {
      if (status === "ok" && !flags.all) continue;
      terminal.say(`  ${marks[status]} ${finding}`);
      if (next !== null) terminal.say(`      ${style.dim("next:")} ${next}`);
    }
    const count = (status: Finding["status"]): number => findings.filter((one) => one.status === status).length;
    const faults = count("fault");
    terminal.say(
      `\n  ${count("ok")} well, ${count("warning")} warnings, ${faults} faults, ${count("skipped")} not looked at`,
    );
    terminal.answer({ ok: faults === 0, chainId: place.network.chainId, findings });
    return faults === 0 ? EXIT.ok : EXIT.fault;
  },
});
