/**
 * Maps database errors to errors of the service. Codes: https://www.sqlite.org/rescode.html and
 * https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
import { ArcadeError } from "../../../domain/errors.ts";

const getErrorCode = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : "";
};

/**
 * The transaction did nothing and can run again: another connection holds the lock (including extended codes such as
 * SQLITE_BUSY_SNAPSHOT), transactions conflicted (40001, 40P01, 55P03), it took too long (57014), the process was
 * stopped inside one (25P03), there was no connection or no free one, or a table has been altered.
 */
export const isBusy = (error: unknown): boolean =>
  isUnreachable(error) ||
  isPoolInUse(error) ||
  isPlanOutdated(error) ||
  isLockWaitOver(error) ||
  /^(SQLITE_(BUSY|LOCKED)|40001$|40P01$|57014$|25P03$)/.test(getErrorCode(error));

/** Waiting for another transaction's lock took too long. */
export const isLockWaitOver = (error: unknown): boolean => getErrorCode(error) === "55P03";

/** The other machine does not respond, while connecting or later. */
const isNetworkError = (error: unknown): error is Error => /^(EHOSTUNREACH|ETIMEDOUT)$/.test(getErrorCode(error));

/** This connection leads to a standby: another server has taken over, or none yet. */
const isReadOnly = (error: unknown): boolean => getErrorCode(error) === "25006";

/** PostgreSQL accepts no connection or no write, or not yet. */
export const isUnreachable = (error: unknown): boolean =>
  isReadOnly(error) ||
  /^(57P03|53300|ECONNREFUSED)$/.test(getErrorCode(error)) ||
  (error instanceof Error && "syscall" in error && /^(connect|getaddrinfo)$/.test(String(error.syscall))) ||
  (error instanceof Error && /^(Connection terminated due to connection timeout|timeout expired)$/.test(error.message));

/** The password or the database is being replaced. Not tried again at once: a server may lock the account. */
const isRejected = (error: unknown): boolean => /^(28\w{3}|3D000)$/.test(getErrorCode(error));

/** Other calls use all connections of the pool, and are waiting for a lock themselves. */
const isPoolInUse = (error: unknown): boolean =>
  error instanceof Error && error.message === "timeout exceeded when trying to connect";

/** Another process has altered a table since this connection prepared a statement for it. A new connection works. */
export const isPlanOutdated = (error: unknown): boolean =>
  error instanceof Error && "routine" in error && error.routine === "RevalidateCachedQuery";

/** The connection broke: whether a requested commit has happened is unknown. */
const isConnectionLost = (error: unknown): boolean =>
  /^(08|57P0[12]$|ECONNRESET$|EPIPE$)/.test(getErrorCode(error)) ||
  isNetworkError(error) ||
  (error instanceof Error && /^Connection terminated|not queryable$/.test(error.message));

/** Reads can also run again after a broken connection. */
export const canReadAgain = (error: unknown): boolean => isBusy(error) || isConnectionLost(error);

/**
 * Whether after an error of `toStorageError` the calls of its transaction must not run again in separate transactions:
 * they would wait as long again, or run twice if the lost response was a commit. False after conflicts, which separate
 * transactions may not have.
 */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof ArcadeError &&
  error.code === "STORAGE_BUSY" &&
  !/^(40001|40P01|55P03|25P03)$/.test(getErrorCode(error.cause));

const isFileError = (error: unknown): boolean =>
  /^(SQLITE_(FULL|IOERR|READONLY|CORRUPT|CANTOPEN)|53100$|58030$|XX00[12]$)/.test(getErrorCode(error));

/** Maps errors to `STORAGE_BUSY` or `STORAGE_FULL`; returns every other error unchanged. */
export function toStorageError(error: unknown): unknown {
  if (isUnreachable(error) || isRejected(error)) {
    return new ArcadeError(
      "STORAGE_BUSY",
      `The database accepts no ${isReadOnly(error) ? "writes" : "connection"} (${getErrorCode(error) || "timeout"}); nothing was stored, try again when the operator has started it.`,
      {},
      { cause: error },
    );
  }
  if (isBusy(error)) {
    return new ArcadeError(
      "STORAGE_BUSY",
      "The database is locked by another writer and did not become free in time; nothing was stored, try again.",
      {},
      { cause: error },
    );
  }
  if (isConnectionLost(error)) {
    return new ArcadeError(
      "STORAGE_BUSY",
      "The connection to the database was lost before its answer; ask for the state, or send the same request again.",
      {},
      { cause: error },
    );
  }
  if (isFileError(error)) {
    return new ArcadeError(
      "STORAGE_FULL",
      `The database cannot read or write its file (${getErrorCode(error)}); nothing was stored, try again when the operator has made room or repaired it.`,
      {},
      { cause: error },
    );
  }
  return error;
}

/** The rows are committed, but the disk has not confirmed them. */
export const createUnconfirmedError = (cause: unknown): ArcadeError =>
  new ArcadeError(
    "STORAGE_FULL",
    "The disk did not confirm the write; it may be stored or not, try again when the operator has repaired it.",
    {},
    { cause },
  );
