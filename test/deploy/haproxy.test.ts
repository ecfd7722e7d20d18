import { startHaproxy } from './proxies.ts';
import { describeProxy } from './proxySuite.ts';

describeProxy({
  name: 'HAProxy',
  start: startHaproxy,
  shortTimeout: { 'timeout server 60s': 'timeout server 1s' },
  bridgesRestarts: true,
});
