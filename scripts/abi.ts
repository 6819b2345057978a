/** Writes `backend/adapters/chain/abi.ts` from the compiled contracts (`npm run build` first). */
import { writeFileSync } from "node:fs";
import { ABI_FILE, renderAbi } from "./abi/render.ts";

writeFileSync(ABI_FILE, renderAbi());
