import { expect, test } from 'bun:test';
import {
  DIMENSION_NAMES,
  DIMENSIONS,
  PUZZLE_REJECTIONS,
  parseTrafficRange,
} from '../../src/model/traffic.ts';

test('the names of the statistics of requests are those of the API', () => {
  expect(DIMENSIONS).toEqual({
    networks: 'network',
    hosts: 'host',
    browsers: 'browser',
    countries: 'country',
  });
  expect(DIMENSION_NAMES).toEqual(['networks', 'hosts', 'browsers', 'countries']);
  expect(PUZZLE_REJECTIONS).toEqual([
    'rate-limited',
    'origin-missing',
    'origin-not-allowed',
    'origin-without-domain',
    'property-disabled',
    'rule-blocked',
    'unavailable',
  ]);
});

test('only the names of ranges are ranges', () => {
  expect(['hour', 'day', 'week', '', 'Hour', 'toString'].map(parseTrafficRange)).toEqual([
    'hour',
    'day',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
