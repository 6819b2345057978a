/** Whether the intended accounts hold the roles, and the contracts accept the backend's keys. */
import { type Address, zeroAddress } from "viem";
import { ACCESS_CONTROL_ABI, REWARDS_ABI } from "../../deploy/abi.ts";
import { LEAST_DELAY_SECONDS } from "../../deploy/modules/parameter-errors.ts";
import { isSameAddress } from "../../domain/addresses.ts";
import { toIso as toIsoOfMs } from "../../domain/time.ts";
import {
  type CheckResult,
  type DoctorTarget,
  error,
  getSignerPath,
  type KeyInfo,
  listSignedContracts,
  ok,
  type SignedContract,
  skipped,
  warning,
} from "./target.ts";

const toIso = (seconds: bigint | number): string => toIsoOfMs(Number(seconds) * 1000);

const checkWellKnownKey = (
  id: string,
  setting: string,
  { isLocal }: DoctorTarget,
  key: KeyInfo,
): readonly CheckResult[] =>
  key.isWellKnown && !isLocal
    ? [error(`${id}.known`, `${setting} is a well-known development key`, "create a new key and rotate to it at once")]
    : [];

/** Whether one of the accounts is the planned value of a path in the roles file. */
const isPlanned = ({ decision }: DoctorTarget, path: string, ...accounts: readonly Address[]): boolean => {
  const planned = decision?.parameters.next?.[path];
  return planned !== undefined && accounts.some((account) => isSameAddress(account, planned));
};

async function checkSigner(target: DoctorTarget, one: SignedContract): Promise<readonly CheckResult[]> {
  const { name, address, key, setting } = one;
  const id = `signer.${name}`;
  const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
  const [[first], [alternate, , validFrom]] = await Promise.all([
    target.client.readContract({ ...contract, functionName: "signer" }),
    target.client.readContract({ ...contract, functionName: "alternateSigner" }),
  ]);
  const findings: CheckResult[] = [];
  if (first === zeroAddress && alternate === zeroAddress) {
    findings.push(
      error(
        `${id}.none`,
        `${name}: no signer is active`,
        `npm run admin -- chain rotate NEW --contract ${name}, by the admin`,
      ),
    );
  }
  if (alternate !== zeroAddress) {
    const finding = `${name}: ${alternate} is active in addition to ${first} from ${toIso(validFrom)} on`;
    const next = `end the rotation: npm run admin -- chain rotate ${alternate} --contract ${name}, then chain revoke the old one`;
    findings.push(
      isPlanned(target, getSignerPath(one), first, alternate)
        ? ok(`${id}.alternate`, `${finding}, as planned`)
        : warning(`${id}.alternate`, finding, next),
    );
  }
  if (key === null) {
    return [
      ...findings,
      skipped(
        id,
        `${name}: ${setting} is not set, the signer is ${first}`,
        "set it to check that the key is this signer's",
      ),
    ];
  }
  const [isSigner, isRevoked] = await Promise.all([
    target.client.readContract({ ...contract, functionName: "isSigner", args: [key.address] }),
    target.client.readContract({ ...contract, functionName: "isRevokedSigner", args: [key.address] }),
  ]);
  findings.push(...checkWellKnownKey(id, setting, target, key));
  if (isSigner) return [...findings, ok(id, `${name}: ${setting} is ${key.address}, which is active`)];
  if (isRevoked) {
    const next = `set a new key in ${setting} and schedule it with npm run admin -- chain rotate`;
    return [...findings, error(id, `${name}: ${setting} is ${key.address}, which was revoked`, next)];
  }
  if (isSameAddress(alternate, key.address)) {
    const next = `keep signing with the old key until then: ${toIso(validFrom)}`;
    return [...findings, error(id, `${name}: ${setting} is ${key.address}, which is not active yet`, next)];
  }
  const next = `set the key of ${first} in ${setting}, or npm run admin -- chain rotate ${key.address} --contract ${name} by the admin`;
  return [...findings, error(id, `${name}: ${setting} is ${key.address}, but the signer is ${first}`, next)];
}

async function checkOperator(target: DoctorTarget): Promise<readonly CheckResult[]> {
  const { client, record, keys } = target;
  const contract = { address: record.rewards, abi: REWARDS_ABI } as const;
  if (keys.operator === null)
    return [skipped("operator", "ARCADE_OPERATOR_KEY is not set", "set it to check the operator's role")];
  const role = await client.readContract({ ...contract, functionName: "OPERATOR_ROLE" });
  const { address } = keys.operator;
  const holds = await client.readContract({ ...contract, functionName: "hasRole", args: [role, address] });
  const known = checkWellKnownKey("operator", "ARCADE_OPERATOR_KEY", target, keys.operator);
  if (holds) return [...known, ok("operator", `rewards: the operator ${address} may relay payouts`)];
  const next = `npm run admin -- chain grant operator ${address} by the admin, or set the operator's key in ARCADE_OPERATOR_KEY`;
  return [...known, error("operator", `rewards: ${address} of ARCADE_OPERATOR_KEY may not relay payouts`, next)];
}

/** The constructor's guardian from the addresses file; null if the file lacks it. */
function getInitialGuardian({ record }: DoctorTarget, address: Address): Address | null {
  const contract = Object.values(record.contracts).find((one) => isSameAddress(one.address, address));
  return (contract?.args[0] as { readonly guardian?: Address } | undefined)?.guardian ?? null;
}

async function checkAccessControl(
  target: DoctorTarget,
  { name, address }: SignedContract,
): Promise<readonly CheckResult[]> {
  const { client, isLocal, network } = target;
  const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
  const [admin, [nextAdmin, schedule], adminDelay, signerDelay, paused, guardianRole] = await Promise.all([
    client.readContract({ ...contract, functionName: "defaultAdmin" }),
    client.readContract({ ...contract, functionName: "pendingDefaultAdmin" }),
    client.readContract({ ...contract, functionName: "defaultAdminDelay" }),
    client.readContract({ ...contract, functionName: "signerDelay" }),
    client.readContract({ ...contract, functionName: "paused" }),
    client.readContract({ ...contract, functionName: "GUARDIAN_ROLE" }),
  ]);
  const findings: CheckResult[] = [];
  const isKey = (await client.getCode({ address: admin })) === undefined;
  if (admin === zeroAddress)
    findings.push(error(`admin.${name}`, `${name}: no account is the admin`, "it can never be unpaused: redeploy"));
  else if (isKey && !isLocal) {
    const finding = `${name}: the admin ${admin} is a plain key`;
    const next = "hand the role to a Safe or a timelock: npm run admin -- chain transfer-admin, then accept-admin";
    findings.push((network.stage === "mainnet" ? error : warning)(`admin.${name}`, finding, next));
  } else findings.push(ok(`admin.${name}`, `${name}: the admin is ${admin}`));
  if (nextAdmin !== zeroAddress) {
    const finding = `${name}: a transfer of the admin role to ${nextAdmin} is pending; it can be accepted from ${toIso(schedule)} on`;
    const next = "if not intended, the admin runs npm run admin -- chain cancel-transfer at once";
    findings.push(
      isPlanned(target, "admin", nextAdmin)
        ? ok(`admin.${name}.pending`, `${finding}, as planned`)
        : warning(`admin.${name}.pending`, finding, next),
    );
  }
  const guardian = getInitialGuardian(target, address);
  if (guardian !== null) {
    const holds = await client.readContract({ ...contract, functionName: "hasRole", args: [guardianRole, guardian] });
    findings.push(
      holds
        ? ok(`guardian.${name}`, `${name}: the guardian is ${guardian}`)
        : warning(
            `guardian.${name}`,
            `${name}: ${guardian} is no longer a guardian`,
            "check that another one is: look for RoleGranted events",
          ),
    );
  }
  const least = LEAST_DELAY_SECONDS[network.stage];
  if (Number(adminDelay) < least || Number(signerDelay) < least) {
    const finding = `${name}: delays of ${adminDelay} s (admin) and ${signerDelay} s (signer) are below ${least} s`;
    findings.push(error(`delay.${name}`, finding, "deploy new contracts with the parameters of the network"));
  }
  findings.push(
    paused
      ? error(
          `pause.${name}`,
          `${name}: is paused`,
          "when the cause is fixed: npm run admin -- chain unpause by the admin (docs/contracts.md, Incidents)",
        )
      : ok(`pause.${name}`, `${name}: is open`),
  );
  return findings;
}

export async function checkRoles(target: DoctorTarget): Promise<readonly CheckResult[]> {
  const contracts = listSignedContracts(target);
  const found = await Promise.all([
    ...contracts.map((one) => checkSigner(target, one)),
    checkOperator(target),
    ...contracts.map((one) => checkAccessControl(target, one)),
  ]);
  return found.flat();
}
