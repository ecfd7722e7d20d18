import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from '../build.ts';
import { run } from './command.ts';
import type { Target } from './targets.ts';

/** A file of a package or tarball. */
export type StagedFile = {
  /** Relative to the root of the package. */
  readonly path: string;
  /** The content, or the path of a file to copy. */
  readonly content: string | Uint8Array | { readonly copyOf: string };
  /** The permissions, for example 0o644. */
  readonly mode: number;
};

/** The folders and the timestamp for archives. */
export type Workshop = {
  readonly version: string;
  /** The time of the release, in seconds. */
  readonly epoch: number;
  /** An existing folder for temporary files. */
  readonly temporary: string;
  /** An existing folder for the results. */
  readonly output: string;
};

type PackageTarget = Target & { readonly packages: NonNullable<Target['packages']> };

/** Creates a tarball with one folder. @returns its path */
export function createTarball(target: Target, files: readonly StagedFile[], workshop: Workshop): string {
  const { version, epoch, temporary, output } = workshop;
  const name = `postern-${version}-${target.name}`;
  stageFiles(join(temporary, name), files, epoch);
  const tar = join(temporary, `${name}.tar`);
  run([
    'tar',
    '--create',
    '--format=ustar',
    '--sort=name',
    '--owner=root:0',
    '--group=root:0',
    '--file',
    tar,
    '--directory',
    temporary,
    name,
  ]);
  const path = join(output, `${name}.tar.gz`);
  writeFileSync(path, gzipSync(readFileSync(tar), { level: 6 }));
  rmSync(tar);
  return path;
}

/** Converts a version to Debian's and RPM's format, in which a tilde marks a prerelease: 1.0.0~rc.1 is older than 1.0.0. */
function toPackageVersion(version: string): string {
  return version.replaceAll('-', '~');
}

/** Creates a Debian package with `dpkg-deb`. @returns its path */
export function createDeb(target: PackageTarget, files: readonly StagedFile[], workshop: Workshop): string {
  const { epoch, temporary, output } = workshop;
  const version = toPackageVersion(workshop.version);
  const architecture = target.packages.deb;
  const folder = join(temporary, `deb-${architecture}`);
  const bytes = files.reduce((sum, { content }) => sum + sizeOf(content), 0);
  const scripts = ['postinst', 'prerm', 'postrm'].map((name) => ({
    path: `DEBIAN/${name}`,
    content: readFileSync(join(ROOT, 'deploy/packages', name)),
    mode: 0o755,
  }));
  stageFiles(
    folder,
    [
      ...files,
      ...scripts,
      {
        path: 'DEBIAN/control',
        content: toControl(version, architecture, Math.ceil(bytes / 1024)),
        mode: 0o644,
      },
      { path: 'DEBIAN/conffiles', content: '/etc/postern/postern.env\n', mode: 0o644 },
    ],
    epoch,
  );
  const path = join(output, `postern_${version}_${architecture}.deb`);
  // gzip compresses to the same bytes with any number of cores; xz does not.
  run(['dpkg-deb', '--root-owner-group', '-Zgzip', '-z6', '--build', folder, path], {
    env: { SOURCE_DATE_EPOCH: String(epoch) },
  });
  return path;
}

function sizeOf(content: StagedFile['content']): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  return 'copyOf' in content ? Bun.file(content.copyOf).size : content.length;
}

/** Bun and the native add-on need symbols of these versions of the C library and libgcc. */
function toControl(version: string, architecture: string, kibibytes: number): string {
  return `Package: postern
Version: ${version}
Architecture: ${architecture}
Maintainer: Postern <postern@postern.invalid>
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.17), libgcc-s1 | libgcc1, passwd, init-system-helpers
Section: web
Priority: optional
Description: self-hosted, privacy-first CAPTCHA server
 Postern issues proof-of-work puzzles to web pages, verifies the solutions for
 their backends, and manages properties in a portal. It is one executable that
 stores its data in one folder and needs no other service.
`;
}

/** Creates an RPM package with `rpmbuild`. @returns its path */
export function createRpm(target: PackageTarget, files: readonly StagedFile[], workshop: Workshop): string {
  const { epoch, temporary, output } = workshop;
  const version = toPackageVersion(workshop.version);
  const architecture = target.packages.rpm;
  const top = join(temporary, `rpm-${architecture}`);
  const tree = join(top, 'tree');
  mkdirSync(top, { recursive: true });
  stageFiles(tree, files, epoch);
  const macros: Readonly<Record<string, string>> = {
    _topdir: top,
    _buildhost: 'localhost',
    _binary_payload: 'w6.gzdio',
    _build_id_links: 'none',
    _rpmfilename: '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    postern_version: version,
    postern_tree: tree,
  };
  const definitions = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  run(
    [
      'rpmbuild',
      '-bb',
      '--quiet',
      '--target',
      architecture,
      ...definitions,
      join(ROOT, 'deploy/packages/postern.spec'),
    ],
    { env: { SOURCE_DATE_EPOCH: String(epoch), HOME: temporary } },
  );
  const name = `postern-${version}-1.${architecture}.rpm`;
  run(['cp', join(top, 'RPMS', name), join(output, name)]);
  return join(output, name);
}

/**
 * Writes the files into a new folder. All files and folders get the time of the release, and folders the mode 0755, so that the
 * archives do not depend on the machine.
 *
 * @param epoch the time of the release, in seconds
 */
function stageFiles(folder: string, files: readonly StagedFile[], epoch: number): void {
  mkdirSync(folder, { recursive: true });
  for (const { path, content, mode } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    if (typeof content === 'object' && 'copyOf' in content) copyFileSync(content.copyOf, target);
    else writeFileSync(target, content);
    chmodSync(target, mode);
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    lutimesSync(path, epoch, epoch);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, epoch, epoch);
}
