import { describe, expect } from 'bun:test';
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, postern, testInFolder } from './support.ts';

/** A user that owns no files. */
const USER = 12_345;

describe('postern doctor, run by a user who is not root,', () => {
  /** Runs the executable as another user. */
  async function examine(folder: string, dataDir: string) {
    const binary = join(folder, 'postern');
    cpSync(BINARY, binary);
    chmodSync(folder, 0o755);
    const switchUser = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
    const child = Bun.spawn([...switchUser, binary, 'doctor', '--json', '--data-dir', dataDir], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', POSTERN_DNS_CHECK: 'off' },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const report = JSON.parse(await new Response(child.stdout).text());
    const checks: { name: string; ok: boolean; detail: string; fix: string }[] = report.checks;
    return { code: await child.exited, check: (name: string) => checks.find((check) => check.name === name) };
  }

  testInFolder('passes if the user owns the data folder', async (folder) => {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    await postern(dataDir, 'users', 'list');
    for (const name of ['', ...readdirSync(dataDir)]) chownSync(join(dataDir, name), USER, USER);
    const { code, check } = await examine(folder, dataDir);
    expect({ code, ...check('owner') }).toMatchObject({ code: 0, ok: true, detail: `user ${USER}` });
  });

  testInFolder('fails if the user cannot write the data folder, and shows the fix', async (folder) => {
    const dataDir = join(folder, 'data');
    await postern(dataDir, 'users', 'list');
    const { code, check } = await examine(folder, dataDir);
    expect({ code, ...check('data-folder') }).toMatchObject({ code: 1, ok: false });
    expect(check('data-folder')?.fix).toContain(`chown -R ${USER} ${dataDir}`);
    expect(check('owner')).toMatchObject({ ok: false });
    expect(check('owner')?.detail).toContain(`but this process runs as user ${USER}`);
  });

  testInFolder('fails if the user can write the folder of another user', async (folder) => {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o777);
    const { code, check } = await examine(folder, dataDir);
    expect({ code, ok: check('data-folder')?.ok }).toEqual({ code: 1, ok: true });
    expect(check('owner')).toMatchObject({ ok: false });
    expect(check('owner')?.fix).toContain('as user 0');
  });
});
