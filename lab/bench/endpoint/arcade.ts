/** Our side: the whole service. */
import { startService } from "./service.ts";
import { serveSide } from "./side.ts";
import type { EndpointOptions } from "./world.ts";

serveSide<EndpointOptions>(async (options) => ({ url: await startService(options) }));
