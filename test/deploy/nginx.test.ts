import { startNginx } from './proxies.ts';
import { describeProxy } from './proxySuite.ts';

describeProxy({
  name: 'nginx',
  start: startNginx,
  shortTimeout: { 'proxy_read_timeout 60s': 'proxy_read_timeout 1s' },
  bridgesRestarts: false,
});
