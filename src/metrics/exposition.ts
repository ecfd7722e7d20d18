import { Counter, Gauge, Histogram, type MetricConfiguration, Registry } from 'prom-client';
import { pacer } from '../lib/pacer.ts';
import type { Family, HistogramSample, Sample } from './family.ts';

/** The metrics in the text format of Prometheus. */
export type Exposition = {
  readonly contentType: string;
  /** Reads every metric. Simultaneous callers share one result. Never rejects; a metric that cannot be read has no samples. */
  readonly render: () => Promise<string>;
};

/** Called with the name of a metric that cannot be read. */
type OnFailure = (metric: string, error: unknown) => void;

/** A line of the text format. */
type Line = {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
};

/** Registers the families with prom-client, which checks the names and writes the text. */
export function createExposition(families: readonly Family[], onFailure: OnFailure): Exposition {
  const registry = new Registry();
  for (const family of families) register(registry, family, onFailure);
  let current: Promise<string> | undefined;

  /** Handles requests between two metrics, so that a scrape does not delay them. */
  async function renderAll(): Promise<string> {
    const texts: string[] = [];
    for (const { name } of families) {
      texts.push(await registry.getSingleMetricAsString(name));
      await pacer.turn();
    }
    return `${texts.join('\n')}\n`;
  }

  return {
    contentType: registry.contentType,
    render() {
      current ??= renderAll().finally(() => {
        current = undefined;
      });
      return current;
    },
  };
}

/**
 * prom-client asks a metric for its lines with `getForPromString`. Replacing this method lets a scrape read the server's own counters,
 * so that requests do not need the library's label lookups (docs/project/experiments.md).
 */
function register(registry: Registry, family: Family, onFailure: OnFailure): void {
  const { name, help, labels } = family;
  const metric = createMetric(family, { name, help, labelNames: [...labels], registers: [registry] });
  Object.assign(metric, {
    async getForPromString() {
      return { name, help, type: family.type, values: await linesOf(family, onFailure) };
    },
  });
}

function createMetric({ type }: Family, configuration: MetricConfiguration<string>): object {
  if (type === 'counter') return new Counter(configuration);
  return type === 'gauge' ? new Gauge(configuration) : new Histogram(configuration);
}

async function linesOf(family: Family, onFailure: OnFailure): Promise<readonly Line[]> {
  try {
    if (family.type === 'histogram')
      return (await family.read()).flatMap((sample) => toLines(family.name, sample));
    return (await family.read()).map(toLine);
  } catch (error) {
    onFailure(family.name, error);
    return [];
  }
}

function toLine({ labels = {}, value }: Sample): Line {
  return { labels, value };
}

/** Buckets are cumulative: each one counts all observations up to its bound (Prometheus, "Exposition formats"). */
function toLines(name: string, { labels = {}, histogram }: HistogramSample): readonly Line[] {
  const { bounds, counts, sum } = histogram;
  let total = 0;
  const buckets = Array.from(counts, (count, at) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
