import { BenchError } from '../bench/harness/cleanup.ts';
import type { Contender } from './contenders.ts';
import type { Server } from './process.ts';

async function verify({ url, secret }: Server, body: string): Promise<boolean> {
  const response = await fetch(`${url}/verify`, { method: 'POST', body, headers: { 'X-API-Key': secret } });
  if (!response.ok) return false;
  const { success } = (await response.json()) as { readonly success?: unknown };
  return success === true;
}

/**
 * Uses a solution, kills the server with SIGKILL, starts it again with the same data, and uses the solution again.
 *
 * @returns whether the solution was accepted the second time @throws BenchError if it was not accepted the first time
 */
export async function acceptsAfterKill(contender: Contender): Promise<boolean> {
  const server = await contender.start();
  const payloads = await contender.payloads(server);
  await payloads.ensure(1);
  const payload = await Bun.file(payloads.path).slice(0, payloads.length).text();
  if (!(await verify(server, payload))) throw new BenchError(`${contender.id} rejects a valid solution`);
  const restarted = await contender.restart(server);
  const isAccepted = await verify(restarted, payload);
  await restarted.kill();
  return isAccepted;
}
