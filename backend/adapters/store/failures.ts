/** Errors of the database as errors of the service. Codes: https://www.sqlite.org/rescode.html */
import { ArcadeError } from "../../domain/errors.ts";

const getErrorCode = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : "";
};

/** Another connection holds the lock; extended codes (SQLITE_BUSY_SNAPSHOT, ...) are included. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(getErrorCode(error));

const isFileError = (error: unknown): boolean =>
  /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|CANTOPEN)/.test(getErrorCode(error));

/** `STORAGE_BUSY` or `STORAGE_FULL` for the errors that they stand for; every other error unchanged. */
export function toStorageError(error: unknown): unknown {
  if (isBusy(error)) {
    return new ArcadeError(
      "STORAGE_BUSY",
      "The database is locked by another writer and did not become free in time; nothing was stored, try again.",
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
