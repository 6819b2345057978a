/** Sessions: end one, withhold or forfeit its score. */
import { endSession, type TakeBack, takeScoreBack } from "../../backend/services/operations/actions/sessions.ts";
import { defineCommand, parseCount } from "../cli/command.ts";
import { UsageError } from "../cli/failures.ts";
import { RPC_FLAG } from "../cli/node.ts";
import { cancelSignedScore, describeSignature } from "./cancel-score.ts";
import { AS_FLAG, checkServiceChain, pollUntil, WAIT_FLAG, withOperator } from "./context.ts";

const ARGS = { sessionId: { value: "SESSION_ID", help: "the session's id" } } as const;
const REASON_FLAG = { reason: { type: "string", value: "TEXT", help: "recorded in the audit" } } as const;
const SAMPLE_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";

const end = defineCommand({
  name: "sessions end",
  args: ARGS,
  summary: "ends a running session with its current score, within a second",
  flags: { ...REASON_FLAG, ...WAIT_FLAG, ...AS_FLAG },
  examples: [`npm run admin -- sessions end ${SAMPLE_ID} --reason "stuck"`],
  async run({ flags, args }, terminal) {
    const sessionId = args.sessionId.toLowerCase();
    const waitSeconds = parseCount("wait", flags.wait, 10, 600);
    return withOperator(flags, async (operator) => {
      await endSession(operator, { sessionId, reason: flags.reason ?? "" });
      const find = () => operator.store.sessions.find(sessionId);
      const row = await pollUntil(find, (found) => found?.phase === "ended", waitSeconds);
      const ended = row?.phase === "ended";
      terminal.print(
        ended
          ? `Session ${sessionId} has ended with ${row.score} points`
          : "Requested. The server that runs the session will end it; it has not done so yet.",
      );
      return { sessionId, ended, score: ended ? row.score : null };
    });
  },
});

/** Takes a score back in the store, then cancels its valid signatures on chain. */
const defineTakeBackCommand = (action: TakeBack, summary: string, sampleReason: string) =>
  defineCommand({
    name: `sessions ${action}`,
    args: ARGS,
    summary: `${summary}; the guardian cancels a valid signature on chain`,
    flags: { ...REASON_FLAG, ...AS_FLAG, ...RPC_FLAG },
    examples: [`npm run admin -- sessions ${action} ${SAMPLE_ID} --reason "${sampleReason}"`],
    async run({ flags, args }, terminal) {
      const sessionId = args.sessionId.toLowerCase();
      const { reason } = flags;
      if (reason === undefined || reason.trim() === "")
        throw new UsageError("--reason: expected a text for the audit, because this cannot be undone");
      const { outcome, done, signature } = await withOperator(flags, async (operator, config) => {
        const { store } = operator;
        await checkServiceChain(flags, config, store);
        const taken = await takeScoreBack(operator, action, { sessionId, reason });
        return { ...taken, signature: await cancelSignedScore(taken.session, flags, { config, store }) };
      });
      const changed =
        outcome === "unchanged" ? `The score was already ${done}` : `The score of ${sessionId} is ${done}`;
      for (const line of [changed, ...describeSignature(signature)]) terminal.print(line);
      return { sessionId, outcome, signature };
    },
  });

export const SESSION_COMMANDS = [
  end,
  defineTakeBackCommand(
    "withhold",
    "withholds an ended session's score forever: it is never signed or ranked",
    "played by several people",
  ),
  defineTakeBackCommand(
    "forfeit",
    "gives up an ended session's score for its player: it is never signed, and counts for no NFT",
    "asked for by the player",
  ),
];
