import { runCommandLine } from '../../../src/cli/run.ts';
import { RANGES } from '../../../src/model/statistics.ts';
import { api } from '../../support/platform.ts';
import type { TestServer } from '../../support/server.ts';
import { type Known, PORTAL_KEY } from './installation.ts';

const COMMANDS = [
  'users list',
  'keys list',
  'orgs list',
  'properties list',
  'plans list',
  'maintenance status',
  'audit list --limit 1000',
  'export',
] as const;

/** All data that the commands and the Platform API return, by command or path. */
export async function readContent(server: TestServer, known: Known): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {};
  for (const command of COMMANDS) content[command] = await run(server.dataDir, command);
  const portal = api(server, PORTAL_KEY);
  const get = async (path: string) => {
    const { code, data } = await portal.get(path);
    if (code !== 1000) throw new Error(`${path}: ${code}`);
    content[path] = data;
    return data;
  };
  await get(`/asynctask/${known.taskId}`);
  for (const { id } of (await get('/orgs')) as readonly { id: string }[]) {
    for (const property of (await get(`/org/${id}/properties`)) as readonly { id: string }[]) {
      await get(`/org/${id}/property/${property.id}`);
      for (const range of Object.keys(RANGES))
        await get(`/org/${id}/property/${property.id}/stats?range=${range}`);
    }
  }
  return content;
}

async function run(dataDir: string, command: string): Promise<unknown> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const code = await runCommandLine([...command.split(' '), '--json'], {
    environment: { POSTERN_DATA_DIR: dataDir, POSTERN_DNS_CHECK: 'off' },
    out: write,
    err: write,
    stdin: async () => '',
  });
  if (code !== 0) throw new Error(`${command} exited with ${code}: ${lines.join('\n')}`);
  return JSON.parse(lines.join('\n'));
}
