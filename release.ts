/**
 * `bun release.ts [--target NAME]... [--format tar|deb|rpm]... [--output FOLDER]` builds a release in dist/release.
 *
 * The time in all archives is `SOURCE_DATE_EPOCH`, or the time of the last commit. This file runs before any package is installed,
 * so it imports only Bun, Node, build.ts, and tables; the rest is imported after the installation.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from './build.ts';
import type { Format } from './release/release.ts';
import { TARGETS } from './release/targets.ts';

const FORMATS: readonly Format[] = ['tar', 'deb', 'rpm'];

/** The programs that create each format, and their Debian packages. */
const PROGRAMS: Readonly<Record<Format, Readonly<Record<string, string>>>> = {
  tar: { npm: 'npm', tar: 'tar' },
  deb: { 'dpkg-deb': 'dpkg' },
  rpm: { rpmbuild: 'rpm' },
};

async function release(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      target: { type: 'string', multiple: true },
      format: { type: 'string', multiple: true },
      output: { type: 'string' },
    },
  });
  const targets = choose('--target', values.target, TARGETS, ({ name }) => name);
  const formats = choose('--format', values.format, FORMATS, (format) => format);
  requirePrograms(formats);
  const epoch = releaseTime();
  install();
  const output = values.output ?? join(import.meta.dir, 'dist/release');
  const { createRelease } = await import('./release/release.ts');
  for (const file of await createRelease({ targets, formats, epoch, output })) {
    console.log(
      `${(statSync(join(output, file)).size / 1e6).toFixed(1).padStart(6)} MB  ${join(output, file)}`,
    );
  }
}

function choose<T>(
  option: string,
  names: readonly string[] | undefined,
  all: readonly T[],
  nameOf: (item: T) => string,
): readonly T[] {
  const unknown = names?.find((name) => !all.some((item) => nameOf(item) === name));
  if (unknown !== undefined) {
    throw new Error(`${option} must be one of ${all.map(nameOf).join(', ')}, not ${JSON.stringify(unknown)}`);
  }
  return all.filter((item) => names?.includes(nameOf(item)) ?? true);
}

/** @throws with the names of the packages that are missing */
function requirePrograms(formats: readonly Format[]): void {
  const missing = (['tar', ...formats] as const).flatMap((format) =>
    Object.entries(PROGRAMS[format]).filter(([program]) => Bun.which(program) === null),
  );
  if (missing.length === 0) return;
  const programs = missing.map(([program]) => program).join(', ');
  const packages = [...new Set(missing.map(([, name]) => name))].join(' ');
  throw new Error(
    `a release needs ${programs} (Debian: apt-get install ${packages}), or build fewer formats: --format tar`,
  );
}

/** @returns the time of the release, in seconds @throws if neither the environment nor git has it */
function releaseTime(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined) {
    if (/^\d{1,10}$/.test(given)) return Number(given);
    throw new Error(`SOURCE_DATE_EPOCH must be a number of seconds, not ${JSON.stringify(given)}`);
  }
  const git = (...words: readonly string[]) => {
    const child = Bun.spawnSync(['git', ...words], { cwd: import.meta.dir, stderr: 'pipe' });
    return child.exitCode === 0 ? child.stdout.toString().trim() : undefined;
  };
  const time = Bun.which('git') === null ? undefined : git('log', '-1', '--format=%ct');
  if (time === undefined)
    throw new Error('set SOURCE_DATE_EPOCH, because this folder is not a git repository');
  if (git('status', '--porcelain') !== '') {
    process.stderr.write('warning: the working tree has changes that are not committed\n');
  }
  return Number(time);
}

try {
  await release(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
