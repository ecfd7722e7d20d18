import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildIfStale, ROOT } from '../../build/build.ts';
import { version } from '../../src/version.ts';

/** Builds the release of this machine twice, in different folders. */

const EPOCH = 1_767_225_600;
const TARGET = `linux-${process.arch}`;
const [DEB, RPM] = process.arch === 'arm64' ? ['arm64', 'aarch64'] : ['amd64', 'x86_64'];
const NAME = `postern-${version}-${TARGET}`;
const PACKAGE = `postern_${version}_${DEB}.deb`;

// In the same file system as node_modules, so that the copy can consist of hard links.
mkdirSync(join(ROOT, 'dist'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'dist/test-'));
const copy = join(folder, 'copy/of the sources');
const first = join(folder, 'first');
const second = join(folder, 'second');
const [publicKey, secretKey] = [join(folder, 'postern.pub'), join(folder, 'postern.key')];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: readonly string[], cwd = ROOT, env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawnSync([...command], { cwd, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC', ...env } });
  return { exitCode: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() };
}

function output(...command: readonly string[]): string {
  const { exitCode, out, err } = run(command, first);
  expect([command[0], exitCode, err]).toEqual([command[0], 0, '']);
  return out;
}

function release(cwd: string, target: string, ...options: readonly string[]): void {
  const { exitCode, err } = run(
    [process.execPath, 'build/build.ts', 'release', '--target', TARGET, '--output', target, ...options],
    cwd,
    { SOURCE_DATE_EPOCH: String(EPOCH) },
  );
  expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
}

beforeAll(() => {
  release(ROOT, first);
  const omitted = ['.git', 'node_modules', 'dist', 'data'];
  mkdirSync(copy, { recursive: true });
  // Other tests may build at the same time, with temporary files in this folder.
  const isCopied = (entry: string) => !omitted.includes(entry) && !entry.endsWith('.bun-build');
  for (const name of readdirSync(ROOT).filter(isCopied))
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  expect(run(['cp', '-al', join(ROOT, 'node_modules'), copy])).toMatchObject({ exitCode: 0 });
  rmSync(join(copy, 'node_modules/.postern-installed'), { force: true });
  rmSync(join(copy, 'node_modules/.cache/postern'), { recursive: true, force: true });
  // -W: without a password
  expect(run(['minisign', '-G', '-W', '-p', publicKey, '-s', secretKey])).toMatchObject({ exitCode: 0 });
  release(copy, second, '--sign', secretKey);
}, 580_000);

test('two builds in different folders produce the same bytes', () => {
  const sums = readFileSync(join(first, 'SHA256SUMS'), 'utf8');
  expect(readFileSync(join(second, 'SHA256SUMS'), 'utf8')).toBe(sums);
  const names = [`${NAME}.tar.gz`, PACKAGE, `postern-${version}-1.${RPM}.rpm`, `postern-${version}.cdx.json`];
  names.push(`postern-widget-${version}.tgz`, `postern-server-${version}.tgz`);
  expect(output('sha256sum', '--check', 'SHA256SUMS').trim().split('\n').toSorted()).toEqual(
    names.map((name) => `${name}: OK`).toSorted(),
  );
});

describe('the signature', () => {
  const verify = (path: string, ...options: readonly string[]) =>
    run(['minisign', '-V', '-m', path, '-p', publicKey, ...options]);

  test('verifies the checksums and the version', () => {
    const { exitCode, out } = verify(join(second, 'SHA256SUMS'));
    expect([exitCode, out]).toEqual([0, expect.stringContaining(`Trusted comment: Postern ${version}\n`)]);
  });

  test('rejects changed checksums', () => {
    const changed = join(folder, 'changed');
    writeFileSync(changed, readFileSync(join(second, 'SHA256SUMS'), 'utf8').replace(/^./, 'x'));
    const signature = join(second, 'SHA256SUMS.minisig');
    expect(verify(changed, '-x', signature)).toMatchObject({ exitCode: 1 });
    writeFileSync(changed, readFileSync(join(second, 'SHA256SUMS')));
    expect(verify(changed, '-x', signature)).toMatchObject({ exitCode: 0 });
  });

  test('is created only on request', () => {
    expect(existsSync(join(first, 'SHA256SUMS.minisig'))).toBe(false);
  });
});

describe('the tarball', () => {
  test('contains these files, with a fixed owner and time', () => {
    const lines = output('tar', '--list', '--verbose', '--numeric-owner', '--file', `${NAME}.tar.gz`);
    const entries = lines
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
    for (const [, owner, , date, time] of entries)
      expect([owner, date, time]).toEqual(['0/0', '2026-01-01', '00:00']);
    expect(entries.map(([mode, , , , , path]) => `${mode} ${path?.slice(NAME.length + 1)}`)).toEqual([
      'drwxr-xr-x ',
      '-rw-r--r-- CHANGELOG.md',
      '-rw-r--r-- LICENSE',
      '-rw-r--r-- THIRD-PARTY-LICENSES.txt',
      'drwxr-xr-x completions/',
      '-rw-r--r-- completions/_postern',
      '-rw-r--r-- completions/postern.bash',
      '-rw-r--r-- completions/postern.fish',
      '-rwxr-xr-x postern',
      '-rw-r--r-- postern.1',
      '-rw-r--r-- postern.cdx.json',
      '-rw-r--r-- postern.env',
      '-rw-r--r-- postern.service',
    ]);
  });

  test('contains the same executable that all other tests run, and its completions', () => {
    output('tar', '--extract', '--file', `${NAME}.tar.gz`);
    const unpacked = join(first, NAME);
    expect(run(['cmp', join(unpacked, 'postern'), buildIfStale()])).toMatchObject({ exitCode: 0, out: '' });
    for (const [shell, file] of [
      ['bash', 'postern.bash'],
      ['zsh', '_postern'],
      ['fish', 'postern.fish'],
    ] as const) {
      const printed = output(join(unpacked, 'postern'), 'completions', shell);
      expect(readFileSync(join(unpacked, 'completions', file), 'utf8')).toBe(printed);
    }
  });
});

describe('the Debian package', () => {
  test('contains these files, which belong to root', () => {
    const lines = output('dpkg-deb', '--contents', PACKAGE).trim().split('\n');
    const files = lines.map((line) => line.split(/\s+/)).filter(([mode]) => !mode?.startsWith('d'));
    expect(files.map(([mode, owner, , , , path]) => `${mode} ${owner} ${path}`)).toEqual([
      '-rw------- root/root ./etc/postern/postern.env',
      '-rwxr-xr-x root/root ./usr/bin/postern',
      '-rw-r--r-- root/root ./usr/lib/systemd/system/postern.service',
      '-rw-r--r-- root/root ./usr/share/bash-completion/completions/postern',
      '-rw-r--r-- root/root ./usr/share/doc/postern/THIRD-PARTY-LICENSES.txt.gz',
      '-rw-r--r-- root/root ./usr/share/doc/postern/changelog.gz',
      '-rw-r--r-- root/root ./usr/share/doc/postern/copyright',
      '-rw-r--r-- root/root ./usr/share/doc/postern/postern.cdx.json.gz',
      '-rw-r--r-- root/root ./usr/share/fish/vendor_completions.d/postern.fish',
      '-rw-r--r-- root/root ./usr/share/man/man1/postern.1.gz',
      '-rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_postern',
    ]);
    expect(output('dpkg-deb', '--field', PACKAGE, 'Package', 'Version', 'Architecture')).toBe(
      `Package: postern\nVersion: ${version}\nArchitecture: ${DEB}\n`,
    );
  });

  test('requires a C library that has all symbols of the executable', () => {
    const [, required = ''] =
      /libc6 \(>= ([\d.]+)\)/.exec(output('dpkg-deb', '--field', PACKAGE, 'Depends')) ?? [];
    const symbols =
      readFileSync(buildIfStale())
        .toString('latin1')
        .match(/GLIBC_2\.\d+(\.\d+)?(?=\0)/g) ?? [];
    const newest = symbols.map((symbol) => Number(symbol.split('.')[1])).reduce((a, b) => Math.max(a, b));
    expect(required).toBe(`2.${newest}`);
  });
});

test('the RPM package contains the executable unchanged, and scripts without syntax errors', async () => {
  const name = `postern-${version}-1.${RPM}.rpm`;
  const query = (format: string) => output('rpm', '--query', '--package', '--queryformat', format, name);
  const files = query('[%{FILENAMES} %{FILEMODES:perms} %{FILEUSERNAME} %{FILESIZES}\\n]');
  expect(files).toContain(`/usr/bin/postern -rwxr-xr-x root ${Bun.file(buildIfStale()).size}\n`);
  expect(files).toContain('/etc/postern/postern.env -rw------- root');
  for (const tag of ['PREIN', 'POSTIN', 'PREUN', 'POSTUN']) {
    const checked = Bun.spawnSync(['sh', '-n'], { stdin: Buffer.from(query(`%{${tag}}`)) });
    expect([tag, checked.exitCode, checked.stderr.toString()]).toEqual([tag, 0, '']);
  }
});

describe('npm run release', () => {
  const fail = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    run([process.execPath, 'build/build.ts', 'release', ...args], ROOT, env);

  test.each([
    [
      ['--target', 'plan9'],
      '--target must be one of linux-x64, linux-x64-musl, linux-arm64, linux-arm64-musl, not "plan9"',
    ],
    [['--format', 'zip'], '--format must be one of tar, deb, rpm, not "zip"'],
    [['--frmat', 'tar'], "Unknown option '--frmat'"],
    [['--sign', '/nonexistent'], 'there is no key at /nonexistent'],
  ])('rejects %p', (args, message) => {
    const { exitCode, err } = fail(args);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(message)]);
  });

  test('rejects a time that is not a number of seconds', () => {
    const { exitCode, err } = fail([], { SOURCE_DATE_EPOCH: 'now' });
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining('SOURCE_DATE_EPOCH must be a number of seconds'),
    ]);
  });

  test('names the missing programs before it starts', () => {
    const { exitCode, err } = fail([], { PATH: '/nonexistent' });
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining('a release needs node, npm, tar, dpkg-deb, rpmbuild'),
    ]);
  });
});
