import { assembleRecording } from '@reenact/dialects';
import { fromMap, type SpanLink } from '@reenact/otlp';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { ATTR_REENACT_PROCESS_REQUEST_BEFORE } from '@reenact/semconv/reenact';
import {
  CANONICAL_POLICIES,
  type Crossing,
  isReenactError,
  type Recording,
  type ReplayReport,
} from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import type { ReplayEvent, StampedEvent } from '../events/replay-event.ts';
import { renderMarkdown } from '../report/render-markdown.ts';
import { renderText } from '../report/render-text.ts';
import { buildReport } from '../report/report-builder.ts';
import { makePlan } from '../resolution/plan.ts';
import { recordingOfProcess } from '../testdata/recording-of-process.ts';
import { checkRunsBeside } from './check-runs.ts';
import { withRunsBeside } from './replayed-runs.ts';

const look: CrossingPlan = { label: 'tool:look', input: ['x'], output: 1, effect: 'read' };
const run: CrossingPlan = { label: 'agent:a', output: 'done', children: [look] };

/** What processes report of a run that is answered whole and ends. */
function wentWell(recording: Recording, isOwn: boolean): StampedEvent[] {
  const [root, inside] = recording.crossings;
  if (root === undefined || inside === undefined) throw new TypeError('the run has a call inside');
  const met = { type: 'met', rung: 'input', compared: true } as const;
  const events: ReplayEvent[] = [
    { ...met, crossing: 1, path: root.path, answer: 'rerun', recordedSpanId: root.spanId },
    { ...met, crossing: 2, path: inside.path, answer: 'stub', recordedSpanId: inside.spanId },
    { type: 'outcome', path: root.path, replayed: 'done', equal: true },
  ];
  return events.map((event, atUs) => ({ processId: '1', atUs, event, ...(isOwn ? {} : { run: root.spanId }) }));
}

const recording = recordingOfProcess([run, run, run]);
const rootSpanId = recording.roots[0]?.spanId ?? '';
const plan = makePlan({}, recording, rootSpanId);
const [first, second] = runsBesideOf(recording, rootSpanId).runs;
if (first === undefined || second === undefined) throw new TypeError('there are two runs before');

function reportOf(beside: readonly StampedEvent[], stoppedAtUs?: number, process = recording): ReplayReport {
  const events = wentWell(recording, true);
  const own = buildReport({ recording, rootSpanId, replayId: 'r', process: 'dedicated', events, durationMs: 1, plan });
  return withRunsBeside(own, { recording: process, rootSpanId, plan, events: beside, stoppedAtUs });
}

function eventOf(spanId: string, event: ReplayEvent): StampedEvent {
  return { processId: '1', run: spanId, atUs: 10, event };
}

const forbidden: ReplayEvent = {
  type: 'divergence',
  kind: 'forbidden',
  message: 'A file was written.',
  path: 'agent:a',
  next: 'Take it out.',
  takesEffect: 'at-once',
  insideAtOnce: false,
  recordedAtUs: 1,
};

describe('the runs beside the replayed one', () => {
  it('are counted apart, and leave the report of a run that went as recorded as it was', () => {
    const report = reportOf([first, second].flatMap((one) => wentWell(one.recording, false)));
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, counts: { recorded: 2, stubbed: 1 } });
    expect(report.runsBeside).toMatchObject({ place: 3, recorded: 2, begun: 2, diverged: 0, stubbed: 2, refused: 0 });
  });

  it('are not compared with what they came to because the service was stopped', () => {
    const cutOff = wentWell(first.recording, false).filter(
      ({ event }) => event.type !== 'met' || event.answer === 'rerun',
    );
    const endedUs = cutOff.at(-1)?.atUs ?? 0;
    expect(reportOf(cutOff, endedUs)).toMatchObject({ verdict: 'reproduced', runsBeside: { begun: 1, diverged: 0 } });
    expect(reportOf(cutOff, endedUs + 1)).toMatchObject({ verdict: 'diverged', runsBeside: { begun: 1, diverged: 1 } });
  });

  it('diverge under their own names, and the exit code says so', () => {
    const missing = wentWell(second.recording, false).filter(
      ({ event }) => event.type !== 'met' || event.answer === 'rerun',
    );
    const report = reportOf([...wentWell(first.recording, false), ...missing]);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1, divergences: [], outcome: { equal: true } });
    expect(
      report.runsBeside?.runs.map(({ place, divergences }) => [place, divergences.map(({ kind }) => kind)]),
    ).toEqual([
      [1, []],
      [2, ['unconsumed']],
    ]);
    for (const text of [renderText(report, { color: false }), renderMarkdown(report)]) {
      const unbroken = text.replaceAll(/[`\\]/g, '').replaceAll(/\s+/g, ' ');
      expect(unbroken).toContain('another one of its process did not');
      expect(unbroken).toContain(`Run 2 of the process, agent:a (trace ${second.recording.traceId}): unconsumed`);
      expect(unbroken).toContain(`reenact replay ${second.root.spanId}`);
    }
  });

  it('are not compared to their end where the process ended before', () => {
    const started = wentWell(second.recording, false).slice(0, 1);
    const report = reportOf([...wentWell(first.recording, false), ...started]);
    expect(report).toMatchObject({ exitCode: 0, runsBeside: { begun: 2, diverged: 0 } });
    expect(report.runsBeside?.runs[1]).toMatchObject({ ended: 'going-on', divergences: [] });
  });

  it('are told where the replay never came to them', () => {
    const report = reportOf(wentWell(first.recording, false));
    expect(report).toMatchObject({ exitCode: 0, runsBeside: { recorded: 2, begun: 1 } });
    expect(renderText(report, { color: false })).toContain('1 not begun');
  });

  it('make the exit code 3 by a forbidden effect, and prove nothing by what could not be compared', () => {
    const well = [first, second].flatMap((one) => wentWell(one.recording, false));
    expect(reportOf([...well, eventOf(first.root.spanId, forbidden)])).toMatchObject({ exitCode: 3 });
    const note: ReplayEvent = { type: 'note', text: 'A secret was compared by presence.', unverified: true };
    const report = reportOf([...well, eventOf(second.root.spanId, note)]);
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2 });
    expect(report.notes).toContainEqual(expect.stringMatching(/^In run 2 of the process.*compared by presence/));
  });
});

describe('a run beside that drew what was not recorded', () => {
  it('is told with that where it went another way', () => {
    const mark = '/draws/crypto.randomBytes not recorded; REENACT_RECORD_RANDOM_BYTES=1 records random bytes';
    const process = recordingOfProcess([{ ...run, lossy: [mark] }, { ...run, lossy: [mark] }, run]);
    const [drew, other] = process.runsBeside;
    if (drew === undefined || other === undefined) throw new TypeError('there are two runs before');
    const lacking = wentWell(drew, false).filter(({ event }) => event.type !== 'met' || event.answer === 'rerun');
    const { notes } = reportOf([...lacking, ...wentWell(other, false)], undefined, process);
    expect(notes).toEqual([
      expect.stringMatching(
        /^In .*, which went another way: crypto.randomBytes not recorded; REENACT_RECORD_RANDOM_BYTES=1/,
      ),
    ]);
  });
});

describe('a run beside that cannot be answered', () => {
  it('is named before anything starts, whatever the plan says of the replayed one', () => {
    const digestOnly: CrossingPlan = { ...look, without: ['reenact.output'] };
    const cold = recordingOfProcess([run, { ...run, children: [digestOnly] }, run]);
    const spanId = cold.roots[0]?.spanId ?? '';
    let thrown: unknown;
    try {
      checkRunsBeside(cold, spanId, makePlan({ live: ['tool:look'] }, cold, spanId));
    } catch (error) {
      thrown = error;
    }
    if (!isReenactError(thrown)) throw new TypeError('it is refused');
    expect([thrown.code, thrown.message]).toEqual([
      'cold-case',
      expect.stringContaining('run 2 of the process, agent:a'),
    ]);
    expect(() => checkRunsBeside(recording, rootSpanId, plan)).not.toThrow();
  });

  it('may be a call alone, which is then served, and lacks what it would be served with', () => {
    const alone: CrossingPlan = { ...look, label: 'tool:sell', effect: 'destructive' };
    const checkAlone = (plan: CrossingPlan): void => {
      const process = recordingOfProcess([plan, run]);
      const spanId = process.roots[0]?.spanId ?? '';
      checkRunsBeside(process, spanId, makePlan({}, process, spanId));
    };
    expect(() => checkAlone(alone)).not.toThrow();
    expect(() => checkAlone({ ...alone, without: ['reenact.output'] })).toThrow(/run 1 of the process, tool:sell/);
  });
});

describe('calls of another run that were recorded behind the end of the replayed one', () => {
  it('are not told to be lacking where the service was stopped by then', () => {
    const hourNs = 3_600_000_000_000n;
    const runsBeside = recording.runsBeside.map((one) => ({
      ...one,
      crossings: one.crossings.map((crossing) =>
        crossing.path === 'agent:a'
          ? crossing
          : { ...crossing, startTimeUnixNano: crossing.startTimeUnixNano + hourNs },
      ),
    }));
    const lacking = wentWell(first.recording, false).filter(
      ({ event }) => event.type !== 'met' || event.answer === 'rerun',
    );
    const verdict = (stoppedAtUs?: number, process?: Recording): unknown =>
      reportOf(lacking, stoppedAtUs, process).verdict;
    expect(verdict(50, { ...recording, runsBeside })).toBe('reproduced');
    expect([verdict(50), verdict(undefined, { ...recording, runsBeside })]).toEqual(['diverged', 'diverged']);
  });
});

describe('a request beside that went another way', () => {
  const toRequest = (crossing: Crossing): Crossing =>
    crossing.kind === 'agent' ? { ...crossing, canonicalPolicy: CANONICAL_POLICIES.httpEntry.name } : crossing;
  const runsBeside = recording.runsBeside.map((one) => ({
    ...one,
    crossings: one.crossings.map(toRequest),
    bySpanId: new Map([...one.bySpanId].map(([spanId, crossing]) => [spanId, toRequest(crossing)])),
  }));
  const process: Recording = { ...recording, runsBeside };
  const otherSpanId = first.root.spanId;
  const own = wentWell(recording, true);
  const endedUs = own.at(-1)?.atUs ?? 0;
  const changed: ReplayEvent = { ...forbidden, kind: 'input-changed', message: 'It was called with more.' };

  function withOther(atUs: number, event: ReplayEvent, beside = process): ReplayReport {
    const others = recording.runsBeside.flatMap((one) => wentWell(one, false));
    return reportOf([...own, ...others, { ...eventOf(otherSpanId, event), atUs }], undefined, beside);
  }

  it('counts while the replayed one went on, and is only told behind that', () => {
    const during = withOther(endedUs, changed);
    expect(during).toMatchObject({ verdict: 'diverged', runsBeside: { diverged: 1 } });
    expect(during.runsBeside?.runs[0]?.divergences).toMatchObject([{ kind: 'input-changed' }]);
    const behind = withOther(endedUs + 1, changed);
    expect(behind).toMatchObject({ verdict: 'reproduced', exitCode: 0, runsBeside: { diverged: 0 } });
    expect(behind.notes).toEqual([expect.stringMatching(/^In run 1 .* once this run had ended, which does not count/)]);
  });

  it('counts behind it where something was done for real, or where the program makes the other runs itself', () => {
    expect(withOther(endedUs + 1, forbidden)).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
    expect(withOther(endedUs + 1, changed, recording)).toMatchObject({ verdict: 'diverged', exitCode: 1 });
  });
});

describe('a request that waited for what never came', () => {
  const requestBefore = { traceId: 'e'.repeat(32), spanId: 'e'.repeat(16) };
  const attributes = fromMap([[ATTR_REENACT_PROCESS_REQUEST_BEFORE, 1]]);

  function waited(links: SpanLink[]): ReplayReport {
    const spans = [...buildRecording(run).spans.values()].map((span, index) =>
      index === 0 ? { ...span, links } : span,
    );
    const alone = assembleRecording({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] });
    const spanId = alone.roots[0]?.spanId ?? '';
    const [met] = wentWell(alone, true);
    if (met === undefined) throw new TypeError('the run was met');
    const note = {
      type: 'note',
      text: 'It waited. It was stopped there.',
      unverified: false,
      unanswered: true,
    } as const;
    const events: StampedEvent[] = [met, { processId: '1', atUs: 9, event: note }];
    const input = { recording: alone, rootSpanId: spanId, plan: makePlan({}, alone, spanId), events };
    const own = buildReport({ ...input, replayId: 'r', process: 'dedicated', durationMs: 1 });
    return withRunsBeside(own, input);
  }

  it('is to be replayed with those that were not sent, before anything else is looked for', () => {
    const text = renderText(waited([{ ...requestBefore, attributes }]), { color: false, columns: 400 });
    expect(text.split('\nNext: ')[1]).toContain('`--requests-before all`');
  });

  it('is told by its first cause where there were none', () => {
    expect(waited([])).not.toHaveProperty('enterBy');
  });
});
