import type { Rules } from '../platform/rules/rules.ts';
import type { AppContext } from './appContext.ts';

/** The use cases for rules in a running server, whose tests take the current load into account. */
export function createServerRules({ services, usageRecording }: AppContext): Rules {
  const { rules } = services;
  return {
    ...rules,
    test: (actor, scope, request) => rules.test(actor, scope, request, usageRecording.difficultyNow),
  };
}
