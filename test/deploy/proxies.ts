import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../support/binary.ts';
import { createCertificate } from '../support/certificates.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { curl, HOST, type PublicSide } from './visitor.ts';

/** Starts proxies with the example files in `deploy/`. Only ports, paths, and, in one test, a timeout are replaced. */

const DEPLOY = join(import.meta.dir, '../../deploy');
/** nobody */
const UNPRIVILEGED = 65534;

export type RunningProxy = PublicSide & {
  /** The standard output and standard error so far. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
};

/** Texts of the example file and their replacements. */
export type Replacements = Readonly<Record<string, string>>;

/**
 * Starts a proxy in front of a server on 127.0.0.1.
 *
 * @param folder an empty folder for its files
 * @throws if the proxy ends or does not respond
 */
export type StartProxy = (
  folder: string,
  upstreamPort: number,
  replacements?: Replacements,
) => Promise<RunningProxy>;

/** @throws if the file does not contain one of the texts */
function exampleWith(path: string, replacements: Replacements): string {
  let text = readFileSync(join(DEPLOY, path), 'utf8');
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`deploy/${path} does not contain: ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** Runs a proxy as an unprivileged user who owns the folder, and waits until it responds. */
async function runProxy(
  folder: string,
  command: readonly string[],
  side: PublicSide,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProxy> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chmodSync(folder, 0o755);
    chownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
    Bun.spawnSync(['chown', '-R', `${UNPRIVILEGED}:${UNPRIVILEGED}`, folder]);
  }
  const dropRoot = ['setpriv', `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups'];
  const child = Bun.spawn([...(isRoot ? dropRoot : []), ...command], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  };
  void collect(child.stdout);
  void collect(child.stderr);
  await waitUntil(`${command[0]} responds`, async () => {
    if (child.exitCode !== null) throw new Error(`${command[0]} exited with ${child.exitCode}: ${output}`);
    return (await curl(side, '/livez')).exitCode === 0;
  });
  return {
    ...side,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

export const startNginx: StartProxy = async (folder, upstreamPort, replacements = {}) => {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const { authority, certificate, key } = createCertificate(folder, [HOST]);
  const example = exampleWith('nginx/postern.conf', {
    '127.0.0.1:8080': `127.0.0.1:${upstreamPort}`,
    'listen 80;': `listen 127.0.0.1:${httpPort};`,
    'listen [::]:80;': `listen [::1]:${httpPort};`,
    'listen 443 ssl': `listen 127.0.0.1:${httpsPort} ssl`,
    'listen [::]:443 ssl': `listen [::1]:${httpsPort} ssl`,
    '/etc/ssl/captcha.pem': certificate,
    '/etc/ssl/captcha.key': key,
    ...replacements,
  });
  writeFileSync(join(folder, 'postern.conf'), example);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const main = `daemon off; pid ${join(folder, 'pid')}; error_log stderr; worker_processes 2; events {}
    http { access_log off; ${temporary.join(' ')} include ${join(folder, 'postern.conf')}; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const command = ['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')];
  return runProxy(folder, command, { httpPort, httpsPort, authority });
};

/** Caddy creates its own certificate authority for tests. The example file is used as it is, unless there are replacements. */
export const startCaddy: StartProxy = async (folder, upstreamPort, replacements = {}) => {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'postern.caddy'), exampleWith('caddy/Caddyfile', replacements));
  const global = [
    `http_port ${httpPort}`,
    `https_port ${httpsPort}`,
    'default_bind 127.0.0.1',
    'admin off',
    'local_certs',
    'skip_install_trust',
    `storage file_system ${join(folder, 'storage')}`,
  ];
  writeFileSync(join(folder, 'Caddyfile'), `{\n${global.join('\n')}\n}\nimport postern.caddy\n`);
  const authority = join(folder, 'storage/pki/authorities/local/root.crt');
  const command = ['caddy', 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  return runProxy(
    folder,
    command,
    { httpPort, httpsPort, authority },
    {
      CAPTCHA_UPSTREAM: `127.0.0.1:${upstreamPort}`,
    },
  );
};

export const startHaproxy: StartProxy = (folder, upstreamPort, replacements = {}) =>
  runHaproxy(folder, 'haproxy/haproxy.cfg', {
    '127.0.0.1:8080': `127.0.0.1:${upstreamPort}`,
    // The namespace of these sockets belongs to the whole machine.
    'abns@postern-restart': `abns@${basename(folder)}`,
    ...replacements,
  });

/**
 * Starts HAProxy in front of two nodes on 127.0.0.1. It does not redirect http to https.
 *
 * @param folder an empty folder for its files
 */
export async function startClusterHaproxy(
  folder: string,
  [port1, port2]: readonly [number, number],
): Promise<RunningProxy> {
  return runHaproxy(folder, 'cluster/haproxy.cfg', {
    '172.30.201.11:8080': `127.0.0.1:${port1}`,
    '172.30.201.12:8080': `127.0.0.1:${port2}`,
    '127.0.0.1:8404': `127.0.0.1:${await freePort()}`,
    '  http-request redirect location https://captcha.example.com%[pathq] code 308 unless { ssl_fc }\n': '',
  });
}

async function runHaproxy(folder: string, path: string, replacements: Replacements): Promise<RunningProxy> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const { authority, certificate, key } = createCertificate(folder, [HOST]);
  const pair = join(folder, 'pair.pem');
  writeFileSync(pair, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  const example = exampleWith(path, {
    'bind :::80 v4v6': `bind 127.0.0.1:${httpPort}`,
    'bind :::443 v4v6': `bind 127.0.0.1:${httpsPort}`,
    '/etc/haproxy/captcha.pem': pair,
    ...replacements,
  });
  writeFileSync(join(folder, 'haproxy.cfg'), example);
  return runProxy(folder, ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')], {
    httpPort,
    httpsPort,
    authority,
  });
}
