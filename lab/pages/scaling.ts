/** The figures of docs/scaling.md from those of docs/benchmarks.md; the rest of it is written by hand. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceBlock } from "../../scripts/dev/docs/document-block.ts";
import { renderTable } from "../../scripts/dev/docs/table.ts";
import { root } from "../../scripts/start/build.ts";
import { BENCHMARKS_DOCUMENT, readFigures, readNumber, type WrittenFigure } from "./benchmarks.ts";

const DOCUMENT = "docs/scaling.md";
/** How much of a core a plan may fill. */
const SHARE = 0.6;
const HZ = 20;
const HEARTBEAT_SECONDS = 15;
const VIEWERS = 1_000_000;
const FRAMES = VIEWERS * HZ;
const ARRIVAL_SECONDS = 600;
/** Of TCP/IP around a frame. */
const HEADER_BYTES = 60;
/** The game of the rows of `fan-out`: a run of it that never ends. */
const SLUG = "shellrunners";
const SLUGS = [SLUG, "flappybots"];
const SIGNED = ["rewards/snapshot", "identity/register", "nft/prepare"];
const FLEET_WORK = ["rewards/snapshot", "identity/register", "sessions/start"];
/** Rows of the run `http` that are not kept ready, or of hundreds of kilobytes. */
const OTHER_ANSWERS = /^(openapi\.json|auth\/session|heartbeat) /;

/** Two significant digits: runs differ by more. */
const format = (value: number): string => Number(value.toPrecision(2)).toLocaleString("en-US");
const formatBytes = (bytes: number): string => `${Math.round(bytes).toLocaleString("en-US")} bytes`;
const formatUs = (us: number): string => `${us < 100 ? us.toFixed(1) : Math.round(us).toLocaleString("en-US")} us`;
/** How often a second one core does what takes so long. */
const toRate = (us: number): number => (SHARE * 1e6) / us;

type Rows = ReadonlyMap<string, readonly WrittenFigure[]>;

const readRows = (name: string): Rows => readFigures(readFileSync(join(root, BENCHMARKS_DOCUMENT), "utf8"), name);

/** The sides of a row, ours first. */
function findSides(name: string, what: string): readonly WrittenFigure[] {
  for (const [row, sides] of readRows(name)) if (row.startsWith(what)) return sides;
  throw new Error(`${BENCHMARKS_DOCUMENT}: ${name} has no row "${what}"`);
}

/** The medians of a row's sides, ours first. */
const readMedians = (name: string, what: string): readonly number[] =>
  findSides(name, what).map(({ median }) => median);
const readOurs = (name: string, what: string): number => readMedians(name, what)[0]!;

/** A JSON frame to one of so many viewers of a session. */
function readFrame(viewers: number): { readonly us: number; readonly bytes: number } {
  const [{ median, also }] = findSides("fan-out", `${viewers} spectators`) as [WrittenFigure];
  const bytes = also.split("; ").find((figure) => figure.endsWith(" bytes a frame"))!;
  return { us: median, bytes: readNumber(bytes) };
}

function listViewerRows(): string[][] {
  const [many, few] = [readFrame(20), readFrame(4)];
  const formatViewers = (us: number): string =>
    `${format(toRate(us))} frames a second: ${format(toRate(us) / HZ)} viewers at ${HZ} Hz`;
  const compact = SLUGS.map((slug) => {
    const [ours, json] = readMedians("compact", `whole runs of ${slug}`);
    return `${formatBytes(ours!)} instead of ${formatBytes(json!)} (${slug})`;
  });
  return [
    [
      `a JSON frame of ${SLUG} to a viewer, 20 viewers a session (P7)`,
      `${formatUs(many.us)}, ${formatBytes(many.bytes)}`,
      `${formatViewers(many.us)}, ${format((toRate(many.us) * many.bytes) / 1e6)} MB a second`,
    ],
    ["the same with 4 viewers a session", formatUs(few.us), formatViewers(few.us)],
    [
      "a compact frame (`?enc=compact`, P11)",
      `encoded once a tick: ${formatUs(readOurs("compact", "encoding"))}`,
      compact.join(", "),
    ],
  ];
}

function listRequestRows(): string[][] {
  const signed = SIGNED.map((name) => readOurs("endpoint", name));
  const inFleet = FLEET_WORK.map((name) => readOurs("fleet", `${name} at 50 connections, 4 backends, loaded in turn`));
  const reads = [...readRows("http")].flatMap(([what, [ours]]) => (OTHER_ANSWERS.test(what) ? [] : [ours!.median]));
  const [fastest, slowest] = [Math.min(...reads), Math.max(...reads)];
  const heartbeat = readOurs("http", "heartbeat");
  const beats = toRate(heartbeat);
  return [
    [
      `${SIGNED.map((name) => `\`${name}\``).join(", ")} (P4)`,
      signed.map(formatUs).join(", "),
      `${signed.map((us) => format(toRate(us))).join(", ")} answers a second`,
    ],
    [
      `${FLEET_WORK.map((name) => `\`${name}\``).join(", ")} of a backend on PostgreSQL, with three others (P15)`,
      inFleet.map(formatUs).join(", "),
      `${inFleet.map((us) => format(toRate(us))).join(", ")} answers a second`,
    ],
    [
      "a public read that is kept ready (P6)",
      `${formatUs(fastest)} to ${formatUs(slowest)}, \`openapi.json\` ${formatUs(readOurs("http", "openapi.json"))}`,
      `${format(toRate(slowest))} to ${format(toRate(fastest))} answers a second`,
    ],
    [
      "a heartbeat with a token (P6)",
      formatUs(heartbeat),
      `${format(beats)} a second: ${format(beats * HEARTBEAT_SECONDS)} players at one in ${HEARTBEAT_SECONDS} s`,
    ],
  ];
}

const formatNetwork = (bytes: number): string =>
  `${format((FRAMES * bytes) / 1e9)} GB/s, ${format((8 * FRAMES * bytes) / 1e9)} Gbit/s`;

function listRowsOfMillion(): string[][] {
  const { us, bytes } = readFrame(20);
  const perEdge = toRate(us) / HZ;
  const edges = VIEWERS / perEdge;
  const compact = readOurs("compact", `whole runs of ${SLUG}`);
  const [loads, loadUs] = [VIEWERS / 60, readOurs("http", "catalog")];
  const arrivals = VIEWERS / ARRIVAL_SECONDS;
  return [
    [`network, JSON (${SLUG})`, `20 M x ${formatBytes(bytes)}`, formatNetwork(bytes)],
    [
      `network, compact (${SLUG})`,
      `20 M x (${Math.round(compact)} + about ${HEADER_BYTES} of TCP/IP) bytes`,
      formatNetwork(compact + HEADER_BYTES),
    ],
    [
      "CPU of edges",
      `20 M x ${formatUs(us)} = ${format((FRAMES * us) / 1e6)} cores, at ${SHARE * 100} %`,
      `${format(edges)} backends with \`edge\`, ${format(perEdge)} viewers each`,
    ],
    ["connections", `${format(perEdge)} for each edge`, "within the 5,000 of a process ([limits](limits.md))"],
    [
      "page loads, one a minute",
      `${format(loads)} reads a second x ${formatUs(loadUs)}`,
      `${format(loads / toRate(loadUs))} cores, before any cache`,
    ],
    [
      "arrivals within ten minutes",
      `${format(arrivals)} a second, each with a stored token that is used once`,
      `two durable writes each: ${format(2 * arrivals)} a second on PostgreSQL`,
    ],
    [
      `frames of one session of ${SLUG} to all edges`,
      `${format(edges)} x ${HZ} Hz x ${formatBytes(bytes)}`,
      `${format((edges * HZ * bytes) / 1e6)} MB/s from NATS, nothing for the owner beyond one copy`,
    ],
  ];
}

export function renderScalingDocument(): string {
  const sizing = [...listViewerRows(), ...listRequestRows()];
  const blocks = {
    sizing: renderTable(["work", "CPU of the backend", `one core at ${SHARE * 100} %`], sizing),
    "a million viewers": renderTable(["resource", "arithmetic", "needs"], listRowsOfMillion()),
  };
  return Object.entries(blocks).reduce(
    (text, [name, table]) => replaceBlock(text, name, [table]),
    readFileSync(join(root, DOCUMENT), "utf8"),
  );
}
