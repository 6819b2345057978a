/** Our side: the whole service. */
import { serveSide } from "../server/process.ts";
import { startService } from "../server/service.ts";

serveSide(startService);
