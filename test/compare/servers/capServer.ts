import { SQL } from 'bun';
import type { CapChallenge } from '../../support/capSolver.ts';
import { serve } from './serve.ts';

/**
 * `@cap.js/server` behind a bare server.
 *
 * Usage: `capServer.ts MODULE [DATABASE_URL]`. With DATABASE_URL, challenges and tokens are stored in PostgreSQL, otherwise as the library
 * does by default.
 */

type Redemption = { readonly success: boolean; readonly token?: string };

type Cap = {
  createChallenge(options?: { readonly challengeDifficulty: number }): Promise<CapChallenge>;
  redeemChallenge(solution: unknown): Promise<Redemption>;
  validateToken(token: string): Promise<{ readonly success: boolean }>;
};

const [module = '', database] = process.argv.slice(2);
const { default: CapLibrary } = (await import(module)) as { default: new (options?: object) => Cap };

/** The functions that the guide asks for: each one is a single statement. */
async function openStorage(url: string) {
  const sql = new SQL(url);
  await sql`CREATE TABLE IF NOT EXISTS challenges (token text PRIMARY KEY, data jsonb NOT NULL, expires bigint NOT NULL)`;
  await sql`CREATE TABLE IF NOT EXISTS tokens (key text PRIMARY KEY, expires bigint NOT NULL)`;
  return {
    challenges: {
      async store(token: string, { challenge, expires }: { challenge: object; expires: number }) {
        await sql`INSERT INTO challenges VALUES (${token}, ${challenge}, ${expires})`;
      },
      async read(token: string) {
        const [row] =
          await sql`SELECT data, expires FROM challenges WHERE token = ${token} AND expires > ${Date.now()}`;
        return row ? { challenge: row.data, expires: Number(row.expires) } : null;
      },
      async delete(token: string) {
        await sql`DELETE FROM challenges WHERE token = ${token}`;
      },
      async deleteExpired() {
        await sql`DELETE FROM challenges WHERE expires <= ${Date.now()}`;
      },
    },
    tokens: {
      async store(key: string, expires: number) {
        await sql`INSERT INTO tokens VALUES (${key}, ${expires})`;
      },
      async get(key: string) {
        const [row] = await sql`SELECT expires FROM tokens WHERE key = ${key} AND expires > ${Date.now()}`;
        return row ? Number(row.expires) : null;
      },
      async delete(key: string) {
        await sql`DELETE FROM tokens WHERE key = ${key}`;
      },
      async deleteExpired() {
        await sql`DELETE FROM tokens WHERE expires <= ${Date.now()}`;
      },
    },
  };
}

const cap =
  database === undefined ? new CapLibrary() : new CapLibrary({ storage: await openStorage(database) });

serve({
  '/challenge': () => cap.createChallenge(),
  '/easyChallenges': async (request) => {
    const count = Number(await request.text());
    return Promise.all(Array.from({ length: count }, () => cap.createChallenge({ challengeDifficulty: 1 })));
  },
  '/redeem': async (request) => cap.redeemChallenge(await request.json()),
  '/verify': async (request) => {
    const { success, token } = await cap.redeemChallenge(await request.json());
    if (!success || token === undefined) return undefined;
    const validated = await cap.validateToken(token);
    return validated.success ? validated : undefined;
  },
});
