import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sqliteEngine } from '../../../src/server/storageEngine.ts';
import { lockFolder } from '../../../src/storage/sqlite/dataFolder.ts';
import { PROGRAM, useCommandLine, useSampleData } from '../commandLine.ts';

const MIGRATIONS = [...new Bun.Glob('*.sql').scanSync(join(import.meta.dir, '../../../migrations'))];

const cli = useCommandLine();
useSampleData(cli);

const path = (name: string) => join(cli.folder, name);
const temporaryFiles = () => readdirSync(cli.folder).filter((name) => name.startsWith('.postern'));

/** Runs GNU tar or age. @returns its standard output */
function run(...command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command]);
  expect({ command, exitCode, stderr: stderr.toString() }).toEqual({ command, exitCode: 0, stderr: '' });
  return stdout.toString();
}

describe('postern backup', () => {
  test('writes a tar file with mode 0600 that contains the databases and their checksums', async () => {
    const file = path('first.tar');
    const printed = await cli.json(`backup ${file}`);
    expect(printed).toEqual({ file, bytes: statSync(file).size, schema: expect.any(Number) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(run('tar', '-tf', file)).toBe('manifest.json\npostern.sqlite\n');
    const manifest = JSON.parse(run('tar', '-xOf', file, 'manifest.json'));
    const database = Bun.spawnSync(['tar', '-xOf', file, 'postern.sqlite']).stdout;
    const sha256 = new Bun.CryptoHasher('sha256').update(database).digest('hex');
    expect(manifest).toEqual({
      format: 'postern-backup',
      format_version: 1,
      program: '0.1.0',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      files: [{ name: 'postern.sqlite', schema: printed.schema, bytes: database.length, sha256 }],
    });
  });

  test('leaves no temporary files', () => {
    expect(temporaryFiles()).toEqual([]);
    expect(existsSync(join(cli.dataDir, 'backup.tmp'))).toBe(false);
  });

  test('never overwrites a file, a folder, or a link', async () => {
    writeFileSync(path('precious'), 'precious');
    mkdirSync(path('folder'));
    run('ln', '-s', '/nowhere', path('link'));
    for (const name of ['precious', 'folder', 'link']) {
      const err = `postern: ${path(name)} already exists\n`;
      expect(await cli.run(`backup ${path(name)}`)).toEqual({ code: 1, out: '', err });
    }
    expect(readFileSync(path('precious'), 'utf8')).toBe('precious');
  });

  test('rejects incorrect usage', async () => {
    expect(await cli.run('backup')).toMatchObject({ code: 2 });
    expect(await cli.run(`backup ${path('a')} ${path('b')}`)).toMatchObject({ code: 2 });
    expect((await cli.run('backup - --json')).err).toContain('--json cannot be used');
    const missing = await cli.run(`backup ${path('missing/a.tar')}`);
    expect(missing).toMatchObject({
      code: 1,
      err: `postern: the folder ${path('missing')} does not exist\n`,
    });
  });

  test('rejects a data folder without a database, and creates nothing in it', async () => {
    const empty = path('empty');
    mkdirSync(empty);
    const { code, err } = await cli.run(`backup ${path('none.tar')} --data-dir ${empty}`);
    expect({ code, err }).toEqual({ code: 1, err: `postern: ${empty} contains no database\n` });
    expect(readdirSync(empty)).toEqual([]);
    const missing = await cli.run(`backup ${path('none.tar')} --data-dir ${path('nowhere')}`);
    expect(missing.err).toBe(`postern: ${path('nowhere')} contains no database\n`);
    expect(existsSync(path('nowhere'))).toBe(false);
    expect(existsSync(path('none.tar'))).toBe(false);
  });

  test('does not start while another backup of the data folder is running', async () => {
    const lock = lockFolder(cli.dataDir, 'backup');
    const { code, err } = await cli.run(`backup ${path('second.tar')}`);
    lock.release();
    expect(code).toBe(1);
    expect(err).toBe('postern: another backup or a restore of this folder is running\n');
    expect(existsSync(path('second.tar'))).toBe(false);
  });

  test('deletes the temporary files of a killed backup of the same installation, and no other files', async () => {
    const foreign = '.postern-00000000-0123456789abcdef.tmp';
    const own = `.postern-${sqliteEngine.backup.identify(cli.dataDir)}-0123456789abcdef.tmp`;
    for (const name of [foreign, own]) writeFileSync(path(name), 'half a backup');
    mkdirSync(join(cli.dataDir, 'backup.tmp'));
    writeFileSync(join(cli.dataDir, 'backup.tmp', 'postern.sqlite'), 'half a copy');
    await cli.json(`backup ${path('third.tar')}`);
    expect(temporaryFiles()).toEqual([foreign]);
    expect(existsSync(join(cli.dataDir, 'backup.tmp'))).toBe(false);
  });

  test('writes to standard output', async () => {
    const script = `"$@" backup - > ${path('piped.tar')}`;
    const env = { POSTERN_DATA_DIR: cli.dataDir };
    const child = Bun.spawnSync(['bash', '-c', script, 'bash', ...PROGRAM], { env });
    expect(child.stderr.toString()).toBe(
      `postern: wrote a backup of ${statSync(path('piped.tar')).size} bytes, schema version ${MIGRATIONS.length}\n`,
    );
    expect(child.exitCode).toBe(0);
    expect(run('tar', '-tf', path('piped.tar'))).toContain('postern.sqlite');
  });

  test('fails if the reader of standard output stops', async () => {
    const script = '"$@" backup - | head -c 100 > /dev/null; echo $PIPESTATUS';
    const env = { POSTERN_DATA_DIR: cli.dataDir, PATH: process.env.PATH ?? '' };
    const child = Bun.spawnSync(['bash', '-c', script, 'bash', ...PROGRAM], { env });
    // 141: SIGPIPE ended the process.
    expect(child.stdout.toString()).toMatch(/^(1|141)\n$/);
  });

  test('reports a damaged database', async () => {
    const damaged = path('damaged');
    mkdirSync(damaged);
    const { stdout: bytes } = Bun.spawnSync(['tar', '-xOf', path('first.tar'), 'postern.sqlite']);
    writeFileSync(join(damaged, 'postern.sqlite'), bytes.subarray(0, bytes.length / 2));
    const { code, err } = await cli.run(`backup ${path('damaged.tar')} --data-dir ${damaged}`);
    expect(code).toBe(1);
    expect(err).toStartWith(`postern: ${join(damaged, 'postern.sqlite')}: `);
    expect(err).toContain('the file is damaged');
    expect(existsSync(path('damaged.tar'))).toBe(false);
    expect(existsSync(join(damaged, 'backup.tmp'))).toBe(false);
  });
});

describe('an encrypted backup', () => {
  const passphrase = 'correct horse battery staple';
  const passphraseFile = () => {
    const file = path('passphrase');
    writeFileSync(file, `${passphrase}\n`);
    return file;
  };

  test('can be decrypted by the age program', async () => {
    const file = path('encrypted.tar.age');
    await cli.json(`backup ${file} --passphrase-file ${passphraseFile()}`);
    expect(readFileSync(file, 'latin1')).toStartWith('age-encryption.org/v1\n');
    // age reads the passphrase from a terminal only.
    const decrypted = path('decrypted.tar');
    const dialog = `spawn age --decrypt --output ${decrypted} ${file}; expect "passphrase"; send "${passphrase}\\r"; expect eof; exit [lindex [wait] 3]`;
    run('expect', '-c', `log_user 0; set timeout 60; ${dialog}`);
    expect(run('tar', '-tf', decrypted)).toBe('manifest.json\npostern.sqlite\n');
  });

  test('uses the passphrase of the setting', async () => {
    const file = path('setting.tar.age');
    await cli.json(`backup ${file}`, { settings: { POSTERN_BACKUP_PASSPHRASE_FILE: passphraseFile() } });
    expect(readFileSync(file, 'latin1')).toStartWith('age-encryption.org/v1\n');
  });

  test('requires a valid passphrase', async () => {
    writeFileSync(path('short'), 'short\n');
    const { code, err } = await cli.run(`backup ${path('x.age')} --passphrase-file ${path('short')}`);
    const rule = 'a passphrase of 12 to 1024 printable characters that does not start or end with a space';
    expect({ code, err }).toEqual({ code: 1, err: `postern: ${path('short')} must contain ${rule}\n` });
    const missing = await cli.run(`backup ${path('x.age')} --passphrase-file ${path('missing')}`);
    expect(missing.err).toStartWith('postern: the passphrase file cannot be read: ');
    const setting = await cli.run(`backup ${path('x.age')}`, {
      settings: { POSTERN_BACKUP_PASSPHRASE: 'short' },
    });
    expect(setting).toMatchObject({ code: 2, err: `postern: POSTERN_BACKUP_PASSPHRASE must be ${rule}\n` });
    expect(existsSync(path('x.age'))).toBe(false);
  });
});

test('a folder that cannot be written causes a clear error', async () => {
  const folder = path('protected');
  mkdirSync(folder);
  chmodSync(folder, 0o500);
  const file = process.getuid?.() === 0 ? '/proc/backup.tar' : join(folder, 'backup.tar');
  const { code, err } = await cli.run(`backup ${file}`);
  expect(code).toBe(1);
  expect(err).toMatch(/^postern: .*(permission denied|no such file or directory|operation not permitted)/i);
});
