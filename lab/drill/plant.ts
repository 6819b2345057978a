/** Preloaded into every process of a self-test (`--import`): plants the fault of the drill that `DRILL_PLANT` names. */
import { getEnvironment } from "../../backend/config/environment.ts";
import { changeOnLoad } from "../planted/source-change.ts";
import { PLANTED_LINES } from "./planted.ts";

const planted = PLANTED_LINES[getEnvironment().DRILL_PLANT ?? ""];
if (planted !== undefined) changeOnLoad([planted.change]);
