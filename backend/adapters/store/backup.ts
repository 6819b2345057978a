/** Copies of the whole database, by SQLite's online backup (https://www.sqlite.org/backup.html). */
import { chmodSync, closeSync, existsSync, openSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { LEASE_NAME } from "./lease/rows.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import { findSqliteFile } from "./sqlite-file.ts";

/** A file cannot be used as a backup; the message contains what was expected and what to do. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BackupError";
  }
}

function toFile(databaseUrl: string): string {
  const file = findSqliteFile(databaseUrl);
  if (file === null)
    throw new BackupError(
      "The store is on PostgreSQL, which this command does not copy; use pg_dump and pg_restore (docs/operating.md).",
    );
  return file;
}

function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new BackupError(`${file} exists and is not overwritten; give the name of a new file.`);
  }
}

function findDamage(database: Database.Database): string | null {
  const [integrity] = database.pragma("integrity_check(1)") as { readonly integrity_check: string }[];
  if (integrity?.integrity_check !== "ok") return integrity?.integrity_check ?? "no answer";
  return (database.pragma("foreign_key_check") as unknown[]).length > 0 ? "rows refer to rows that are missing" : null;
}

/**
 * Copies the database of a running or stopped service to a new file that only its owner can read, and checks the copy.
 * Throws `BackupError` and removes a failed copy.
 */
export async function backUpDatabase(databaseUrl: string, file: string): Promise<void> {
  const sourceFile = toFile(databaseUrl);
  createPrivateFile(file);
  const source = new Database(sourceFile, { fileMustExist: true });
  try {
    await source.backup(file);
    const copy = new Database(file);
    try {
      // Produces one file, without -wal and -shm.
      copy.pragma("journal_mode = DELETE");
      const damage = findDamage(copy);
      if (damage !== null) throw new BackupError(`The copy is damaged (${damage}); check the disk.`);
    } finally {
      copy.close();
    }
    chmodSync(file, 0o600);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** Throws `BackupError` unless the file is a whole database of this version of the program, or of an earlier one. */
export function checkBackup(file: string): void {
  if (!existsSync(file)) throw new BackupError(`There is no file ${file}.`);
  let database: Database.Database | null = null;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true });
    const damage = findDamage(database);
    if (damage !== null) throw new BackupError(`${file} is damaged: ${damage}. Use another backup.`);
    const names = database.prepare("select name from kysely_migration").pluck().all() as string[];
    const newer = names.filter((name) => !Object.hasOwn(MIGRATIONS, name));
    if (newer.length > 0)
      throw new BackupError(`${file} was made by a newer version (${newer.join(", ")}); restore it with that version.`);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${file} is not a backup of the service's database.`, { cause: error });
  } finally {
    database?.close();
  }
}

/**
 * Replaces the content of a database with that of a prepared copy, in one transaction; creates the file if it is
 * missing.
 */
export async function replaceDatabase(databaseUrl: string, copyFile: string): Promise<void> {
  const target = toFile(databaseUrl);
  if (!existsSync(target)) createPrivateFile(target);
  const source = new Database(copyFile, { fileMustExist: true });
  try {
    await source.backup(target);
  } finally {
    source.close();
  }
}

/** Frees the lease in a copy, with an epoch above the given one, so that an earlier owner can never write to it. */
export function freeLease(file: string, aboveEpoch: number): void {
  const database = new Database(file, { fileMustExist: true });
  try {
    database.pragma("journal_mode = DELETE");
    const hasTable = database.prepare("select 1 from sqlite_master where type = 'table' and name = 'leases'").get();
    if (hasTable === undefined) return;
    database
      .prepare("update leases set owner = null, renewals = 0, epoch = max(epoch, ?) + 1 where name = ?")
      .run(aboveEpoch, LEASE_NAME);
  } finally {
    database.close();
  }
}
