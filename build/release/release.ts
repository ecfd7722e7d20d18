import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../src/version.ts';
import { compile } from '../compile.ts';
import { NPM_PACKAGES, packPackage } from '../packages.ts';
import { createDeb, createRpm, createTarball, type Workshop } from './archives.ts';
import { findBundledPackages } from './bundledPackages.ts';
import { packageFiles, type Texts, tarballFiles } from './contents.ts';
import { toThirdPartyLicenses } from './licenses.ts';
import { readLockfile, unpackPackage } from './lockedPackages.ts';
import { toManPage } from './manPage.ts';
import { toSbom } from './sbom.ts';
import type { Target } from './targets.ts';

export type Format = 'tar' | 'deb' | 'rpm';

export type ReleaseOptions = {
  readonly targets: readonly Target[];
  readonly formats: readonly Format[];
  /** The time of the release, in seconds. */
  readonly epoch: number;
  /** The folder of the release. The build replaces it when the release is complete. */
  readonly output: string;
  /** The version; that of package.json by default. */
  readonly version?: string;
  /** The file of a minisign secret key, which signs the checksums. minisign asks for its password if it has one. */
  readonly signingKey?: string;
};

/** Builds a release. If the build fails, an earlier release stays unchanged. @returns the names of the files */
export async function createRelease(options: ReleaseOptions): Promise<readonly string[]> {
  const { targets, formats, epoch, output } = options;
  const temporary = `${output}.${process.pid}.tmp`;
  const next = `${output}.${process.pid}.next`;
  const workshop: Workshop = { version: options.version ?? version, epoch, temporary, output: next };
  try {
    for (const folder of [temporary, next]) mkdirSync(folder, { recursive: true });
    const binaries = await compileTargets(targets, temporary);
    const texts = await createTexts(binaries, workshop);
    for (const { target, binary } of binaries) {
      if (formats.includes('tar')) createTarball(target, tarballFiles(binary, texts), workshop);
      const { packages } = target;
      if (packages === undefined) continue;
      const files = (kind: 'deb' | 'rpm') => packageFiles(binary, texts, kind);
      if (formats.includes('deb')) createDeb({ ...target, packages }, files('deb'), workshop);
      if (formats.includes('rpm')) createRpm({ ...target, packages }, files('rpm'), workshop);
    }
    writeFileSync(join(next, `postern-${workshop.version}.cdx.json`), texts.sbom);
    for (const name of NPM_PACKAGES) packPackage(name, temporary, next);
    const checksums = join(next, 'SHA256SUMS');
    writeFileSync(checksums, toChecksums(next));
    if (options.signingKey !== undefined) sign(checksums, options.signingKey, workshop.version);
    rmSync(output, { recursive: true, force: true });
    renameSync(next, output);
    return readdirSync(output).sort();
  } finally {
    for (const folder of [temporary, next]) rmSync(folder, { recursive: true, force: true });
  }
}

type CompiledTarget = {
  readonly target: Target;
  readonly binary: string;
  readonly inputs: readonly string[];
};

async function compileTargets(
  targets: readonly Target[],
  temporary: string,
): Promise<readonly CompiledTarget[]> {
  const lockfile = await readLockfile();
  const compiled: CompiledTarget[] = [];
  for (const target of targets) {
    const folderOf = (name: string) => {
      const locked = lockfile.get(name);
      if (locked === undefined) throw new Error(`bun.lock does not contain ${name}`);
      const folder = join(temporary, 'npm', name);
      unpackPackage(locked, folder);
      return folder;
    };
    const addon = folderOf(target.addon);
    const [file] = readdirSync(addon).filter((name) => name.endsWith('.node'));
    if (file === undefined) throw new Error(`${target.addon} contains no native add-on`);
    const binary = join(temporary, 'bin', target.name, 'postern');
    const inputs = await compile(binary, {
      target: target.bun,
      runtime: join(folderOf(target.runtime), 'bin/bun'),
      addon: join(addon, file),
    });
    compiled.push({ target, binary, inputs });
  }
  return compiled;
}

async function createTexts(compiled: readonly CompiledTarget[], workshop: Workshop): Promise<Texts> {
  const inputs = new Set(compiled.flatMap((target) => target.inputs));
  const packages = await findBundledPackages([...inputs], await readLockfile());
  return {
    manPage: toManPage(workshop.version, workshop.epoch),
    thirdPartyLicenses: toThirdPartyLicenses(packages),
    sbom: await toSbom(packages, { ...workshop, versions: process.versions }),
  };
}

/** @returns the lines of `sha256sum`, in the order of the names */
function toChecksums(folder: string): string {
  return readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}

/** Creates `FILE.minisig`: an Ed25519 signature of the file, in the format of minisign. @throws if minisign fails */
function sign(file: string, key: string, signedVersion: string): void {
  const comment = `Postern ${signedVersion}`;
  const command = ['minisign', '-S', '-s', key, '-m', file, '-t', comment];
  const { exitCode } = Bun.spawnSync(command, { stdio: ['inherit', 'ignore', 'inherit'] });
  if (exitCode !== 0) throw new Error(`minisign cannot sign ${file} with ${key}`);
}
