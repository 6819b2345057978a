/** The report of a load run, and whether the result is good. */
import type { LoadMeasurement } from "./measure.ts";
import type { LoadOptions } from "./run.ts";

export interface LoadLimits {
  readonly latenessP99Ms: number;
  readonly answersP99Ms: number;
}

const MISSED_SHARE_MAX = 0.01;

/** The service's own figures, from `GET /status`; null if it does not show them. */
export interface ServiceTicks {
  readonly count: number;
  readonly dropped: number;
  readonly lateP50Ms: number;
  readonly lateP99Ms: number;
  readonly lateMaxMs: number;
}

export type LoadReport = ReturnType<typeof createReport>;

export function createReport(
  measurement: LoadMeasurement,
  { agents, spectators, seconds, ranked }: Pick<LoadOptions, "agents" | "spectators" | "seconds" | "ranked">,
  limits: LoadLimits,
  service: ServiceTicks | null,
) {
  const { errors, sessions, receivedBytes, sentBytes, frameTimes } = measurement;
  const sum = (field: "frames" | "missed"): number => frameTimes.reduce((total, times) => total + times[field], 0);
  const frames = sum("frames");
  const missed = sum("missed");
  const lateness = measurement.lateness.toFigures();
  const answers = measurement.answers.toFigures();
  const reasons: string[] = [];
  if (frames === 0) reasons.push("no frames arrived");
  if (missed > MISSED_SHARE_MAX * (frames + missed)) reasons.push(`${missed} of ${frames + missed} frames were missed`);
  if (lateness.p99Ms > limits.latenessP99Ms)
    reasons.push(`ticks: p99 ${lateness.p99Ms} ms late, expected at most ${limits.latenessP99Ms}`);
  if (answers.p99Ms > limits.answersP99Ms)
    reasons.push(`answers: p99 ${answers.p99Ms} ms, expected at most ${limits.answersP99Ms}`);
  for (const [code, count] of errors) reasons.push(`${count} x ${code}`);
  return {
    agents,
    spectators,
    seconds,
    sessions,
    ranked: ranked !== null,
    frames: { received: frames, missed, sockets: frameTimes.filter((times) => times.frames > 0).length },
    lateness,
    answers,
    bytes: {
      received: receivedBytes,
      sent: sentBytes,
      receivedPerSecond: Math.round(receivedBytes / seconds),
    },
    errors: Object.fromEntries([...errors].sort(([a], [b]) => (a < b ? -1 : 1))),
    service,
    verdict: { ok: reasons.length === 0, reasons },
  };
}

const formatTimes = ({ count, p50Ms, p99Ms, maxMs }: LoadReport["lateness"]): string =>
  `p50 ${p50Ms} ms, p99 ${p99Ms} ms, max ${maxMs} ms (${count} measured)`;

/** The report in lines for people. */
export function formatReport(report: LoadReport): string[] {
  const { agents, spectators, seconds, sessions, ranked, frames, bytes, service } = report;
  return [
    `${agents} agents in ${sessions} ${ranked ? "ranked" : "practice"} sessions and ${spectators} spectators for ${seconds} s`,
    `frames     ${frames.received} received, ${frames.missed} missed`,
    `lateness   ${formatTimes(report.lateness)}, as they arrived here`,
    ...(service === null
      ? []
      : [
          `           p50 ${service.lateP50Ms.toFixed(2)} ms, p99 ${service.lateP99Ms.toFixed(2)} ms, measured by the service`,
        ]),
    `answers    ${formatTimes(report.answers)}`,
    `bytes      ${(bytes.receivedPerSecond / 1000).toFixed(1)} kB/s received, ${bytes.sent} sent in all`,
    `errors     ${
      Object.entries(report.errors)
        .map(([code, count]) => `${count} x ${code}`)
        .join(", ") || "none"
    }`,
    `verdict    ${report.verdict.ok ? "good" : `not good: ${report.verdict.reasons.join("; ")}`}`,
  ];
}
