import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { BINARY } from '../e2e/support.ts';
import type { RunningBinary } from '../support/binary.ts';
import { type BrowserClient, createBrowserClient } from '../support/portal.ts';
import { fetchAndSolve, type VerifyAnswer, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import {
  ADMIN,
  type ExampleCluster,
  type Keys,
  startExampleCluster,
  verifyWithRetry,
} from './exampleCluster.ts';

const VISITORS = 4;

type Failure = { readonly startedAt: number; readonly endedAt: number; readonly reason: string };

/** Visitors request puzzles, solve them, and verify the solutions, each one after another. */
function startVisitors(url: string, { sitekey, key }: Keys) {
  const accepted: string[] = [];
  const failures: Failure[] = [];
  let isStopped = false;

  async function visit(): Promise<void> {
    const startedAt = performance.now();
    const fail = (reason: string) => failures.push({ startedAt, endedAt: performance.now(), reason });
    try {
      const payload = await fetchAndSolve(url, sitekey);
      const { status, success, code } = await verify(url, key, payload);
      if (success && code === 0) accepted.push(payload);
      else fail(`${status} ${code}`);
    } catch (error) {
      fail(String(error));
    }
  }

  const visitors = Array.from({ length: VISITORS }, async () => {
    while (!isStopped) await visit();
  });
  return {
    accepted,
    failures,
    more: (count: number) => {
      const { length } = accepted;
      return waitUntil(`${count} more solutions are accepted`, () => accepted.length >= length + count);
    },
    async stop() {
      isStopped = true;
      await Promise.all(visitors);
    },
    /** Ends the visitors of a failed test. */
    async [Symbol.asyncDispose]() {
      isStopped = true;
      await Promise.allSettled(visitors);
    },
  };
}

describe('two nodes behind HAProxy with the files in deploy/cluster', () => {
  let cluster: ExampleCluster;
  let { primary, standby, nodes, keys, proxy, settings } = {} as ExampleCluster;

  beforeAll(async () => {
    cluster = await startExampleCluster({ POSTERN_LOG: 'debug' });
    ({ primary, standby, nodes, keys, proxy, settings } = cluster);
  });
  afterAll(() => cluster?.stop());

  const hasServed = ({ output }: RunningBinary, path: string) => output().includes(`"path":"${path}"`);

  async function signIn(): Promise<BrowserClient> {
    const browser = createBrowserClient({ url: cluster.url });
    await browser.fill('/portal/login', ADMIN);
    return browser;
  }
  async function openPages(browser: BrowserClient): Promise<readonly number[]> {
    const statuses: number[] = [];
    for (let page = 0; page < 6; page++)
      statuses.push((await browser.get('/portal/settings/profile')).status);
    return statuses;
  }
  async function presentAgain(payloads: readonly string[], { url }: RunningBinary, key: string) {
    const answers: VerifyAnswer[] = [];
    for (const payload of payloads) answers.push(await verify(url, key, payload));
    return answers.filter(({ status, success }) => status !== 200 || success);
  }

  test('lose no accepted solutions or sessions if one is killed, which receives requests again after its restart', async () => {
    const browser = await signIn();
    await waitUntil('both nodes are up', async () => {
      await browser.get('/portal/settings/profile');
      return nodes.every((node) => hasServed(node, '/portal/settings/profile'));
    });
    await using visitors = startVisitors(cluster.url, keys);
    await visitors.more(100);
    expect(visitors.failures).toEqual([]);

    const [first, second] = nodes;
    const logged = proxy.output().length;
    const killedAt = performance.now();
    await first.kill();
    const isDetected = () => proxy.output().includes('Server postern/node1 is DOWN', logged);
    await waitUntil('HAProxy has detected it', isDetected);
    const detectedAt = performance.now();
    expect(await openPages(browser)).toEqual(Array(6).fill(200));
    await visitors.more(100);

    const again = await cluster.startNode(Number(new URL(first.url).port));
    nodes = [again, second];
    await waitUntil('the node gets requests', () => hasServed(again, '/verify'));
    await visitors.more(100);
    expect(await openPages(browser)).toEqual(Array(6).fill(200));
    await visitors.stop();

    // HAProxy repeats the requests that the killed node did not answer. If the node had stored a claim, code 8 is the result.
    for (const { startedAt, endedAt, reason } of visitors.failures) {
      expect({ reason, isDuringDetection: startedAt <= detectedAt && endedAt >= killedAt }).toEqual({
        reason,
        isDuringDetection: true,
      });
    }
    expect(new Set(visitors.accepted).size).toBe(visitors.accepted.length);
    for (const node of [again, second])
      expect(await presentAgain(visitors.accepted, node, keys.key)).toEqual([]);
  });

  // All requests to a frozen node used to wait for a minute.
  test('lose no repeatable request if one of them is frozen', async () => {
    const { url } = cluster;
    const [frozen] = nodes;
    const browser = await signIn();
    const results: string[] = [];
    let isStopped = false;
    const visit = async () => {
      const payload = await fetchAndSolve(url, keys.sitekey);
      results.push(await verifyWithRetry(url, keys, payload));
      results.push(String((await browser.get('/portal/settings/profile')).status));
    };
    const visitors = Array.from({ length: VISITORS }, async () => {
      while (!isStopped) await visit();
    });
    const more = async (count: number) => {
      const { length } = results;
      await waitUntil('visitors get responses', () => results.length >= length + count);
    };
    await more(50);
    const logged = proxy.output().length;
    process.kill(frozen.pid, 'SIGSTOP');
    for (const backend of ['postern', 'postern_verify']) {
      const text = `Server ${backend}/node1 is DOWN`;
      await waitUntil(text, () => proxy.output().includes(text, logged));
    }
    await more(50);
    isStopped = true;
    // The node is still frozen.
    await Promise.all(visitors);
    process.kill(frozen.pid, 'SIGCONT');
    expect([...new Set(results)].sort()).toEqual(['200', 'accepted']);
    await waitUntil('HAProxy uses the node again', () =>
      proxy.output().includes('Server postern/node1 is UP', logged),
    );
  });

  test('issue puzzles while no database accepts writes, and verify solutions when the standby is promoted', async () => {
    const { url } = cluster;
    const accepted = await fetchAndSolve(url, keys.sitekey);
    expect(await verify(url, keys.key, accepted)).toMatchObject({ success: true, code: 0 });
    const solved: string[] = [];
    for (let visit = 0; visit < 4; visit++) solved.push(await fetchAndSolve(url, keys.sitekey));

    const logged = proxy.output().length;
    await primary.kill();
    const hasNoReadyNode = () => proxy.output().includes('backend postern has no server available', logged);
    await waitUntil('no node is ready', hasNoReadyNode);
    for (let visit = 0; visit < 4; visit++) solved.push(await fetchAndSolve(url, keys.sitekey));
    for (const payload of solved)
      expect(await verify(url, keys.key, payload)).toMatchObject({ status: 503, success: false });

    await standby.promote();
    for (const node of nodes)
      await waitUntil('the node is ready', async () => (await fetch(`${node.url}/readyz`)).ok);
    for (const payload of solved)
      expect(await verify(url, keys.key, payload)).toMatchObject({ status: 200, success: true });
    for (const payload of [accepted, ...solved])
      for (const node of nodes) expect(await presentAgain([payload], node, keys.key)).toEqual([]);
  });

  // Both servers used to accept the same solutions, and nothing reported it.
  test('notice that the old primary accepts writes again, and do not use it', async () => {
    await primary.start();
    for (const { output, url } of nodes) {
      await waitUntil('the node has noticed it', () => output().includes('"event":"two-primaries"'));
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('\npostern_database_primaries 2\n');
    }
    const doctor = Bun.spawnSync([BINARY, 'doctor'], { env: { ...settings, POSTERN_PORT: '0' } });
    expect(doctor.exitCode).toBe(1);
    const names = `127.0.0.1:${primary.port} (timeline 1), 127.0.0.1:${standby.port} (timeline 2)`;
    expect(doctor.stdout.toString()).toContain(names);
    for (const { url } of nodes) {
      const payload = await fetchAndSolve(url, keys.sitekey);
      expect(await verify(url, keys.key, payload)).toMatchObject({ success: true, code: 0 });
      for (const node of nodes) expect(await presentAgain([payload], node, keys.key)).toEqual([]);
    }
    await primary.stop();
    for (const { output } of nodes) {
      await waitUntil('the node has noticed the end', () => output().includes('"event":"one-primary"'));
    }
  });
});
