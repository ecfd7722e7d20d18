import { startCaddy } from './proxies.ts';
import { describeProxy } from './proxySuite.ts';

describeProxy({
  name: 'Caddy',
  start: startCaddy,
  shortTimeout: { 'response_header_timeout 60s': 'response_header_timeout 1s' },
  bridgesRestarts: true,
});
