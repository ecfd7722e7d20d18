import type { Account } from '../../../src/model/account.ts';
import { beginSession } from '../../support/portal.ts';
import type { TestServer } from '../../support/server.ts';

type Example = (server: TestServer, owner: Account) => Promise<string>;

/**
 * What stands for `:name` in the paths of the route table: something that belongs to the owner alone. A route whose path
 * names something new needs a row here, or routes.test.ts fails.
 */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  async session(server, owner) {
    const { session } = await beginSession(server, owner);
    return server.app.office.ids.seal('session', session.id);
  },
};

/** A route's path with examples for all that it names. */
export async function examplePath(path: string, server: TestServer, owner: Account): Promise<string> {
  let filled = path;
  for (const [whole, name = ''] of path.matchAll(/:(\w+)/g)) {
    const example = EXAMPLES[name];
    if (example === undefined) throw new Error(`no example for ${whole} in test/http/portal/examples.ts`);
    filled = filled.replace(whole, await example(server, owner));
  }
  return filled;
}
