import type { Answer, LiveSpanIds } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { CANONICAL_POLICIES, type Crossing, encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { arrivalOf } from '../testdata/agent-model.ts';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';
import { OWN_TRACE_NOTE } from './own-span-ids.ts';

/** Those of the replay. */
const live: LiveSpanIds = { traceId: 'a0'.repeat(16), spanId: 'b1'.repeat(8) };
const traceparent = ({ traceId, spanId }: LiveSpanIds): string => `00-${traceId}-${spanId}-01`;

/** What an agent tells a tool, and whoever called it, made of the ids that it reads. */
interface Told {
  readonly toTool: (ids: LiveSpanIds) => unknown;
  readonly toCaller: (ids: LiveSpanIds) => unknown;
}

const nothing: Told = { toTool: () => 'no ids', toCaller: () => 'no ids' };

function recorded({ toTool, toCaller }: Told): { readonly plan: CrossingPlan; readonly root: Crossing } {
  const planOf = (ids: LiveSpanIds): CrossingPlan => ({
    label: 'agent:a',
    output: toCaller(ids),
    children: [{ label: 'tool:place', input: toTool(ids) }],
  });
  // Its ids do not depend on its values.
  const [root] = buildRecording(planOf(live)).crossings;
  if (root === undefined) throw new Error('no crossing');
  return { plan: planOf(root), root };
}

function running(answer: Answer): Extract<Answer, { type: 'run' }> {
  if (answer.type !== 'run') throw new Error('its code is to run');
  return answer;
}

/** Replays the run; its code reads the ids of the replay, and tells of them what `now` makes of them. */
function replayed(told: Told, now: Told = told): PlayerUnderTest {
  const under = playerOf(buildRecording(recorded(told).plan));
  const above = { player: under.player, cursor: undefined };
  const root = running(under.player.answer(arrivalOf({ label: 'agent:a', input: [] }, above)));
  const call = arrivalOf({ label: 'tool:place', input: now.toTool(live) }, root.position);
  under.player.answer({ ...call, spanIds: live });
  root.settled({ type: 'returned', value: encodeValue(now.toCaller(live)) }, [], live);
  return under;
}

describe('ids of its own spans that an agent hands on', () => {
  it.each<[string, Told]>([
    ['its trace id', { toTool: ({ traceId }) => [{ traceId }], toCaller: ({ traceId }) => ({ traceId }) }],
    ['a traceparent', { toTool: (ids) => [traceparent(ids)], toCaller: traceparent }],
    ['in a text of its own', { ...nothing, toTool: ({ traceId }) => [`see https://traces.example/${traceId}?all`] }],
    ['as a key', { ...nothing, toCaller: ({ traceId }) => new Map([[traceId, 1]]) }],
  ])('are those of the recorded spans: %s', (_, told) => {
    const report = replayed(told).report();
    expect([report.verdict, report.divergences]).toEqual(['reproduced', []]);
    expect(report.notes).toEqual([OWN_TRACE_NOTE]);
  });

  it('leave what else differs as it is', () => {
    const told: Told = { ...nothing, toTool: ({ traceId }) => [{ traceId, count: 1 }] };
    const now: Told = { ...nothing, toTool: ({ traceId }) => [{ traceId, count: 2 }] };
    const { divergences } = replayed(told, now).report();
    expect(divergences.map(({ kind, difference }) => [kind, difference])).toEqual([
      ['input-changed', [{ path: '$[0].count', recorded: '1', live: '2' }]],
    ]);
  });

  it('do not stand for an id that is none of them', () => {
    const told: Told = { ...nothing, toCaller: ({ traceId }) => ({ traceId }) };
    const now: Told = { ...nothing, toCaller: () => ({ traceId: 'c2'.repeat(16) }) };
    const report = replayed(told, now).report();
    expect(report.divergences.map(({ kind }) => kind)).toEqual(['outcome-changed']);
    expect(report.notes).toEqual([]);
  });

  it('are no word of the report where none is handed on', () => {
    expect(replayed(nothing).report()).toMatchObject({ verdict: 'reproduced', notes: [] });
  });
});

describe('the body of a request with such an id, of which sixteen digits in a row keep JSON as text', () => {
  const policy = CANONICAL_POLICIES.httpRequest;
  const orderWith = (traceId: string, count: number): object => ({
    method: 'POST',
    url: 'http://orders.example/',
    headers: {},
    contentType: 'application/json',
    body: { text: JSON.stringify({ traceId, count }) },
  });

  function verdictOf(own: LiveSpanIds, count: number): unknown {
    const { traceId } = buildRecording({ label: 'agent:a' }).crossings[0] ?? {};
    const label = 'http:POST orders.example';
    const order: CrossingPlan = { label, input: orderWith(String(traceId), 1), canonical: policy.name };
    const { player, report } = playerOf(buildRecording({ label: 'agent:a', output: 1, children: [order] }));
    const root = running(player.answer(arrivalOf({ label: 'agent:a', input: [] }, { player, cursor: undefined })));
    const call = arrivalOf({ label, input: orderWith(own.traceId, count) }, root.position);
    player.answer({ ...call, boundary: { ...call.boundary, policy }, spanIds: own });
    root.settled({ type: 'returned', value: encodeValue(1) }, [], own);
    return report().divergences.map(({ kind }) => kind);
  }

  it.each(['1234567890123456'.repeat(2), 'a0'.repeat(16)])('is compared as the recorded one: %s', (traceId) => {
    expect(verdictOf({ traceId, spanId: 'b1'.repeat(8) }, 1)).toEqual([]);
    expect(verdictOf({ traceId, spanId: 'b1'.repeat(8) }, 2)).toEqual(['input-changed']);
  });
});
