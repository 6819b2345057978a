/** `/status` as the console reads it. */
import type { Answer } from "../../client/api.ts";
import { client } from "../wallet/service.ts";

export type ServiceStatus = Answer<"operations.status">;

export const loadStatus = (signal: AbortSignal): Promise<ServiceStatus> => client.operations.status({}, { signal });
