const extra = (process.argv[2] ?? '').split(' ').filter(Boolean);
const n = Number(process.argv[3] ?? 20);
const SW = ['--no-sandbox','--disable-quic','--disable-background-networking','--disable-component-update','--disable-sync', ...extra];
import { startServer } from './support/server.ts';
const s = await startServer({ settings: { POSTERN_DEMO: 'on' } });
const t0 = performance.now();
for (let i = 0; i < n; i++) {
  const view = new Bun.WebView({ width: 800, height: 600, backend: { type: 'chrome', url: false, argv: SW } });
  await view.navigate('about:blank');
  await view.cdp('Network.enable'); await view.cdp('Runtime.enable');
  if (process.argv[4] !== 'blank') await view.navigate(s.url.replace('127.0.0.1','localhost') + '/demo');
  view.close();
}
console.log(extra.join(' '), 'ms per tab', (performance.now() - t0) / n);
await s.stop();
process.exit(0);
