import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Builder } from './builder.ts';

/**
 * Base images for the tests, which cannot reach a container registry. They contain Debian packages with the same files as the images
 * that the Dockerfile names.
 */

/** The packages of `gcr.io/distroless/cc-debian12` that an executable needs. */
const RUNTIME_PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates'];

/** A shell and the commands of the Dockerfile, with their libraries. Node and npm are those of this machine. */
const BUILD_PACKAGES = [
  ...RUNTIME_PACKAGES,
  ...['dash', 'coreutils', 'libacl1', 'libattr1', 'libgmp10', 'libpcre2-8-0', 'libselinux1'],
];

/** The certificates that this machine trusts, because npm may be reachable only through a proxy. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** @throws if the command fails */
function run(command: readonly string[], cwd: string): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], { cwd, stdout: 'ignore', stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}

/** Creates the base image of the build stage. @returns its name */
export function createBuildImage(builder: Builder, folder: string): string {
  const root = unpack(BUILD_PACKAGES, folder);
  const at = (path: string) => {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    return target;
  };
  copyFileSync(programPath('node'), at('usr/bin/node'));
  // npm-cli.js is in npm/bin.
  cpSync(dirname(dirname(programPath('npm'))), at('usr/lib/node_modules/npm'), { recursive: true });
  run(['ln', '-s', '../lib/node_modules/npm/bin/npx-cli.js', 'usr/bin/npx'], root);
  const environment: Record<string, string> = { PATH: '/usr/bin:/bin' };
  if (existsSync(CERTIFICATES)) {
    copyFileSync(CERTIFICATES, at(CERTIFICATES));
    Object.assign(environment, { NODE_EXTRA_CA_CERTS: CERTIFICATES, SSL_CERT_FILE: CERTIFICATES });
  }
  return builder.createImage('build', root, environment);
}

/** Creates the base image of the runtime stage. @returns its name */
export function createRuntimeImage(builder: Builder, folder: string): string {
  return builder.createImage('runtime', unpack(RUNTIME_PACKAGES, folder), {});
}

function programPath(program: string): string {
  const path = Bun.which(program);
  if (path === null) throw new Error(`${program} is missing`);
  return realpathSync(path);
}

/** Downloads packages and unpacks their files into a new folder, without their dependencies and scripts. */
function unpack(packages: readonly string[], folder: string): string {
  const downloads = mkdtempSync(join(folder, 'packages-'));
  run(['apt-get', 'download', '-qq', ...packages], downloads);
  const root = mkdtempSync(join(folder, 'root-'));
  for (const file of readdirSync(downloads)) run(['dpkg-deb', '--extract', join(downloads, file), root], '/');
  run(['chmod', '755', root], '/');
  return root;
}
