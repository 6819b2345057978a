/** Sessions: end one, withhold or forfeit its score. */
import { setTimeout as sleep } from "node:timers/promises";
import { defineCommand, parseCount } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { cancelSignedScore, describeSignature } from "./cancel-score.ts";
import { AS_FLAG, createAuditStamp, RPC_FLAG, withStore } from "./context.ts";

const REASON_FLAG = { reason: { type: "string", value: "TEXT", help: "recorded in the audit" } } as const;
const POLL_MS = 200;

const end = defineCommand({
  name: "sessions end",
  args: { sessionId: { value: "SESSION_ID", help: "the session's id" } },
  summary: "ends a running session with its present score; its server does so within a second",
  flags: {
    ...REASON_FLAG,
    wait: { type: "string", value: "SECONDS", help: "how long to wait for the server", default: "10" },
    ...AS_FLAG,
  },
  examples: ['npm run admin -- sessions end 0190f1d5-7c4e-7abc-8def-0123456789ab --reason "stuck"'],
  async run({ flags, args }, terminal) {
    const sessionId = args.sessionId.toLowerCase();
    const waitMs = parseCount("wait", flags.wait, 10, 600) * 1000;
    return withStore(async ({ sessions, operator }) => {
      if (!(await operator.requestSessionEnd(sessionId, flags.reason ?? "", createAuditStamp(flags)))) {
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
      terminal.print(
        ended
          ? `Session ${sessionId} has ended with ${row?.score} points`
          : "Requested; no server has ended the session yet. The server that runs it will.",
      );
      terminal.printJson({ ok: true, sessionId, ended, score: ended ? (row?.score ?? null) : null });
      return EXIT.ok;
    });
  },
});

const REJECTION_MESSAGES = {
  unknown: "there is no such session",
  not_ended: "it is still being played; end it first",
  practice: "practice sessions have no score that counts",
  on_chain: "its score is on chain already and cannot be removed there",
} as const;

const SAMPLE_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";

/** Takes a score back in the store, then cancels what was signed of it on chain. */
const defineTakeBackCommand = (form: {
  readonly verb: "withhold" | "forfeit";
  readonly method: "withholdScore" | "forfeitScore";
  readonly done: "withheld" | "forfeited";
  readonly summary: string;
  readonly example: string;
}) =>
  defineCommand({
    name: `sessions ${form.verb}`,
    args: { sessionId: { value: "SESSION_ID", help: "the session's id" } },
    summary: `${form.summary}; a signature that is still valid is cancelled on chain by the guardian`,
    flags: { ...REASON_FLAG, ...AS_FLAG, ...RPC_FLAG },
    examples: [`npm run admin -- sessions ${form.verb} ${SAMPLE_ID} --reason "${form.example}"`],
    async run({ flags, args }, terminal) {
      const sessionId = args.sessionId.toLowerCase();
      const { reason } = flags;
      if (reason === undefined || reason.trim() === "")
        throw new UsageError("--reason: expected a text, since this cannot be undone and the audit must say why");
      const { outcome, signature } = await withStore(async ({ operator, sessions }, config) => {
        const changed = await operator[form.method](sessionId, reason, createAuditStamp(flags));
        if (changed !== form.done && changed !== "unchanged")
          throw new CommandError(
            `The score of session ${sessionId} cannot be ${form.done}: ${REJECTION_MESSAGES[changed as keyof typeof REJECTION_MESSAGES]}.`,
          );
        const session = await sessions.find(sessionId);
        return { outcome: changed, signature: await cancelSignedScore(session!, flags, config) };
      });
      const changed =
        outcome === "unchanged" ? `The score was ${form.done} before` : `The score of ${sessionId} is ${form.done}`;
      for (const line of [changed, ...describeSignature(signature)]) terminal.print(line);
      terminal.printJson({ ok: true, sessionId, outcome, signature });
      return EXIT.ok;
    },
  });

const withhold = defineTakeBackCommand({
  verb: "withhold",
  method: "withholdScore",
  done: "withheld",
  summary: "withholds an ended session's score forever: it is never signed or ranked",
  example: "played by several people",
});

const forfeit = defineTakeBackCommand({
  verb: "forfeit",
  method: "forfeitScore",
  done: "forfeited",
  summary: "gives an ended session's score up for its player: it is never signed, and counts for no NFT",
  example: "asked for by the player",
});

export const SESSION_COMMANDS = [end, withhold, forfeit];
