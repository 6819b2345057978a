/** To be imported before the product, by `NODE_OPTIONS`: each process of a command has the planted fault that it names. */
import { plant } from "../../../lab/simulate/planted.ts";

plant(process.env.SIMULATE_PLANTED!);
