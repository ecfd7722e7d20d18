import { createOperations } from '../http/api/operation.ts';
import { organizationRoutes } from '../http/api/organizations.ts';
import { propertyRoutes } from '../http/api/properties.ts';
import { statisticsRoutes } from '../http/api/statistics.ts';
import { createTickLimiter } from '../lib/tickLimiter.ts';
import { createApiKeyGuard } from './apiKeyGuard.ts';
import type { AppContext } from './appContext.ts';

/** The routes of the Platform API. */
export function createPlatformApiRoutes(context: AppContext) {
  const { services, usageRecording } = context;
  const operation = createOperations({
    ...context,
    ...createApiKeyGuard(context, 'portal'),
    isInMaintenance: services.maintenance.isOn,
    waitForTick: createTickLimiter(1),
  });
  return [
    organizationRoutes({ ...services, operation }),
    propertyRoutes({ ...services, operation }),
    statisticsRoutes({ ...services, ...usageRecording, operation }),
  ];
}
