import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { readConfig } from "../../backend/config/config.ts";
import { SECRETS, toGameVariable } from "../../backend/config/table.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { games } from "../../games/index.ts";
import { root } from "../../scripts/start/build.ts";

const folder = join(root, "deploy/fleet");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

/** Values for what the operator gives. */
const GIVEN: { readonly [name: string]: string } = {
  ARCADE_PUBLIC_URL: "https://arcade.example",
  ARCADE_RPC_URL: "https://rpc.example",
  ARCADE_DATABASE_URL: "postgres://arcade@10.0.0.5/arcade",
  ARCADE_NATS_URL: "nats://10.0.0.5:4222",
  ARCADE_POSTGRES_PASSWORD: "secret",
};
/** The token of a remote signer is left out: these fleets sign with keys of their own. */
const KEYS = Object.values(SECRETS)
  .filter(({ name }) => name !== SECRETS.signerToken.name)
  .flatMap(({ name }) => (name.includes("{SLUG}") ? games.map(({ slug }) => toGameVariable(name, slug)) : [name]));

/** The settings are valid, every key comes from a file, and the backends share one database. */
function expectFleetSettings(env: { readonly [name: string]: string }): void {
  const config = readConfig(env);
  expect(config.natsUrl).to.match(/^nats:/);
  expect(config.databaseUrl).to.match(/^postgres:/);
  expect(config.trustProxy, "the balancer's address is not the client's").to.equal(1);
  for (const key of KEYS) expect(env[key], key).to.match(/^@.+/);
}

const isRoute = (path: string): boolean => routes.some((route) => route.path === path);

const service = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  configs: z.array(z.strictObject({ source: z.string(), target: z.string() })).optional(),
  volumes: z.array(z.string()).optional(),
  ports: z.array(z.string().regex(/^\d+:\d+$/)).optional(),
  healthcheck: z
    .strictObject({ test: z.array(z.string()), interval: z.string().regex(/^\d+s$/), retries: z.int() })
    .optional(),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(["service_started", "service_healthy"]) }))
    .optional(),
  deploy: z.strictObject({ replicas: z.int().min(2) }).optional(),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  restart: z.literal("always"),
});
const files = z.record(z.string(), z.strictObject({ file: z.string() }));
/** The part of https://github.com/compose-spec/compose-spec that the file uses. */
const composeFile = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), service),
  configs: files,
  secrets: files,
  volumes: z.record(z.string(), z.strictObject({})),
});

const labels = z.record(z.string(), z.string());
const metadata = z.strictObject({ name: z.string(), labels: labels.optional() });
const selector = z.strictObject({ matchLabels: labels });
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.literal("http") }),
  periodSeconds: z.int(),
  failureThreshold: z.int(),
});
const secretKey = z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) });
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({ name: z.string(), valueFrom: secretKey }),
    ]),
  ),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true) })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: z.strictObject({ preStop: z.strictObject({ exec: z.strictObject({ command: z.array(z.string()) }) }) }),
});
const pod = z.strictObject({
  terminationGracePeriodSeconds: z.int(),
  containers: z.tuple([container]),
  volumes: z.array(z.strictObject({ name: z.string(), secret: z.strictObject({ secretName: z.string() }) })),
});
const deployment = z.strictObject({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("Deployment"),
  metadata,
  spec: z.strictObject({
    replicas: z.int().min(2),
    selector,
    strategy: z.strictObject({
      type: z.literal("RollingUpdate"),
      rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.int().min(1) }),
    }),
    template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
  }),
});
const kubernetesService = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Service"),
  metadata,
  spec: z.strictObject({
    selector: labels,
    ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.literal("http") })),
    sessionAffinity: z.literal("None"),
  }),
});
const disruptionBudget = z.strictObject({
  apiVersion: z.literal("policy/v1"),
  kind: z.literal("PodDisruptionBudget"),
  metadata,
  spec: z.strictObject({ maxUnavailable: z.int(), selector }),
});
/** The part of the API of Kubernetes 1.30 that the file uses. */
const kubernetesList = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("List"),
  items: z.tuple([deployment, kubernetesService, disruptionBudget]),
});

describe("the files of deploy/fleet", () => {
  it("compose.json refers only to what it defines, and has settings of a fleet", () => {
    const compose = composeFile.parse(JSON.parse(read("compose.json")));
    const { services, secrets, configs, volumes } = compose;
    for (const one of Object.values(services)) {
      expect(secrets).to.include.keys(...(one.secrets ?? []), "operator");
      for (const { source } of one.configs ?? []) expect(configs).to.have.property(source);
      for (const volume of one.volumes ?? []) expect(volumes).to.have.property(volume.split(":")[0]!);
      for (const name of Object.keys(one.depends_on ?? {})) expect(services).to.have.property(name);
    }
    for (const { file } of Object.values(configs)) expect(existsSync(join(folder, file)), file).to.equal(true);
    const { build, environment = {}, secrets: mounted = [] } = services.backend!;
    expect(existsSync(join(folder, build!.context, build!.dockerfile))).to.equal(true);
    const env = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{(\w+):\?\}/g, (_, given: string) => GIVEN[given]!),
      ]),
    );
    expectFleetSettings(env);
    for (const key of KEYS) expect(mounted).to.include(env[key]!.replace("@/run/secrets/", ""));
  });

  it("haproxy.cfg asks for a path of the service, and reaches the backends of compose.json", () => {
    const text = read("haproxy.cfg");
    expect(isRoute(/option httpchk GET (\S+)/.exec(text)![1]!)).to.equal(true);
    const [, name, port] = /server-template \w+ \d+ (\w+):(\d+)/.exec(text)!;
    const { services } = composeFile.parse(JSON.parse(read("compose.json")));
    expect(services[name!]!.environment).to.include({ ARCADE_PORT: port });
  });

  it("kubernetes.json replaces backends one by one, and has settings of a fleet", () => {
    const [{ spec }, balancer, budget] = kubernetesList.parse(JSON.parse(read("kubernetes.json"))).items;
    const { template } = spec;
    for (const found of [spec.selector.matchLabels, balancer.spec.selector, budget.spec.selector.matchLabels])
      expect(found).to.deep.equal(template.metadata.labels);
    const [backend] = template.spec.containers;
    for (const { httpGet } of [backend.startupProbe, backend.livenessProbe, backend.readinessProbe])
      expect(isRoute(httpGet.path), httpGet.path).to.equal(true);
    const names = template.spec.volumes.map(({ name }) => name);
    for (const { name } of backend.volumeMounts) expect(names).to.include(name);
    const env = Object.fromEntries(
      backend.env.map((entry) => [entry.name, "value" in entry ? entry.value : GIVEN[entry.name]!]),
    );
    expectFleetSettings(env);
    expect(env.ARCADE_PORT).to.equal(String(backend.ports[0]!.containerPort));
  });

  it("the unit of systemd starts a backend again, gives it time to stop, and has settings of a fleet", () => {
    const text = read("systemd/arcade@.service");
    const lines = text.split("\n").filter((line) => /^\w+=/.test(line));
    const entries = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
    const getAll = (name: string) => entries.filter(([key]) => key === name).map(([, value]) => value);
    expect([getAll("Restart"), getAll("KillSignal")]).to.deep.equal([["always"], ["SIGTERM"]]);
    expect(getAll("ExecStart")[0]).to.match(/ scripts\/run\.mjs serve$/);
    const settings = getAll("Environment").map((line) => line.replace("%i", "4101").split("=") as [string, string]);
    const env: { readonly [name: string]: string } = { ...Object.fromEntries(settings), ...GIVEN };
    const { ARCADE_POSTGRES_PASSWORD: _, ...given } = env;
    expectFleetSettings(given);
    const credentials = getAll("LoadCredential").map((line) => line.split(":")[0]);
    for (const key of KEYS) expect(credentials).to.include(env[key]!.replace("@%d/", ""));
  });
});
