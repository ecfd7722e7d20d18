import { type Instant, toIso } from '../../../lib/time.ts';
import type { Element } from '../../jsx/elements.ts';

/** A date and time to the minute, in UTC. */
export function Moment({ instant }: { readonly instant: Instant }): Element {
  const iso = toIso(instant);
  return (
    <time datetime={iso}>
      {iso.slice(0, 10)} {iso.slice(11, 16)} UTC
    </time>
  );
}

export function Day({ instant }: { readonly instant: Instant }): Element {
  const day = toIso(instant).slice(0, 10);
  return <time datetime={day}>{day}</time>;
}
