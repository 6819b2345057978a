import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { getEnvironment } from "../../../backend/config/environment.ts";
import type { RemoteKey } from "../../../domain/keys.ts";
import type { SignerFault } from "./signer-process.ts";

export const SIGNER_TOKEN = "token-of-the-remote-signer";

/** Starts a remote signer with this key in a separate process. */
export async function startRemoteSigner(privateKey: Hex) {
  const child: ChildProcess = fork(new URL("./signer-process.ts", import.meta.url), {
    env: { ...getEnvironment(), SIGNER_KEY: privateKey, SIGNER_TOKEN },
  });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const key: RemoteKey = {
    address: privateKeyToAddress(privateKey),
    url: `http://127.0.0.1:${port}/`,
    token: SIGNER_TOKEN,
  };
  return {
    key,
    /** The value of the key setting. */
    setting: `${key.url}#${key.address}`,
    setFault: async (fault: SignerFault): Promise<void> => {
      child.send(fault);
      await once(child, "message");
    },
    close: async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
export type RemoteSigner = Awaited<ReturnType<typeof startRemoteSigner>>;
