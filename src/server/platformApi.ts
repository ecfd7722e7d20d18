import { apiKeyRoutes } from '../http/api/apiKeys.ts';
import { createOperations } from '../http/api/operation.ts';
import { organizationRoutes } from '../http/api/organizations.ts';
import { propertyRoutes } from '../http/api/properties.ts';
import { ruleRoutes } from '../http/api/rules.ts';
import { statisticsRoutes } from '../http/api/statistics.ts';
import { createTickLimiter } from '../lib/tickLimiter.ts';
import { createOwnKeyGuard, createPortalKeyGuard } from './apiKeyGuard.ts';
import type { AppContext } from './appContext.ts';
import { createServerRules } from './rules.ts';

/** The routes of the Platform API. */
export function createPlatformApiRoutes(context: AppContext) {
  const { services, usageRecording } = context;
  const common = {
    ...context,
    isInMaintenance: services.maintenance.isOn,
    waitForTick: createTickLimiter(1),
  };
  const operation = createOperations({ ...common, ...createPortalKeyGuard(context) });
  const ownKeyOperation = createOperations({ ...common, ...createOwnKeyGuard(context) });
  return [
    apiKeyRoutes({ ...services, operation: ownKeyOperation }),
    organizationRoutes({ ...services, operation }),
    propertyRoutes({ ...services, operation }),
    ruleRoutes({ ...services, rules: createServerRules(context), operation }),
    statisticsRoutes({ ...services, ...usageRecording, operation }),
  ];
}
