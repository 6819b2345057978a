/** Sessions: ended or withheld by hand. */
import { setTimeout as sleep } from "node:timers/promises";
import { countOf } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { AS_FLAG, onlyOne, stampOf, withStore } from "./place.ts";
import { defineSubcommand } from "./subcommand.ts";

const REASON_FLAG = { reason: { type: "string", value: "TEXT", help: "kept in the audit" } } as const;
const POLL_MS = 200;

const end = defineSubcommand({
  path: "sessions end",
  positionals: "SESSION_ID",
  summary: "ends a running session with the score it has; the server that runs it does so within a second",
  flags: {
    ...REASON_FLAG,
    wait: { type: "string", value: "SECONDS", help: "how long to wait for the server", default: "10" },
    ...AS_FLAG,
  },
  example: 'sessions end 0190f1d5-7c4e-7abc-8def-0123456789ab --reason "stuck"',
  async run({ flags, positionals }, terminal) {
    const sessionId = onlyOne(positionals, "session id").toLowerCase();
    const waitMs = countOf("wait", flags.wait, 10, 600) * 1000;
    return withStore(async ({ sessions, operator }) => {
      if (!(await operator.orderEnd(sessionId, flags.reason ?? "", stampOf(flags)))) {
        const row = await sessions.find(sessionId);
        throw new CommandError(
          row === null
            ? `There is no session ${sessionId}.`
            : `Session ${sessionId} has ended already (${row.endReason}).`,
        );
      }
      const deadlineMs = performance.now() + waitMs;
      let row = await sessions.find(sessionId);
      while (row?.phase !== "ended" && performance.now() < deadlineMs) {
        await sleep(POLL_MS);
        row = await sessions.find(sessionId);
      }
      const ended = row?.phase === "ended";
      terminal.say(
        ended
          ? `Session ${sessionId} has ended with ${row?.score} points`
          : `Ordered; no server has carried it out yet. The next one that runs the session will.`,
      );
      terminal.answer({ ok: true, sessionId, ended, score: ended ? (row?.score ?? null) : null });
      return EXIT.ok;
    });
  },
});

const REFUSALS = {
  unknown: "there is no such session",
  not_ended: "it is still being played; end it first",
  practice: "practice sessions have no score to withhold",
  on_chain: "its score is on chain already, where nobody can take it back",
} as const;

const withhold = defineSubcommand({
  path: "sessions withhold",
  positionals: "SESSION_ID",
  summary: "keeps an ended session's score from being signed and ranked, for ever",
  flags: { ...REASON_FLAG, ...AS_FLAG },
  example: 'sessions withhold 0190f1d5-7c4e-7abc-8def-0123456789ab --reason "played by several hands"',
  async run({ flags, positionals }, terminal) {
    const sessionId = onlyOne(positionals, "session id").toLowerCase();
    const { reason } = flags;
    if (reason === undefined || reason.trim() === "")
      throw new UsageError("Expected --reason: it cannot be undone, so the audit must say why");
    const outcome = await withStore(({ operator }) => operator.withhold(sessionId, reason, stampOf(flags)));
    if (outcome !== "withheld" && outcome !== "unchanged")
      throw new CommandError(`The score of session ${sessionId} cannot be withheld: ${REFUSALS[outcome]}.`);
    terminal.say(outcome === "withheld" ? `The score of ${sessionId} is withheld` : "It was withheld before");
    terminal.answer({ ok: true, sessionId, outcome });
    return EXIT.ok;
  },
});

export const SESSION_COMMANDS = [end, withhold];
