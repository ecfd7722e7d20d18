/** The text of `docs/performance.md` that does not depend on the results. It contains no measured figures. */

export const INTRODUCTION: readonly string[] = [
  'This page reports how fast Postern is and how much memory it needs, as measured by `bun run bench`.',
  'The benchmark generates this page from `test/bench/results.json`, and a test compares both. [Performance: design and experiments](explanation/performance.md) explains the reasons for the results.',
];

export const METHOD: readonly string[] = [
  '`bun run bench` builds the executable and measures each part of this page. `bun run bench --help` lists the parts and options, and `bun run bench --record` replaces the results on this page. Everything that is on by default stays on (metrics, statistics, replay durability `full`), except that rate limits are too high to take effect. Unless a section says otherwise, the server has one request thread.',
  'Client and server share the cores of one machine. wrk uses one thread and 32 keep-alive connections. Windows of two seconds alternate between what is measured and its yardstick, after one window of each to warm up; the tables show the median of all windows. A ratio is the median of the windows’ ratios, and the column `windows` shows the lowest and the highest one, or those of the value if there is no ratio. Compare ratios instead of absolute figures, because another machine has other figures. Processor time includes all threads of the server.',
  'The columns `required` and `reached` compare a result with what the project requires and with its goal. `goal` means that the result reaches the goal, `required` that it reaches the required value, and `MISSED` that it does not.',
];

export const LIMITS: readonly string[] = [
  'Client and server compete for the same cores. The server would reach higher rates if the client ran on another machine.',
  'The network is the loopback interface: no latency, no packet loss, and no network card.',
  'The machine is virtual, and other virtual machines use the same hardware. Absolute figures can differ by a factor of two between runs. Each section reports how busy the machine was right before.',
  'The files are on a local disk. A spinning disk or a network disk, whose fsync takes milliseconds, was not measured.',
  'Puzzles of the lowest level are solved before the measurement. The level does not influence the time of a verification.',
  'The percentiles at full load are measured with a closed loop: a connection sends its next request after the response to the previous one. They describe 32 clients that never pause, not visitors. [Latency at 80% of the maximum rate](#latency-at-80-of-the-maximum-rate) describes visitors.',
  'The TLS client needs about as much processor time for a handshake as the server.',
  'Other processors and operating systems were not measured.',
];
