import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CertificateFiles, createCertificate } from '../support/certificates.ts';

/** Name resolution and certificates for clients whose host is fixed, as in docs/migrate/README.md. */

/** Postern's own hostname with HTTPS. */
export const HTTPS_HOST = 'captcha.example.com';

const HOSTS = [
  HTTPS_HOST,
  'www.google.com',
  'www.recaptcha.net',
  'recaptcha.net',
  'hcaptcha.com',
  'api.hcaptcha.com',
  'js.hcaptcha.com',
  'challenges.cloudflare.com',
];

/** A loopback address, so that no other server on port 443 is affected. */
const ADDRESS = '127.0.0.44';

/** The files of the network, in the folder. */
const filesOf = (folder: string): CertificateFiles & { readonly hosts: string; readonly home: string } => ({
  authority: join(folder, 'network/ca.pem'),
  certificate: join(folder, 'network/captcha.pem'),
  key: join(folder, 'network/captcha.key'),
  hosts: join(folder, 'network/hosts'),
  home: join(folder, 'network/home'),
});

/** Creates the certificate authority, which Chromium trusts with the home folder, and the file of hosts. */
export function createNetwork(folder: string): void {
  const { home, hosts, authority } = filesOf(folder);
  const database = join(home, '.pki/nssdb');
  mkdirSync(database, { recursive: true });
  createCertificate(join(folder, 'network'), HOSTS);
  writeFileSync(hosts, `127.0.0.1 localhost\n${HOSTS.map((host) => `${ADDRESS} ${host}\n`).join('')}`);
  for (const args of [
    ['-N', '--empty-password'],
    ['-A', '-n', 'Test CA', '-t', 'C,,', '-i', authority],
  ]) {
    const { exitCode, stderr } = Bun.spawnSync(['certutil', '-d', `sql:${database}`, ...args]);
    if (exitCode !== 0) throw new Error(`certutil: ${stderr}`);
  }
}

/** @returns the command in a mount namespace in which the vendors' hosts resolve to Postern */
export function insideNetwork(folder: string, command: readonly string[]): readonly string[] {
  const script = 'mount --bind "$1" /etc/hosts && shift && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', script, 'sh', filesOf(folder).hosts, ...command];
}

/** @returns the environment in which programs trust the certificate authority */
export function networkEnvironment(folder: string): Readonly<Record<string, string>> {
  const { authority, home } = filesOf(folder);
  return {
    HOME: home,
    NODE_EXTRA_CA_CERTS: authority,
    SSL_CERT_FILE: authority,
    REQUESTS_CA_BUNDLE: authority,
    PERL_LWP_SSL_CA_FILE: authority,
  };
}

/** PHP reads the certificate authority only from its configuration. */
export const phpSettings = (folder: string): readonly string[] => [
  ...['-d', `openssl.cafile=${filesOf(folder).authority}`],
  ...['-d', `curl.cainfo=${filesOf(folder).authority}`],
];

/** @returns whether the URL has the host of a vendor */
export const isVendorUrl = (url: string): boolean =>
  HOSTS.some((host) => host !== HTTPS_HOST && new URL(url).hostname === host);

export type VendorProxy = {
  /** The requests so far for hosts of vendors. */
  readonly vendorRequests: () => number;
  readonly stop: () => Promise<void>;
};

/** Serves Postern under all hosts, with HTTPS and HTTP. The path is that of docs/migrate/README.md for hCaptcha's backends. */
export function startProxy(folder: string, target: string): VendorProxy {
  const { certificate, key } = filesOf(folder);
  let vendorRequests = 0;
  const forward = async (request: Request) => {
    const { pathname, search, hostname } = new URL(request.url);
    const isHcaptcha = hostname.endsWith('hcaptcha.com') && pathname === '/siteverify';
    if (isVendorUrl(request.url)) vendorRequests += 1;
    const body = request.body === null ? null : await request.arrayBuffer();
    return fetch(`${target}${isHcaptcha ? '/hcaptcha' : ''}${pathname}${search}`, {
      method: request.method,
      headers: request.headers,
      body,
      redirect: 'manual',
      decompress: false,
    });
  };
  const tls = { cert: readFileSync(certificate), key: readFileSync(key) };
  const servers = [
    Bun.serve({ hostname: ADDRESS, port: 443, tls, fetch: forward }),
    // For clients with URLs that have no scheme.
    Bun.serve({ hostname: ADDRESS, port: 80, fetch: forward }),
  ];
  return {
    vendorRequests: () => vendorRequests,
    stop: async () => void (await Promise.all(servers.map((server) => server.stop(true)))),
  };
}
