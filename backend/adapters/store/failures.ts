/** What a fault of the database means for a caller. Codes: https://www.sqlite.org/rescode.html */
import { ArcadeError } from "../../domain/errors.ts";

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : "";
};

/** Somebody else holds the lock; extended codes (SQLITE_BUSY_SNAPSHOT, ...) are included. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

const cannotWrite = (error: unknown): boolean => /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|CANTOPEN)/.test(codeOf(error));

/** `STORAGE_BUSY` or `STORAGE_FULL` for the faults they stand for; every other error as it came. */
export function toStorageError(error: unknown): unknown {
  if (isBusy(error)) {
    return new ArcadeError(
      "STORAGE_BUSY",
      "The database is locked by another writer and did not become free in time; nothing was stored, try again.",
      {},
      { cause: error },
    );
  }
  if (cannotWrite(error)) {
    return new ArcadeError(
      "STORAGE_FULL",
      `The database cannot read or write its file (${codeOf(error)}); nothing was stored, try again when the operator has made room or repaired it.`,
      {},
      { cause: error },
    );
  }
  return error;
}
