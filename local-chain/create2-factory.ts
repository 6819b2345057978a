import type { JournalCall } from "./journal.ts";

/** Contracts made by `new X{salt: …}` in scripts of Foundry come from this factory (Arachnid's), which anvil has too. */
export const CREATE2_FACTORY: JournalCall = {
  kind: "call",
  method: "hardhat_setCode",
  params: [
    "0x4e59b44847b379578588920cA78FbF26c0B4956C",
    "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3",
  ],
};
