/** Replays recorded sessions in a separate process: reads them as JSON from stdin, and writes differences to stdout. */
import { text } from "node:stream/consumers";
import { verifyReplay } from "../../client/verify-replay.ts";
import type { RecordedSession } from "./recorded-session.ts";

const sessions = JSON.parse(await text(process.stdin)) as readonly RecordedSession[];
const differences: (readonly string[])[] = [];
for (const { replay, claims } of sessions) {
  const verification = await verifyReplay(replay, claims);
  differences.push(verification.differences.map(({ field }) => field));
}
process.stdout.write(JSON.stringify(differences));
