import { createLoadMeter, type LoadMeter } from '../captcha/load.ts';
import type { SharedMemory } from '../lib/sharedMemory.ts';
import { PROPERTY_CAPACITY } from './caches.ts';
import { CLIENT_CAPACITY } from './context.ts';
import type { CountSharing } from './countSharing.ts';

/** Opens the load meter, whose tables all request threads share, and registers the counts that nodes exchange. */
export function openLoadMeter({ allocate }: SharedMemory, share: CountSharing['share']): LoadMeter {
  return createLoadMeter(CLIENT_CAPACITY, PROPERTY_CAPACITY, {
    allocate: allocate('load'),
    clients: share('clientLoad'),
    verified: share('clientVerified'),
    properties: share('propertyLoad'),
    downgraded: share('propertyDowngraded'),
  });
}
