/** The Kubernetes manifests checked against the schemas of the published API (OpenAPI, as compiled in kubernetes-models). */
import { readFileSync } from "node:fs";
import type { Check } from "./check.ts";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

type Model = new (manifest: Manifest) => { validate(): void };

/** The package's path for the group of an `apiVersion`; the core group has no name. */
const toModule = (apiVersion: string): string => `kubernetes-models/${apiVersion}`;

/** The first error of a manifest, or null. */
async function findError(manifest: Manifest): Promise<string | null> {
  const models = await import(toModule(manifest.apiVersion)).catch(() => ({}));
  const Model = (models as { readonly [kind: string]: Model })[manifest.kind];
  if (Model === undefined) return `there is no ${manifest.kind} in ${manifest.apiVersion}`;
  try {
    new Model(manifest).validate();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Errors as `Deployment: data/spec/… must be integer`. */
async function validateList({ items }: { readonly items: readonly Manifest[] }): Promise<string[]> {
  const errors: string[] = [];
  for (const manifest of items) {
    const error = await findError(manifest);
    if (error !== null) errors.push(`${manifest.kind}: ${error}`);
  }
  return errors;
}

// biome-ignore lint/suspicious/noExplicitAny: faults are injected anywhere
const FAULT_INJECTIONS: { readonly [error: string]: (items: any) => void } = {
  "a port that is a text": ([deployment]) => {
    deployment.spec.template.spec.containers[0].ports[0].containerPort = "4100";
  },
  "a deployment without a selector": ([deployment]) => {
    delete deployment.spec.selector;
  },
  "a service without a port": ([, service]) => {
    delete service.spec.ports[0].port;
  },
  "an API version that does not exist": ([, , budget]) => {
    budget.apiVersion = "policy/v7";
  },
};

export const manifests: Check = async ({ isSelfTest }) => {
  const list = JSON.parse(readFileSync(new URL("../../deploy/fleet/kubernetes.json", import.meta.url), "utf8"));
  if (!isSelfTest) return validateList(list);
  const missed: string[] = [];
  for (const [problem, inject] of Object.entries(FAULT_INJECTIONS)) {
    const changed = structuredClone(list);
    inject(changed.items);
    const [first] = await validateList(changed);
    if (first === undefined) missed.push(problem);
    else console.log(`  ${problem}: ${first}`);
  }
  return missed.length === 0 ? Object.keys(FAULT_INJECTIONS) : [];
};
