/** `npm run admin`: what the operator does by hand. Works on the store's file, whether the server runs or not. */
import { runAdmin } from "./admin/run.ts";

process.exitCode = await runAdmin(process.argv.slice(2));
