import { expect, test } from 'bun:test';
import { useCommandLine } from './commandLine.ts';

const cli = useCommandLine();

test('maintenance mode can be turned on and off, and its status is stored', async () => {
  expect(await cli.json('maintenance status')).toEqual({ maintenance: false });
  expect(await cli.json('maintenance on')).toEqual({ maintenance: true });
  expect(await cli.json('maintenance status')).toEqual({ maintenance: true });
  expect((await cli.run('maintenance status')).out).toBe('maintenance  yes\n');
  expect(await cli.json('maintenance off')).toEqual({ maintenance: false });
  const forced = await cli.run('maintenance off --json', { settings: { POSTERN_MAINTENANCE: 'on' } });
  expect(forced).toMatchObject({ code: 0, out: '{"maintenance":true}\n' });
  expect(forced.err).toContain('POSTERN_MAINTENANCE is on');
});
