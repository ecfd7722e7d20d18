import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScheduledBackup, type ScheduledBackupOptions } from '../../src/backup/scheduledBackup.ts';
import { createLog } from '../../src/lib/log.ts';
import { DAY, type Instant, later } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import { sqliteEngine } from '../../src/server/storageEngine.ts';
import { openTestServices } from '../support/services.ts';

const root = mkdtempSync(join(tmpdir(), 'postern-scheduled-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const start = Date.UTC(2026, 0, 31, 3, 30) as Instant;

/** A new installation with an empty folder for backups. */
async function open(options: Partial<ScheduledBackupOptions> = {}) {
  const base = mkdtempSync(join(root, 'installation-'));
  const [dataDir, folder] = [join(base, 'data'), join(base, 'backups')];
  mkdirSync(folder);
  await (await openTestServices(dataDir)).close();
  const logged: Record<string, unknown>[] = [];
  const state = { now: start };
  const clock = () => state.now;
  const write = (line: string) => logged.push(JSON.parse(line));
  const log = createLog({ limits: LOG_LIMITS, level: 'info', format: 'json', clock, write });
  const engine = sqliteEngine.backup;
  const backup = createScheduledBackup({
    ...{ engine, dataDir, folder, keep: 2, passphrase: undefined, log, clock },
    ...options,
  });
  const installation = engine.identify(dataDir);
  return {
    backup,
    folder,
    dataDir,
    logged,
    state,
    installation,
    files: () => readdirSync(folder).toSorted(),
  };
}

describe('scheduled backups', () => {
  test('are named after the installation and the time, and only the newest ones are kept', async () => {
    const { backup, files, installation, state, logged, folder } = await open();
    for (let day = 0; day < 3; day++) {
      await backup.run();
      state.now = later(state.now, DAY);
    }
    const name = (date: string) => `postern-${installation}-${date}T033000Z.tar`;
    expect(files()).toEqual([name('20260201'), name('20260202')]);
    const done = { level: 'info', event: 'backup-done', bytes: expect.any(Number) };
    expect(logged).toMatchObject([
      { ...done, file: join(folder, name('20260131')), deleted: 0 },
      { ...done, deleted: 0 },
      { ...done, deleted: 1 },
    ]);
  });

  test('delete neither other files nor backups of other installations', async () => {
    const { backup, files, folder, installation } = await open({ keep: 1 });
    const old = `postern-${installation}-20200101T000000Z.tar.age`;
    const others = [
      'postern-00000000-20200101T000000Z.tar',
      `postern-${installation}-20200101T000000Z.tar.gz`,
      `postern-${installation}-20200101.tar`,
      `copy of postern-${installation}-20200101T000000Z.tar`,
      'before-upgrade.tar',
    ];
    for (const name of [old, ...others]) writeFileSync(join(folder, name), 'x');
    await backup.run();
    const created = `postern-${installation}-20260131T033000Z.tar`;
    expect(files()).toEqual([...others, created].toSorted());
  });

  test('that fail are logged and delete nothing', async () => {
    const { backup, files, folder, installation, logged } = await open({ keep: 1 });
    const name = (time: string) => `postern-${installation}-${time}Z.tar`;
    for (const time of ['20200101T000000', '20260131T033000']) writeFileSync(join(folder, name(time)), 'x');
    expect(await backup.run()).toBe(false);
    const reason = `${join(folder, name('20260131T033000'))} already exists`;
    expect(logged).toMatchObject([{ level: 'error', event: 'backup-failed', reason }]);
    expect(files()).toHaveLength(2);
  });

  test('report a missing folder, and do not create it', async () => {
    const folder = join(root, 'missing');
    const { backup, logged } = await open({ folder });
    await backup.run();
    expect(logged).toMatchObject([{ event: 'backup-failed', reason: `the folder ${folder} does not exist` }]);
    expect(readdirSync(root)).not.toContain('missing');
  });

  test('are encrypted if a passphrase is set', async () => {
    const { backup, files, folder } = await open({ passphrase: 'correct horse battery staple' });
    expect(await backup.run()).toBe(true);
    const [name = ''] = files();
    expect(name).toEndWith('.tar.age');
    expect(await Bun.file(join(folder, name)).text()).toStartWith('age-encryption.org/v1\n');
  });

  test('end with the server', async () => {
    const { backup, files, logged } = await open();
    const running = backup.run();
    backup.stop();
    await running;
    expect(logged).toMatchObject([{ event: 'backup-failed' }]);
    expect(files()).toEqual([]);
  });
});
