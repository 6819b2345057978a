/** Loaded before the product (`--import`): injects the faults that `INJECTED_FAULTS` names. */
import { getEnvironment } from "../../backend/config/environment.ts";
import { inject } from "./inject.ts";

inject(getEnvironment().INJECTED_FAULTS!.split(","));
