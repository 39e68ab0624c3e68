import type { Span } from '@reenact/otlp';
import { makeSpan, textAttributes } from '../testbed.ts';

/** Attributes of a crossing with its payload. */
export const FULL = textAttributes({ 'reenact.schema': '1', 'reenact.input': '{}', 'reenact.outcome': 'returned' });
const SLIM = textAttributes({ 'reenact.schema': '1', 'reenact.outcome': 'returned' });
const PENDING = textAttributes({ 'reenact.schema': '1', 'reenact.input': '{}', 'reenact.outcome': 'pending' });

const LEFT = [...PENDING, ...textAttributes({ 'reenact.outlives_run': 'satisfied' })];
const READ_ON = [...PENDING, ...textAttributes({ 'reenact.outlives_run': 'waiting' })];

/** Versions of one span in the order in which they arrive, and which of them is read: name, versions, place of the best. */
export const VERSION_CASES: readonly (readonly [string, readonly Span[], number])[] = [
  ['ended over pending', [makeSpan({ attributes: PENDING }), makeSpan({ attributes: FULL })], 1],
  ['ended over end time 0', [makeSpan({ endTimeUnixNano: '0', attributes: FULL }), makeSpan()], 1],
  ['full over slim', [makeSpan({ attributes: SLIM }), makeSpan({ attributes: FULL })], 1],
  ['a crossing over an ordinary span', [makeSpan(), makeSpan({ attributes: SLIM })], 1],
  ['ended and slim over pending and full', [makeSpan({ attributes: PENDING }), makeSpan({ attributes: SLIM })], 1],
  [
    'an answer that was read on over one that was left',
    [makeSpan({ attributes: LEFT }), makeSpan({ attributes: READ_ON })],
    1,
  ],
  ['ended over an answer that was read on', [makeSpan({ attributes: READ_ON }), makeSpan({ attributes: FULL })], 1],
  [
    'the first received of those without their payload',
    [makeSpan({ attributes: SLIM, name: 'first' }), makeSpan({ attributes: SLIM, name: 'second' })],
    0,
  ],
];
