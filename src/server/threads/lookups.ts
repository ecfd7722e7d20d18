import { type Awaitable, attempt } from '../../lib/awaitable.ts';
import { reasonOf } from '../../lib/log.ts';
import type { Principal } from '../../model/apiKey.ts';
import type { PropertyAndRevisions } from '../../model/ports/property.ts';
import type { StoredRules } from '../../model/ports/rules.ts';
import type { Sitekey } from '../../model/property.ts';
import type { RuleScope } from '../../model/rules/rule.ts';
import { RemoteError } from '../../threads/protocol.ts';
import type { HotSources } from '../caches.ts';
import type { Found, FoundRecords, LookUp } from './threadMethods.ts';

/** A lookup that has no result yet. */
type Waiting<Value> = ReturnType<typeof Promise.withResolvers<Value>>;

type Batch = {
  readonly sitekeys: Map<Sitekey, Waiting<PropertyAndRevisions | undefined>>;
  readonly keyHashes: Map<string, Waiting<Principal | undefined>>;
  readonly rules: Map<RuleScope, Waiting<StoredRules | undefined>>;
};

const newBatch = (): Batch => ({ sitekeys: new Map(), keyHashes: new Map(), rules: new Map() });

/**
 * Creates the sources of the caches of a request thread. All lookups of one iteration of the event loop are sent together, and equal
 * lookups only once. A lookup never shares the result of one that was already sent, which might not include a later change.
 */
export function createRemoteSources(lookUp: (keys: LookUp) => Promise<FoundRecords>): HotSources {
  let batch: Batch | undefined;

  function currentBatch(): Batch {
    if (batch === undefined) {
      batch = newBatch();
      setImmediate(send);
    }
    return batch;
  }

  function send(): void {
    const sent = batch ?? newBatch();
    batch = undefined;
    const keys = {
      sitekeys: [...sent.sitekeys.keys()],
      keyHashes: [...sent.keyHashes.keys()],
      rules: [...sent.rules.keys()],
    };
    lookUp(keys).then(
      (found) => settleAll(sent, found),
      (error) => settleAll(sent, failAll(keys, reasonOf(error))),
    );
  }

  return {
    property: (sitekey) => waitIn(currentBatch().sitekeys, sitekey),
    principal: (keyHash) => waitIn(currentBatch().keyHashes, keyHash),
    rules: (scope) => waitIn(currentBatch().rules, scope),
  };
}

/** Answers lookups of request threads. @param onFailure called for each lookup that fails */
export function createAnswerLookUp(
  sources: HotSources,
  onFailure: (error: unknown) => void,
): (keys: LookUp) => Promise<FoundRecords> {
  function find<Value>(load: () => Awaitable<Value>): Awaitable<Found<Value>> {
    return attempt<Value, Found<Value>>(
      load,
      (value) => ({ value }),
      (error) => {
        onFailure(error);
        return { reason: reasonOf(error) };
      },
    );
  }

  return async ({ sitekeys, keyHashes, rules }) => ({
    properties: await Promise.all(sitekeys.map((sitekey) => find(() => sources.property(sitekey)))),
    principals: await Promise.all(keyHashes.map((keyHash) => find(() => sources.principal(keyHash)))),
    rules: await Promise.all(rules.map((scope) => find(() => sources.rules(scope)))),
  });
}

function waitIn<Key, Value>(lookups: Map<Key, Waiting<Value>>, key: Key): Promise<Value> {
  const waiting = lookups.get(key) ?? Promise.withResolvers<Value>();
  lookups.set(key, waiting);
  return waiting.promise;
}

function settleAll({ sitekeys, keyHashes, rules }: Batch, found: FoundRecords): void {
  [...sitekeys.values()].forEach((waiting, at) => void settle(waiting, found.properties[at]));
  [...keyHashes.values()].forEach((waiting, at) => void settle(waiting, found.principals[at]));
  [...rules.values()].forEach((waiting, at) => void settle(waiting, found.rules[at]));
}

function settle<Value>(
  { resolve, reject }: Waiting<Value>,
  found: Found<Value> = { reason: 'the management thread did not answer' },
): void {
  if ('value' in found) resolve(found.value);
  else reject(new RemoteError(found.reason));
}

function failAll({ sitekeys, keyHashes, rules }: LookUp, reason: string): FoundRecords {
  const failed = { reason };
  return {
    properties: sitekeys.map(() => failed),
    principals: keyHashes.map(() => failed),
    rules: rules.map(() => failed),
  };
}
