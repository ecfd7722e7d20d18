import { type Axis, type Chart, drawChart, type Line, THEMES } from './plot.ts';
import { GROWTHS, type Report } from './report.ts';
import type { Results } from './results.ts';

const COST: Axis = {
  label: 'Cost, relative to the level',
  isLogarithmic: true,
  ticks: [1, 3, 10, 30, 100, 300].map((value) => [value, `${value}×`] as const),
};
const MINUTES: Axis = {
  label: 'Minutes since the start of the attack',
  ticks: [0, 10, 20, 30, 40, 50, 60].map((value) => [value, String(value)] as const),
};
const PUZZLES: Axis = {
  label: 'Puzzles per address',
  isLogarithmic: true,
  ticks: [10, 30, 100, 300, 1000].map((value) => [value, value.toLocaleString('en-US')] as const),
};

/** The course of a group; x is the middle of each part of the measured time. */
function lineOf(
  results: Results,
  scenario: string,
  group: string,
  length: number,
  label: string,
  color: number,
): Line {
  const course = results[scenario]?.find((summary) => summary.group === group)?.course ?? [];
  const points = course.flatMap((factor, part) =>
    factor === null ? [] : [[((part + 0.5) / course.length) * length, factor] as const],
  );
  return { label, points, color };
}

function charts(report: Report): Readonly<Record<string, Chart>> {
  const { medium, before } = report;
  return {
    'difficulty-one-client': {
      title: 'One attacker, 60 puzzles per minute, growth medium',
      x: MINUTES,
      y: COST,
      lines: [
        lineOf(medium, 'hammer', 'attacker', 60, 'verifies all', 0),
        lineOf(medium, 'hammer-unverified', 'attacker', 60, 'verifies none', 1),
        lineOf(medium, 'rotation', 'attacker', 60, 'rotates in an IPv6 /48', 3),
        lineOf(medium, 'hammer', 'people', 60, 'people elsewhere', 2),
      ],
    },
    'difficulty-neighbors': {
      title: 'People behind one carrier address, growth medium',
      x: { ...MINUTES, label: 'Minutes' },
      y: COST,
      lines: [
        lineOf(before, 'carrier-abuser', 'neighbors', 60, 'with an abuser, before', 4),
        lineOf(medium, 'carrier-abuser', 'neighbors', 60, 'with an abuser', 1),
        lineOf(medium, 'everything', 'neighbors', 60, 'during a botnet attack', 3),
        lineOf(medium, 'carrier', 'neighbors', 60, 'no attack', 2),
      ],
    },
    'difficulty-botnet': {
      title: 'Botnet of 1,000 addresses, one puzzle per minute each',
      x: PUZZLES,
      y: COST,
      lines: [
        ...GROWTHS.toReversed().map((growth, index) =>
          lineOf(report[growth], 'botnet', 'attacker', 1020, growth, [3, 0, 1][index] ?? 0),
        ),
        lineOf(before, 'botnet', 'attacker', 1020, 'medium, before', 4),
        lineOf(medium, 'botnet', 'people', 1020, 'people, medium', 2),
      ],
    },
  };
}

/** The plots by file. */
export function plotsOf(report: Report): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(charts(report)).flatMap(([name, chart]) =>
      Object.entries(THEMES).map(
        ([theme, colors]) => [`docs/images/${name}-${theme}.svg`, drawChart(chart, colors)] as const,
      ),
    ),
  );
}
