/** Waits for the disk by descriptor: under Yarn's Plug'n'Play `sync` and `datasync` of a `FileHandle` only throw. */
import { fdatasync, fsync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";

const [flush, flushData] = [promisify(fsync), promisify(fdatasync)];

export const syncFile = (file: FileHandle): Promise<void> => flush(file.fd);
export const syncData = (file: FileHandle): Promise<void> => flushData(file.fd);
