import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Encrypter } from 'age-encryption';
import { sqliteEngine } from '../../../src/server/storageEngine.ts';
import { lockFolder } from '../../../src/storage/sqlite/dataFolder.ts';
import { ISO, PROGRAM, useCommandLine, useSampleData } from '../commandLine.ts';

const cli = useCommandLine();
useSampleData(cli);

const path = (name: string) => join(cli.folder, name);
const PASSPHRASE = 'correct horse battery staple';
const passphraseFile = path('passphrase');
let folders = 0;

/** A data folder that does not exist yet. */
function newFolder(): string {
  folders += 1;
  return path(`data-${folders}`);
}

/** The names and the content of all files. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return Object.fromEntries(
    files
      .map((file) => join(file.parentPath, file.name))
      .filter((file) => !file.endsWith('postern.lock'))
      .map((file) => [file, new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')]),
  );
}

async function inFolder(dataDir: string, command: string, execute = cli.spawn) {
  const { code, out, err } = await execute(`${command} --data-dir ${dataDir} --json`);
  return { code, err, json: code === 0 ? JSON.parse(out) : undefined };
}

/** Like `inFolder`, but faster. Connections of the test may stay open, so afterwards the folder cannot be restored again. */
const lastInFolder = (dataDir: string, command: string) => inFolder(dataDir, command, cli.run);

/** Encrypts a file with little work, so that tests can decrypt it often. */
async function encryptFast(from: string, to: string): Promise<void> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(PASSPHRASE);
  encrypter.setScryptWorkFactor(10);
  writeFileSync(to, await encrypter.encrypt(readFileSync(from)));
}

beforeAll(async () => {
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`);
  await cli.json(`backup ${path('good.tar')}`);
  await cli.json(`backup ${path('good.tar.age')} --passphrase-file ${passphraseFile}`);
  await encryptFast(path('good.tar'), path('fast.tar.age'));
});

describe('postern restore', () => {
  test('creates a data folder from a backup, with the same ids', async () => {
    const folder = newFolder();
    const { json, err } = await lastInFolder(folder, `restore ${path('good.tar')}`);
    expect(json).toEqual({
      file: path('good.tar'),
      bytes: expect.any(Number),
      schema: expect.any(Number),
      created_at: ISO,
      moved_to: null,
    });
    expect(err).toContain('API keys that were revoked since then work again');
    expect(readdirSync(folder).toSorted()).toEqual(['postern.lock', 'postern.sqlite']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'postern.sqlite')).mode & 0o777).toBe(0o600);
    for (const command of ['users list', 'orgs list', 'properties list', 'keys list']) {
      expect((await lastInFolder(folder, command)).json).toEqual(await cli.json(command));
    }
  });

  test('records the restore in the audit log, and the time of the backup for doctor', async () => {
    const folder = newFolder();
    const { json } = await lastInFolder(folder, `restore ${path('good.tar')}`);
    const [entry] = (await lastInFolder(folder, 'audit list --limit 1')).json;
    expect(entry).toMatchObject({ actor: 'command line', source: 'command', action: 'backup-restored' });
    expect(entry.object).toBe(`backup of ${json.created_at}`);
    expect(sqliteEngine.inspect(folder)?.lastBackupAt).toBe(Date.parse(json.created_at) as never);
  });

  test('rejects a folder that is not empty, and changes nothing in it', async () => {
    const folder = newFolder();
    await lastInFolder(folder, `restore ${path('good.tar')}`);
    const before = contentOf(folder);
    const { code, err } = await lastInFolder(folder, `restore ${path('good.tar')}`);
    expect(code).toBe(1);
    expect(err).toStartWith(`postern: ${folder} is not empty: it contains postern.sqlite; with --force, `);
    expect(contentOf(folder)).toEqual(before);
    const other = newFolder();
    mkdirSync(other);
    writeFileSync(join(other, 'holiday.jpg'), 'picture');
    expect(await lastInFolder(other, `restore ${path('good.tar')}`)).toMatchObject({ code: 1 });
    expect(existsSync(join(other, 'postern.sqlite'))).toBe(false);
  });

  test('moves the old databases to a subfolder with --force', async () => {
    const folder = newFolder();
    await inFolder(folder, 'users create --email later@example.com');
    writeFileSync(join(folder, 'holiday.jpg'), 'picture');
    const { json } = await inFolder(folder, `restore ${path('good.tar')} --force`);
    const emails = async (dataDir: string) =>
      (await lastInFolder(dataDir, 'users list')).json.map(({ email }: { email: string }) => email);
    expect(json.moved_to).toStartWith(join(folder, 'replaced-'));
    expect(await emails(folder)).toEqual(['ann@example.com', 'ben@example.com']);
    expect(await emails(json.moved_to)).toEqual(['later@example.com']);
    expect(readFileSync(join(folder, 'holiday.jpg'), 'utf8')).toBe('picture');
  });

  test('replaces a damaged database with --force', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'postern.sqlite'), 'damaged '.repeat(1000));
    const { json } = await inFolder(folder, `restore ${path('good.tar')} --force`);
    expect(readFileSync(join(json.moved_to, 'postern.sqlite'), 'utf8')).toStartWith('damaged');
    expect((await lastInFolder(folder, 'users list')).json).toHaveLength(2);
  });

  test('does not start while a server or a command uses the folder, and they do not start during a restore', async () => {
    const folder = newFolder();
    await inFolder(folder, `restore ${path('good.tar')}`);
    const used = lockFolder(folder, 'use');
    const { code, err } = await inFolder(folder, `restore ${path('good.tar')} --force`);
    used.release();
    expect({ code, err }).toEqual({
      code: 1,
      err: 'postern: a server or another command is using this folder; stop it first\n',
    });
    const restoring = lockFolder(folder, 'restore');
    const listed = await inFolder(folder, 'users list');
    restoring.release();
    expect(listed).toMatchObject({ code: 1 });
    expect(listed.err).toContain('a restore of this folder is running');
  });

  test('does not replace a database that is open in a program that does not use the lock', async () => {
    const folder = newFolder();
    await inFolder(folder, `restore ${path('good.tar')}`);
    const other = new Database(join(folder, 'postern.sqlite'));
    other.query('SELECT count(*) FROM accounts').get();
    const { code, err } = await inFolder(folder, `restore ${path('good.tar')} --force`);
    other.close();
    expect(code).toBe(1);
    expect(err).toBe(
      `postern: another program has opened ${join(folder, 'postern.sqlite')}; stop it first\n`,
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('replaced'))).toEqual([]);
  });

  test('reads standard input', async () => {
    const folder = newFolder();
    const child = Bun.spawnSync([...PROGRAM, 'restore', '-', '--json', '--data-dir', folder], {
      stdin: readFileSync(path('good.tar')),
      env: {},
    });
    expect(child.exitCode).toBe(0);
    expect(JSON.parse(child.stdout.toString())).toMatchObject({ file: '-', moved_to: null });
    expect((await lastInFolder(folder, 'users list')).json).toHaveLength(2);
  });

  test('rejects incorrect usage', async () => {
    expect(await cli.run('restore')).toMatchObject({ code: 2 });
    const missing = await cli.run(`restore ${path('missing.tar')} --data-dir ${newFolder()}`);
    expect(missing).toMatchObject({ code: 1, err: `postern: ${path('missing.tar')} does not exist\n` });
    expect(await cli.run(`restore ${cli.folder} --data-dir ${newFolder()}`)).toMatchObject({ code: 1 });
  });
});

describe('an encrypted backup', () => {
  test('is restored with its passphrase', async () => {
    const folder = newFolder();
    const options = `--passphrase-file ${passphraseFile}`;
    await lastInFolder(folder, `restore ${path('good.tar.age')} ${options}`);
    expect((await lastInFolder(folder, 'users list')).json).toHaveLength(2);
  });

  test('requires the correct passphrase', async () => {
    writeFileSync(path('wrong'), 'incorrect horse battery staple');
    for (const [options, reason] of [
      ['', 'the file is encrypted; set POSTERN_BACKUP_PASSPHRASE_FILE or use --passphrase-file'],
      [` --passphrase-file ${path('wrong')}`, 'the file cannot be decrypted: the passphrase is wrong'],
    ] as const) {
      const folder = newFolder();
      const ended = await cli.run(`restore ${path('fast.tar.age')} --data-dir ${folder}${options}`);
      expect(ended).toMatchObject({ code: 1, out: '' });
      expect(ended.err).toStartWith(`postern: ${reason}`);
      expect(existsSync(folder)).toBe(false);
    }
  });

  test('can be created by the age program; a backup that is not encrypted is reported if a passphrase is set', async () => {
    const folder = newFolder();
    const file = path('age.tar.age');
    const typed = 'expect "passphrase"; send "correct horse battery staple\\r"; ';
    const dialog = `spawn age --encrypt --passphrase --output ${file} ${path('good.tar')}; ${typed}${typed}expect eof`;
    Bun.spawnSync(['expect', '-c', `log_user 0; set timeout 60; ${dialog}`]);
    const ended = await lastInFolder(folder, `restore ${file} --passphrase-file ${passphraseFile}`);
    expect(ended.code).toBe(0);
    expect(ended.err).not.toContain('not encrypted');
    const plain = `restore ${path('good.tar')} --passphrase-file ${passphraseFile}`;
    expect((await lastInFolder(newFolder(), plain)).err).toContain('postern: the backup is not encrypted\n');
  });
});

/** Changes the files of a backup and packs them again with GNU tar. @returns its path */
function repack(
  name: string,
  change: (folder: string, manifest: Record<string, unknown>) => readonly string[],
): string {
  const folder = path(`repacked-${name}`);
  mkdirSync(folder);
  Bun.spawnSync(['tar', '-xf', path('good.tar'), '-C', folder]);
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const names = change(folder, manifest);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const file = path(`${name}.tar`);
  Bun.spawnSync(['tar', '-cf', file, '-C', folder, ...names]);
  return file;
}

const ALL = ['manifest.json', 'postern.sqlite'];

/** Adds the current size and SHA-256 to the manifest. */
function sign(folder: string, manifest: Record<string, unknown>): void {
  const bytes = readFileSync(join(folder, 'postern.sqlite'));
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  const [file] = manifest.files as object[];
  manifest.files = [{ ...file, bytes: bytes.length, sha256 }];
}

describe('a file that is not a complete backup', () => {
  const folder = path('untouched');
  let before: Record<string, string> = {};
  beforeAll(async () => {
    await inFolder(folder, 'users create --email owner@example.com');
    before = contentOf(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function expectRejected(file: string, reason: string | RegExp, options = ''): Promise<void> {
    const ended = await cli.run(`restore ${file} --force --data-dir ${folder}${options}`);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toMatch(reason);
    expect(contentOf(folder)).toEqual(before);
    expect(readdirSync(folder)).not.toContain('restore.tmp');
  }

  test('is accepted if GNU tar has packed the same files', async () => {
    const target = newFolder();
    const { code } = await lastInFolder(target, `restore ${repack('same', () => ALL)}`);
    expect(code).toBe(0);
  });

  test.each([
    ['good.tar', [0, 0.000001, 0.0005, 0.003, 0.01, 0.5, 0.994, 0.999999]],
    ['fast.tar.age', [0.0005, 0.5, 0.999999]],
  ] as const)('%s is rejected if it is truncated anywhere', async (name, parts) => {
    const bytes = readFileSync(path(name));
    for (const part of parts) {
      writeFileSync(path('truncated'), bytes.subarray(0, Math.floor(part * bytes.length)));
      await expectRejected(path('truncated'), /^postern: the file /, ` --passphrase-file ${passphraseFile}`);
    }
  });

  test.each([
    // In the header, in the manifest, in the first and in the last page of the database.
    ['good.tar', [10, 130, 700, 2100, 100_000, 220_000]],
    ['fast.tar.age', [60, 100_000]],
  ] as const)('%s is rejected if a byte is changed', async (name, positions) => {
    const bytes = readFileSync(path(name));
    for (const at of positions) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      writeFileSync(path('changed'), changed);
      await expectRejected(path('changed'), /^postern: /, ` --passphrase-file ${passphraseFile}`);
    }
  });

  test('is rejected if it is another file', async () => {
    writeFileSync(path('picture'), 'holiday pictures '.repeat(1000));
    await expectRejected(path('picture'), /^postern: the file is damaged: /);
    writeFileSync(path('long'), 'x'.repeat(1_000_000));
    Bun.spawnSync(['tar', '-cf', path('other.tar'), '-C', cli.folder, 'long']);
    await expectRejected(path('other.tar'), 'it does not start with a manifest');
  });

  test.each([
    ['only a manifest', ['manifest.json'], 'postern.sqlite is missing'],
    ['another order', ALL.toReversed(), 'does not start with a manifest'],
    ['another name', ['x', ...ALL], 'does not start with a manifest'],
    ['an additional file', [...ALL, 'x'], 'additional entries'],
  ])('is rejected with %s', async (name, names, reason) => {
    const file = repack(name.replaceAll(' ', '-'), (from) => {
      writeFileSync(join(from, 'x'), '{}');
      return names;
    });
    await expectRejected(file, reason);
  });

  test.each([
    ['format', 'tar', 'unknown format'],
    ['format_version', 2, 'the format version is 2'],
    ['created_at', 'noon', 'the manifest is invalid'],
    ['program', 1, 'the manifest is invalid'],
    ['files', [{}], 'the manifest is invalid'],
    ['files', [], 'does not list the databases'],
    ['files', [{ name: '../x', schema: 1, bytes: 1, sha256: '0'.repeat(64) }], 'does not list the databases'],
    ['files', [{ name: 'postern.sqlite', schema: 1, bytes: 1, sha256: '0'.repeat(64) }], 'wrong size'],
  ])('is rejected if the member %s of the manifest is %j', async (member, value, reason) => {
    const file = repack(`manifest-${++folders}`, (_, manifest) => {
      manifest[member] = value;
      return ALL;
    });
    await expectRejected(file, reason);
  });

  test('is rejected if the schema is newer', async () => {
    const newer = repack('newer', (_, manifest) => {
      manifest.program = '99.0.0';
      manifest.files = [{ ...(manifest.files as object[])[0], schema: 999 }];
      return ALL;
    });
    await expectRejected(
      newer,
      /^postern: postern\.sqlite has schema version 999, .* use Postern 99\.0\.0 or newer/,
    );
    const hidden = repack('hidden', (from, manifest) => {
      const database = new Database(join(from, 'postern.sqlite'));
      database.run("INSERT INTO migrations VALUES (999, 'from the future', 5)");
      database.close();
      sign(from, manifest);
      return ALL;
    });
    await expectRejected(hidden, 'has schema version 999 instead of');
  });

  test('is rejected if a database is damaged or belongs to another program, even with valid checksums', async () => {
    const damaged = repack('damaged', (from, manifest) => {
      const file = join(from, 'postern.sqlite');
      const bytes = readFileSync(file);
      bytes.fill(0x55, 4096, 8192);
      writeFileSync(file, bytes);
      sign(from, manifest);
      return ALL;
    });
    await expectRejected(damaged, /^postern: the file is damaged: postern\.sqlite/);
    const foreign = repack('foreign', (from, manifest) => {
      const file = join(from, 'postern.sqlite');
      rmSync(file);
      const database = new Database(file);
      database.run('CREATE TABLE pictures (id INTEGER)');
      database.close();
      sign(from, manifest);
      return ALL;
    });
    await expectRejected(foreign, /^postern: the file is damaged: /);
  });
});

describe('an interrupted restore', () => {
  test('keeps servers and commands from using the folder until it is repeated', async () => {
    const folder = newFolder();
    await inFolder(folder, `restore ${path('good.tar')}`);
    writeFileSync(join(folder, 'restore-unfinished'), '');
    const explanation = 'a restore of this folder was interrupted; run "postern restore FILE --force" again';
    for (const command of ['users list', 'migrate', `backup ${path('never.tar')}`]) {
      const { code, err } = await inFolder(folder, command);
      expect({ command, code }).toEqual({ command, code: 1 });
      expect(err).toContain(explanation);
    }
    expect((await cli.spawn(`doctor --data-dir ${folder}`)).out).toContain(explanation);
    expect(await inFolder(folder, `restore ${path('good.tar')}`)).toMatchObject({ code: 1 });
    expect(await inFolder(folder, `restore ${path('good.tar')} --force`)).toMatchObject({ code: 0 });
    expect((await lastInFolder(folder, 'users list')).json).toHaveLength(2);
  });
});
