/** The text of `docs/project/performance.md` that does not depend on the results. It contains no measured figures. */

export const INTRODUCTION: readonly string[] = [
  'This page reports how fast Postern is and how much memory it needs, as measured by `bun run bench`.',
  'The benchmark generates this page from `test/bench/results.json`, and a test checks that the two agree. [Experiments](experiments.md) explains the results.',
];

export const METHOD: readonly string[] = [
  '`bun run bench` builds the executable and measures each part of this page. `bun run bench --help` lists the parts and options, and `bun run bench --record` replaces the results on this page. Everything that is on by default stays on (metrics, statistics, replay durability `full`), except that the rate limits are too high to take effect. Unless a section says otherwise, the server uses the default of `POSTERN_THREADS`: the number of cores, at most 4, but 1 on two cores.',
  'Client and server share the cores of one machine. wrk uses one thread and 32 keep-alive connections. Windows of two seconds alternate between Postern and the baseline with which it is compared, after one window of each to warm up; the tables show the median of all windows. The ratio is the median of the ratios of all pairs of windows. The column `windows` shows the lowest and the highest ratio or, if there is no baseline or the required value is not a ratio, the lowest and the highest value. Compare ratios instead of absolute figures, which depend on the machine. Processor time includes all threads of the server.',
  'The column `required` shows the value that the project requires, and its goal if there is one. The column `reached` shows whether a result reaches the goal (`goal`), only the required value (`required`), or neither (`MISSED`).',
];

export const LIMITS: readonly string[] = [
  'Client and server compete for the same cores. The server would reach higher rates with the client on another machine.',
  'The network is the loopback interface: no latency, no packet loss, and no network card.',
  'The machine is virtual, and other virtual machines use the same hardware. Absolute figures can differ by a factor of two between runs. Each section reports how busy the machine was immediately before the measurement.',
  'The files are on a local disk. A spinning disk or a network disk, whose fsync takes milliseconds, was not measured.',
  'Puzzles of the lowest level are solved before the measurement. The level does not influence the time of a verification.',
  'The percentiles at full load are measured with a closed loop: a connection sends its next request after the response to the previous one. They describe 32 clients that never pause, not visitors. [Latency below the maximum rate](#latency-below-the-maximum-rate) describes visitors.',
  'The TLS client needs about as much processor time for a handshake as the server.',
  'Other processors and operating systems were not measured.',
];
