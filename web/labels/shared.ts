/** Texts and forms that several pages share. */
import { isApiError } from "../../client/errors.ts";

export const SHARED_LABELS = {
  loading: "Loading …",
  failedTitle: "That did not work",
  tryAgain: "Try again",
  unreachable: "The service cannot be reached right now. Check your connection, or try again later.",
  unavailable: "The service does not answer right now. Trying again …",
  copy: "Copy",
  copied: "Copied",
  copyByHand: "Select the line and copy it",
  inExplorer: "See it in the explorer",
  noPlot: "There is nothing to plot yet.",
} as const;

/** `0x1234…abcd`. */
export const shortenHex = (hex: string): string => (hex.length > 13 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex);

/** Seconds as `m:ss`. */
export function formatDuration(seconds: number): string {
  const wholeSeconds = Math.max(0, Math.floor(seconds));
  return `${Math.floor(wholeSeconds / 60)}:${String(wholeSeconds % 60).padStart(2, "0")}`;
}

/** Seconds as `1:48`, `2 h 5 min` or `3 d 4 h`. */
export function formatUptime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return hours === 0 ? formatDuration(seconds) : `${hours} h ${minutes % 60} min`;
}

const numbers = new Intl.NumberFormat("en");
/** `12,345`. */
export const formatNumber = (value: number): string => numbers.format(value);

const dateTimes = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
/** `Nov 22, 2026, 2:46 PM`, in the reader's own time zone. `iso`: a time as the service writes it. */
export const formatDateTime = (iso: string): string => dateTimes.format(new Date(iso));

const days = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const clocks = new Intl.DateTimeFormat("en", { timeStyle: "short" });
/** `Nov 22` and `2:46 PM`: the parts of `formatDateTime`, for places too small for all of it. */
export const formatDay = (atMs: number): string => days.format(atMs);
export const formatClock = (atMs: number): string => clocks.format(atMs);

const relativeTimes = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const RELATIVE_UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** `5 minutes ago`. `iso`: a time as the service writes it. */
export function formatAgo(iso: string, nowMs = Date.now()): string {
  const passedMs = Date.parse(iso) - nowMs;
  for (const [unit, unitMs] of RELATIVE_UNITS)
    if (Math.abs(passedMs) >= unitMs) return relativeTimes.format(Math.trunc(passedMs / unitMs), unit);
  return relativeTimes.format(0, "minute");
}

/** The message of anything that was thrown. */
export const getErrorMessage = (error: unknown): string => {
  // The client's message contains a URL, which only helps authors of agents.
  if (isApiError(error, "NETWORK_FAULT", "BAD_ANSWER")) return SHARED_LABELS.unreachable;
  // Wallets throw plain objects with a message.
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : String(error);
};
