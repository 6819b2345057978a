/** Are the powers in the hands they were meant for, and are the backend's keys the ones that count? */
import { GUARDED_ABI, REWARDS_ABI } from "../../deploy/abi.ts";
import {
  type Finding,
  fault,
  type KnownKey,
  listSigning,
  ok,
  type Patient,
  type Signing,
  skipped,
  warning,
} from "./patient.ts";

type Address = `0x${string}`;

const ZERO = "0x0000000000000000000000000000000000000000";
const DAY_SECONDS = 86_400;

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
const at = (seconds: bigint | number): string => new Date(Number(seconds) * 1000).toISOString();

const knownToAll = (id: string, setting: string, { isLocal }: Patient, key: KnownKey): readonly Finding[] =>
  key.isWellKnown && !isLocal
    ? [
        fault(
          `${id}.known`,
          `${setting} is a development key that everybody knows`,
          "make a new key and rotate to it at once",
        ),
      ]
    : [];

async function checkSigner(patient: Patient, one: Signing): Promise<readonly Finding[]> {
  const { name, address, key, setting } = one;
  const id = `signer.${name}`;
  const contract = { address, abi: GUARDED_ABI } as const;
  const [[first], [alternate, , validFrom]] = await Promise.all([
    patient.client.readContract({ ...contract, functionName: "signer" }),
    patient.client.readContract({ ...contract, functionName: "alternateSigner" }),
  ]);
  const findings: Finding[] = [];
  if (first === ZERO && alternate === ZERO) {
    findings.push(fault(`${id}.none`, `${name}: no signer counts`, `scheduleSigner with a new key, by the admin`));
  }
  if (alternate !== ZERO) {
    const finding = `${name}: ${alternate} counts beside ${first} from ${at(validFrom)} on`;
    findings.push(
      warning(`${id}.alternate`, finding, "end the rotation: promoteSigner, then revokeSigner the old one"),
    );
  }
  if (key === null) {
    return [...findings, skipped(id, `${name}: ${setting} is not set, the signer is ${first}`, "set it to compare")];
  }
  const [counts, isRevoked] = await Promise.all([
    patient.client.readContract({ ...contract, functionName: "isSigner", args: [key.address] }),
    patient.client.readContract({ ...contract, functionName: "isRevokedSigner", args: [key.address] }),
  ]);
  findings.push(...knownToAll(id, setting, patient, key));
  if (counts) return [...findings, ok(id, `${name}: ${setting} is ${key.address}, which counts`)];
  if (isRevoked) {
    const next = `put a new key into ${setting} and scheduleSigner it; a revoked one never counts again`;
    return [...findings, fault(id, `${name}: ${setting} is ${key.address}, which was revoked`, next)];
  }
  if (same(alternate, key.address)) {
    const next = `keep signing with the old key until then: ${at(validFrom)}`;
    return [...findings, fault(id, `${name}: ${setting} is ${key.address}, which does not count yet`, next)];
  }
  const next = `give the key of ${first} in ${setting}, or scheduleSigner ${key.address} by the admin`;
  return [...findings, fault(id, `${name}: ${setting} is ${key.address}, but the signer is ${first}`, next)];
}

async function checkOperator(patient: Patient): Promise<readonly Finding[]> {
  const { client, record, keys } = patient;
  const contract = { address: record.rewards, abi: REWARDS_ABI } as const;
  if (keys.operator === null) return [skipped("operator", "ARCADE_OPERATOR_KEY is not set", "set it to compare")];
  const role = await client.readContract({ ...contract, functionName: "OPERATOR_ROLE" });
  const { address } = keys.operator;
  const holds = await client.readContract({ ...contract, functionName: "hasRole", args: [role, address] });
  const known = knownToAll("operator", "ARCADE_OPERATOR_KEY", patient, keys.operator);
  if (holds) return [...known, ok("operator", `rewards: the operator ${address} may relay payouts`)];
  const next = `grantRole(OPERATOR_ROLE, ${address}) by the admin, or give the operator's key in ARCADE_OPERATOR_KEY`;
  return [...known, fault("operator", `rewards: ${address} of ARCADE_OPERATOR_KEY may not relay payouts`, next)];
}

/** The guardian that the constructor was given, as the addresses file tells; null where it does not. */
function guardianOf({ record }: Patient, address: Address): Address | null {
  const contract = Object.values(record.contracts).find((one) => same(one.address, address));
  return (contract?.args[0] as { readonly guardian?: Address } | undefined)?.guardian ?? null;
}

async function checkPowers(patient: Patient, { name, address }: Signing): Promise<readonly Finding[]> {
  const { client, isLocal, network } = patient;
  const contract = { address, abi: GUARDED_ABI } as const;
  const [admin, [nextAdmin, schedule], adminDelay, signerDelay, paused, guardianRole] = await Promise.all([
    client.readContract({ ...contract, functionName: "defaultAdmin" }),
    client.readContract({ ...contract, functionName: "pendingDefaultAdmin" }),
    client.readContract({ ...contract, functionName: "defaultAdminDelay" }),
    client.readContract({ ...contract, functionName: "signerDelay" }),
    client.readContract({ ...contract, functionName: "paused" }),
    client.readContract({ ...contract, functionName: "GUARDIAN_ROLE" }),
  ]);
  const findings: Finding[] = [];
  const isKey = (await client.getCode({ address: admin })) === undefined;
  if (admin === ZERO)
    findings.push(fault(`admin.${name}`, `${name}: nobody is the admin`, "it can never be unpaused: redeploy"));
  else if (isKey && !isLocal) {
    const finding = `${name}: the admin ${admin} is a plain key`;
    const next = "hand the role to a Safe or a timelock: beginDefaultAdminTransfer, then acceptDefaultAdminTransfer";
    findings.push((network.isProduction ? fault : warning)(`admin.${name}`, finding, next));
  } else findings.push(ok(`admin.${name}`, `${name}: the admin is ${admin}`));
  if (nextAdmin !== ZERO) {
    const finding = `${name}: the admin's role goes to ${nextAdmin}, who may take it from ${at(schedule)} on`;
    findings.push(
      warning(`admin.${name}.pending`, finding, "not meant? cancelDefaultAdminTransfer by the admin, at once"),
    );
  }
  const guardian = guardianOf(patient, address);
  if (guardian !== null) {
    const holds = await client.readContract({ ...contract, functionName: "hasRole", args: [guardianRole, guardian] });
    findings.push(
      holds
        ? ok(`guardian.${name}`, `${name}: the guardian is ${guardian}`)
        : warning(
            `guardian.${name}`,
            `${name}: ${guardian} is no longer a guardian`,
            "make sure that another one is: look for RoleGranted events",
          ),
    );
  }
  if (!isLocal && (Number(adminDelay) < DAY_SECONDS || Number(signerDelay) < DAY_SECONDS)) {
    const finding = `${name}: delays of ${adminDelay} s (admin) and ${signerDelay} s (signer) are below a day`;
    findings.push(fault(`delay.${name}`, finding, "deploy anew with the parameters of public networks"));
  }
  findings.push(
    paused
      ? fault(
          `pause.${name}`,
          `${name}: is paused`,
          "when the cause is gone: unpause by the admin (docs/contracts.md, Incidents)",
        )
      : ok(`pause.${name}`, `${name}: is open`),
  );
  return findings;
}

export async function checkRoles(patient: Patient): Promise<readonly Finding[]> {
  const signing = listSigning(patient);
  const found = await Promise.all([
    ...signing.map((one) => checkSigner(patient, one)),
    checkOperator(patient),
    ...signing.map((one) => checkPowers(patient, one)),
  ]);
  return found.flat();
}
