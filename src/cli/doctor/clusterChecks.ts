import { reasonOf } from '../../lib/log.ts';
import { CLOCK_OFFSET_MAX_MS, differsBy } from '../../model/ports/cluster.ts';
import { type EngineSettings, postgresEngine } from '../../server/storageEngine.ts';
import type { PostgresEngine } from '../../storage/postgres/engine.ts';
import type { DatabaseFacts } from '../../storage/postgres/facts.ts';
import type { ListedNode } from '../../storage/postgres/nodes.ts';
import { CONNECTIONS_PER_NODE, PoolerError } from '../../storage/postgres/poolSizes.ts';
import { describeStandbyProblem } from '../../storage/postgres/standbys.ts';
import { type Check, type Finding, failed, passed, warning } from './check.ts';
import { checkEmails } from './databaseChecks.ts';

/** Above this latency, the database is probably in another region, and every verification is noticeably slower. */
const LATENCY_MAX_MS = 10;

const CONNECT =
  'Check POSTERN_DATABASE_URL, the password, and the network. For details, connect to the same URL with `psql`.';
/** A node that has not reported for this time may have ended, in seconds. Nodes report every five seconds. */
const LATE_SECONDS = 20;

const CLOCK = 'Keep the clocks of all machines synchronized, for example with `timedatectl set-ntp true`.';

/** Checks the PostgreSQL database without changing anything. @returns an empty list if no database is configured */
export async function checkCluster(settings: EngineSettings): Promise<readonly Check[]> {
  const engine = postgresEngine(settings);
  if (engine === undefined) return [];
  try {
    const facts = await engine.examine();
    return [
      { name: 'database', ...(await checkSchema(engine, facts)) },
      { name: 'emails', ...checkEmails((await engine.inspect(''))?.keptSpellings) },
      { name: 'latency', ...checkLatency(facts) },
      { name: 'durability', ...checkDurability(facts) },
      { name: 'standbys', ...checkStandbys(facts) },
      { name: 'autovacuum', ...checkVacuum(facts) },
      { name: 'connections', ...checkConnections(facts) },
      { name: 'database-clock', ...checkClock(facts) },
      { name: 'nodes', ...checkNodes(facts) },
    ];
  } catch (error) {
    const { problem, fix } =
      error instanceof PoolerError ? error : { problem: reasonOf(error), fix: CONNECT };
    return [{ name: 'database', ...failed(problem, fix) }];
  }
}

async function checkSchema(engine: PostgresEngine, { serverVersion }: DatabaseFacts): Promise<Finding> {
  const server = `PostgreSQL ${serverVersion}`;
  try {
    await engine.pendingMigrations('');
  } catch (error) {
    return failed(`${server}: ${reasonOf(error)}`, 'Use a newer version of Postern.');
  }
  const inspection = await engine.inspect('');
  if (inspection === undefined) return passed(`${server}, without a schema; the first start creates it`);
  const { version, newestVersion } = inspection;
  const detail = `${server}, schema version ${version}`;
  const isCurrent = version >= newestVersion;
  return passed(isCurrent ? detail : `${detail}; the next start migrates it to ${newestVersion}`);
}

function checkLatency({ latencyMs }: DatabaseFacts): Finding {
  const detail = `${latencyMs.toFixed(1)} ms for a query`;
  return latencyMs <= LATENCY_MAX_MS
    ? passed(detail)
    : warning(detail, 'Run the database in the same data center as the nodes.');
}

function checkDurability({ synchronousCommit, isDurable }: DatabaseFacts): Finding {
  if (!isDurable) {
    return failed(
      'fsync is off: a power failure can lose claims and damage the database',
      "Set fsync = on in the server's configuration.",
    );
  }
  const detail = `synchronous_commit is ${synchronousCommit}`;
  return ['on', 'remote_apply'].includes(synchronousCommit)
    ? passed(detail)
    : warning(
        `${detail}; a crash can lose changes (claims are safe with POSTERN_REPLAY_DURABILITY=full)`,
        "Set synchronous_commit = on in the server's configuration, or for the user or the database.",
      );
}

/** A server without a standby is a valid choice, but commits that wait for a missing standby never finish. */
function checkStandbys({ standbys }: DatabaseFacts): Finding {
  const { synchronousStandbys, connectedStandbys } = standbys;
  if (synchronousStandbys === '')
    return passed('no synchronous standby; a failover can lose claims and changes');
  const problem = describeStandbyProblem(standbys);
  if (problem === undefined) {
    const detail = `commits wait for ${synchronousStandbys}; connected standbys: ${connectedStandbys}`;
    return passed(detail);
  }
  return failed(
    `${problem}, so verifications and all other writes wait`,
    "Start a standby. To continue without one, which risks claims at a failover, run on the primary: ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf();",
  );
}

function checkVacuum({ hasAutovacuum }: DatabaseFacts): Finding {
  return hasAutovacuum
    ? passed('on')
    : failed(
        'off; the table of claims grows without limit',
        "Set autovacuum = on in the server's configuration.",
      );
}

function checkConnections({ maxConnections, usedConnections, nodes }: DatabaseFacts): Finding {
  const connectionsOf = (count: number) => Math.max(1, count) * CONNECTIONS_PER_NODE;
  const detail = `${usedConnections} of ${maxConnections} in use; a node uses up to ${CONNECTIONS_PER_NODE}`;
  const wanted = connectionsOf(nodes.length);
  if (wanted <= maxConnections) return passed(detail);
  // Nodes that may have ended do not make the check fail.
  const report = connectionsOf(nodes.filter(isPunctual).length) > maxConnections ? failed : warning;
  return report(
    `${detail}, and ${nodes.length} nodes have reported in the last minute`,
    `Set max_connections in the server's configuration to at least ${wanted + 20}.`,
  );
}

function isPunctual({ silentSeconds }: ListedNode): boolean {
  return silentSeconds <= LATE_SECONDS;
}

function checkClock({ clock }: DatabaseFacts): Finding {
  const detail = `${clock.offsetMs} ms (± ${clock.uncertaintyMs} ms) compared with the database`;
  return differsBy(clock, CLOCK_OFFSET_MAX_MS) ? failed(detail, CLOCK) : passed(detail);
}

function checkNodes({ nodes }: DatabaseFacts): Finding {
  if (nodes.length === 0) return passed('none running');
  const offsets = nodes.filter(isPunctual).map(({ clockOffsetMs }) => clockOffsetMs);
  const difference = offsets.length === 0 ? 0 : Math.max(...offsets) - Math.min(...offsets);
  const list = nodes.map((node) => describeNode(node, nodes));
  const detail = `${list.join(', ')}; their clocks differ by ${difference} ms`;
  return difference <= CLOCK_OFFSET_MAX_MS ? passed(detail) : failed(detail, CLOCK);
}

/** Adds the start of the id if another node has the same name. */
function describeNode(node: ListedNode, nodes: readonly ListedNode[]): string {
  const { id, name, version, clockOffsetMs, silentSeconds } = node;
  const isUnique = nodes.every((other) => other.name !== name || other.id === id);
  const shown = isUnique ? name : `${name} [${id.slice(0, 8)}]`;
  const late = isPunctual(node) ? '' : `, last report ${silentSeconds} s ago`;
  return `${shown} ${version} (${clockOffsetMs} ms${late})`;
}
