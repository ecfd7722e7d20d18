import {
  describeConflict,
  describeServer,
  type EngineSettings,
  findConflict,
  postgresEngine,
} from '../../server/storage.ts';
import { type Check, failed, passed, warning } from './check.ts';

const ONE_PRIMARY =
  'Stop the server with the lower timeline, and make it a standby of the other one before you start it again. Claims and changes that it stored in the meantime are missing from the other server.';
const SAME_TIMELINE =
  'The timelines do not show which server is newer. In the database of each server, run: SELECT max(seen_at) FROM nodes; Keep the server with the newest time, because the nodes used it last. Stop the other one, and make it a standby of the first before you start it again. Claims and changes that only the stopped server has stored are lost. If nodes may have used both servers, then run "postern keys rotate-signing --revoke-old", so that no solution is accepted again.';
const NOT_COPIES = 'Remove the server that does not belong to this installation from POSTERN_DATABASE_URL.';
const FIXES = { 'same-timeline': SAME_TIMELINE, 'not-copies': NOT_COPIES } as const;

/** Checks which of several database servers accept writes. @returns an empty list if the URL names only one server, or none */
export async function checkDatabaseServers(settings: EngineSettings): Promise<readonly Check[]> {
  if (settings.database === undefined || settings.database.hosts.length === 1) return [];
  const servers = (await postgresEngine(settings)?.readServers()) ?? [];
  const writable = servers.filter(({ isWritable }) => isWritable);
  const names = writable.map(describeServer).join(', ');
  const name = 'database-servers';
  if (writable.length > 1) {
    const conflict = findConflict(writable);
    const detail =
      conflict === undefined
        ? `several servers accept writes: ${names}`
        : describeConflict(conflict, writable);
    return [failed(name, detail, conflict === undefined ? ONE_PRIMARY : FIXES[conflict])];
  }
  const missing = servers.flatMap(({ name: server, failure }) =>
    failure === undefined ? [] : [`${server} does not respond: ${failure}`],
  );
  const primary = names === '' ? 'no server accepts writes' : `the primary is ${names}`;
  if (missing.length === 0) return [passed(name, primary)];
  return [
    warning(
      name,
      `${primary}; ${missing.join('; ')}`,
      'Start the server, or remove it from POSTERN_DATABASE_URL.',
    ),
  ];
}
