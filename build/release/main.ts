/** The command line of `npm run release`. `build.ts` starts it after it has installed the packages. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../build.ts';
import { createRelease, type Format } from './release.ts';
import { TARGETS } from './targets.ts';

const FORMATS: readonly Format[] = ['tar', 'deb', 'rpm'];

/** The programs that create each format, and their Debian packages. */
const PROGRAMS: Readonly<Record<Format, Readonly<Record<string, string>>>> = {
  tar: { node: 'nodejs', npm: 'npm', tar: 'tar' },
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
      sign: { type: 'string' },
    },
  });
  const targets = choose('--target', values.target, TARGETS, ({ name }) => name);
  const formats = choose('--format', values.format, FORMATS, (format) => format);
  const signingKey = values.sign;
  requirePrograms({
    ...PROGRAMS.tar,
    ...Object.assign({}, ...formats.map((format) => PROGRAMS[format])),
    ...(signingKey !== undefined && { minisign: 'minisign' }),
  });
  if (signingKey !== undefined && !existsSync(signingKey))
    throw new Error(`there is no key at ${signingKey}`);
  const epoch = releaseTime();
  const output = values.output ?? join(ROOT, 'dist/release');
  for (const file of await createRelease({
    targets,
    formats,
    epoch,
    output,
    ...(signingKey !== undefined && { signingKey }),
  })) {
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

/** @param needed programs and their Debian packages @throws with the names of the packages that are missing */
function requirePrograms(needed: Readonly<Record<string, string>>): void {
  const missing = Object.entries(needed).filter(([program]) => Bun.which(program) === null);
  if (missing.length === 0) return;
  const programs = missing.map(([program]) => program).join(', ');
  const packages = missing.map(([, name]) => name).join(' ');
  throw new Error(
    `a release needs ${programs} (Debian: apt-get install ${packages}), or build only tarballs: --format tar`,
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
    const child = Bun.spawnSync(['git', ...words], { cwd: ROOT, stderr: 'pipe' });
    return child.exitCode === 0 ? child.stdout.toString().trim() : undefined;
  };
  const time = Bun.which('git') === null ? undefined : git('log', '-1', '--format=%ct');
  if (time === undefined)
    throw new Error('set SOURCE_DATE_EPOCH, because this folder is not a git repository');
  if (git('status', '--porcelain') !== '') {
    process.stderr.write('warning: the working tree has uncommitted changes\n');
  }
  return Number(time);
}

try {
  await release(process.argv.slice(2));
} catch (error) {
  const errors: readonly unknown[] = error instanceof AggregateError ? [error, ...error.errors] : [error];
  for (const each of errors) {
    process.stderr.write(`release: ${each instanceof Error ? each.message : String(each)}\n`);
  }
  process.exitCode = 1;
}
