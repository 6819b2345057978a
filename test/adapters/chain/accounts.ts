import { developmentAccount } from "../../../backend/config/dev-keys.ts";

/** A few of the funded development accounts. */
export const testAccounts = [developmentAccount(0), developmentAccount(1), developmentAccount(2)];
