import type { Position } from '@reenact/instrumentation';
import { fromMap } from '@reenact/otlp';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import {
  ATTR_REENACT_INPUT,
  ATTR_REENACT_INPUT_DIGEST,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_OUTPUT_DIGEST,
} from '@reenact/semconv/reenact';
import { encodeValue, registerValueClass } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { MemorySink } from '../events/event-sink.ts';
import { DIVERGENCES_MAX } from '../limits.ts';
import { reportEnvironment } from '../player/environment-check.ts';
import { makePlan } from '../resolution/plan.ts';
import { type AgentCall, arrivalOf } from '../testdata/agent-model.ts';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderText } from './render-text.ts';
import { buildReport } from './report-builder.ts';
import { outlineOf } from './report-outline.ts';

const quote: CrossingPlan = { label: 'tool:get_quote', input: ['ACME'], output: 190 };

function replayed(children: readonly CrossingPlan[], calls: readonly AgentCall['label'][]): PlayerUnderTest {
  const under = playerOf(buildRecording({ label: 'agent:a', output: 'done', children }));
  const enter = (label: AgentCall['label'], input: unknown, position: Position): void => {
    const answer = under.player.answer(arrivalOf({ label, input }, position));
    if (answer.type !== 'run') return;
    for (const inner of calls) enter(inner, ['ACME'], answer.position);
    answer.settled({ type: 'returned', value: encodeValue('done') }, []);
  };
  enter('agent:a', [], { player: under.player, cursor: undefined });
  return under;
}

describe('what to do next', () => {
  const recording = buildRecording({ label: 'agent:a', children: [quote] });
  const rootSpanId = recording.roots[0]?.spanId ?? '';
  const base = {
    recording,
    rootSpanId,
    plan: makePlan({}, recording, rootSpanId),
    replayId: 'replay-1',
    durationMs: 1,
  };
  const afterwards = { ...base, process: 'dedicated', agentExit: 'exit code 1' } as const;

  it('is what the refusal says, where the program may not open its files', () => {
    const nextAfter = (next: string): string => {
      const sink = new MemorySink();
      const refused = {
        message: 'it was refused.',
        path: 'set-up',
        next,
        takesEffect: 'at-once',
        insideAtOnce: false,
      } as const;
      sink.write({ type: 'divergence', kind: 'forbidden', ...refused, recordedAtUs: 0 });
      return outlineOf(buildReport({ ...afterwards, events: sink.events })).next;
    };
    const ofFile = 'Put a boundary around it. To let it happen: --allow-path /app/orders.db.';
    expect(nextAfter(ofFile)).toBe(ofFile);
    expect(nextAfter('To let it happen: --allow-host queue.example:5672.')).toContain('Where a message began the run');
  });

  it('is to give what the program was given, where the run itself was called with something else', () => {
    const said = fromMap([['process.command_args', ['/usr/bin/node', '/app/sell.mjs', 'refund A-1002']]]);
    const sold = buildRecording({ label: 'agent:a', input: ['refund A-1002'], output: 'done' }, said);
    const { player, sink } = playerOf(sold);
    player.answer(arrivalOf({ label: 'agent:a', input: ['something else'] }, { player, cursor: undefined }));
    const entered = { ...afterwards, recording: sold, rootSpanId: sold.roots[0]?.spanId ?? '', plan: undefined };
    const { divergences } = buildReport({ ...entered, events: sink.events });
    expect(divergences.find(({ kind }) => kind === 'input-changed')?.next).toMatch(
      /^It was recorded by `node \/app\/sell\.mjs 'refund A-1002'`: give the replay what the program was given then\./,
    );
  });

  it('is to look at the command where it never got there', () => {
    expect(buildReport({ ...afterwards, events: [] }).enterBy).toContain('Check that the command starts');
  });
});

describe('the verdict', () => {
  it('is reproduced, exit code 0', () => {
    const report = replayed([quote], ['tool:get_quote']).report();
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  });

  it('is diverged, exit code 1, also for a call that is missing beside others', () => {
    const report = replayed([quote, { label: 'tool:place_order' }], ['tool:get_quote']).report();
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
  });

  it('is nothing-compared, exit code 2, when nothing below the run was met', () => {
    expect(replayed([quote], []).report()).toMatchObject({ verdict: 'nothing-compared', exitCode: 2 });
    expect(replayed([quote], ['tool:other']).report()).toMatchObject({ verdict: 'nothing-compared', exitCode: 2 });
    expect(playerOf(buildRecording({ label: 'agent:a', children: [quote] })).report().exitCode).toBe(2);
  });

  it('is reproduced for a run that makes no calls', () => {
    expect(replayed([], []).report()).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });

  it('is unverified, exit code 2, when an input is redacted or was not recorded', () => {
    const redacted = replayed([{ ...quote, redacted: ['/input/0'] }], ['tool:get_quote']).report();
    expect(redacted).toMatchObject({ verdict: 'unverified', exitCode: 2, divergences: [] });
    expect(redacted.notes.join()).toContain('redacted at /0');
    const opaque = replayed([{ ...quote, lossy: ['/input/0 symbol'] }], ['tool:get_quote']).report();
    expect(opaque).toMatchObject({ verdict: 'unverified', exitCode: 2 });
    const blank = replayed(
      [{ ...quote, without: [ATTR_REENACT_INPUT, ATTR_REENACT_INPUT_DIGEST] }, quote],
      ['tool:get_quote', 'tool:get_quote'],
    );
    expect(blank.report()).toMatchObject({ verdict: 'unverified', exitCode: 2 });
  });

  it('is unusable, exit code 2, when a process could not join', () => {
    const recording = buildRecording({ label: 'agent:a', children: [quote] });
    const sink = new MemorySink();
    sink.write({ type: 'failed', code: 'recording-damaged', message: 'it does not match its digest' });
    const rootSpanId = recording.roots[0]?.spanId ?? '';
    const base = { recording, rootSpanId, replayId: 'r', process: 'dedicated', durationMs: 1 } as const;
    const report = buildReport({ ...base, events: sink.events });
    expect(report).toMatchObject({ verdict: 'unusable', exitCode: 2 });
    expect(report.notes.join()).toContain('digest');
  });

  it('is unusable, exit code 2, when something ran for real beside the replay', () => {
    const under = replayed([quote], ['tool:get_quote']);
    under.sink.write({ type: 'outside', command: 'deno run agent.ts', runtime: 'Deno' });
    expect(under.report()).toMatchObject({ verdict: 'unusable', exitCode: 2, divergences: [] });
    expect(under.report().notes.join()).toContain('deno run agent.ts');
  });

  it('is unverified, exit code 2, when two processes were answered from what was recorded once', () => {
    const under = replayed([quote], ['tool:get_quote']);
    const met = under.sink.events.find(({ event }) => event.type === 'met' && event.path.endsWith('get_quote'));
    if (met === undefined) expect.fail('the call was not met');
    under.sink.events.push({ ...met, processId: 'another' });
    expect(under.report()).toMatchObject({ verdict: 'unverified', exitCode: 2, divergences: [] });
    expect(under.report().notes.join()).toContain('More than one process');
  });

  it('is forbidden, exit code 3, whatever else was the matter', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', children: [quote] }));
    under.sink.write({ type: 'failed', code: 'recording-damaged', message: 'it does not match its digest' });
    const refused = { message: 'It wrote a file.', next: 'Allow it.', position: undefined, source: undefined };
    under.player.reportForbidden(refused);
    expect(under.report()).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
  });
});

describe('what a report lists', () => {
  it('are so many divergences, and how many more there were', () => {
    const calls = Array.from({ length: DIVERGENCES_MAX + 7 }, () => 'tool:other' as const);
    const { divergences, notes } = replayed([quote], ['tool:get_quote', ...calls]).report();
    expect(divergences).toHaveLength(DIVERGENCES_MAX);
    expect(notes.join()).toContain('7 further divergences are not listed.');
  });

  it('are the traces that were exported, each once, those of forks first, and what of them was lost', () => {
    const recording = buildRecording({ label: 'agent:a', children: [quote] });
    const rootSpanId = recording.roots[0]?.spanId ?? '';
    const sink = new MemorySink();
    for (const traceId of ['a', 'b', 'a']) sink.write({ type: 'exported', traceId });
    sink.write({ type: 'exported', traceId: 'fork', isFork: true });
    sink.write({ type: 'export-lost', spans: 2, keptIn: 'spans.otlp.jsonl' });
    sink.write({ type: 'export-lost', spans: 3 });
    const exportUrl = 'http://127.0.0.1:4318';
    const base = { recording, rootSpanId, replayId: 'r', process: 'dedicated', durationMs: 1, exportUrl } as const;
    expect(buildReport({ ...base, events: sink.events }).exported).toEqual({
      url: exportUrl,
      traceIds: ['fork', 'a', 'b'],
      undelivered: { spans: 5, keptIn: ['spans.otlp.jsonl'] },
    });
  });
});

describe('the numbers', () => {
  const tool: CrossingPlan = { label: 'tool:buy', input: ['ACME'], children: [{ label: 'http:POST shop' }] };

  function countsOf(children: readonly CrossingPlan[], calls: readonly AgentCall['label'][]): [string, number, number] {
    const report = replayed(children, calls).report();
    const { recorded, unrecorded, compared: _compared, ...became } = report.counts;
    const sum = Object.values(became).reduce((all, one) => all + one, 0);
    return [outlineOf(report).counts.split(' · ').slice(0, 2).join(' · '), recorded + unrecorded, sum];
  }

  it('add up where everything was called, the run itself counted', () => {
    const line = '3 crossings recorded · 2 stubbed, 1 re-run';
    expect(countsOf([quote, quote], ['tool:get_quote', 'tool:get_quote'])).toEqual([line, 3, 3]);
  });

  it('add up where a call is missing, lies inside a stubbed one, or was never recorded', () => {
    const inside = '4 crossings recorded · 2 stubbed, 1 re-run, 1 inside these';
    expect(countsOf([quote, tool], ['tool:get_quote', 'tool:buy'])).toEqual([inside, 4, 4]);
    const missing = '4 crossings recorded · 1 stubbed, 1 re-run, 1 not called, 1 inside these';
    expect(countsOf([quote, tool], ['tool:get_quote'])).toEqual([missing, 4, 4]);
    const more = '2 crossings recorded, 2 more called · 1 stubbed, 1 re-run, 2 refused';
    expect(countsOf([quote], ['tool:get_quote', 'tool:get_quote', 'tool:other'])).toEqual([more, 4, 4]);
  });

  it('add up where the program never got to the run', () => {
    const { counts } = playerOf(buildRecording({ label: 'agent:a', children: [quote, tool] })).report();
    expect(counts).toMatchObject({ recorded: 4, unrecorded: 0, stubbed: 0, rerun: 0, unconsumed: 3, inside: 1 });
  });
});

describe('the outcome of the run', () => {
  it('is compared', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', output: { answer: 42 } }));
    const answer = under.player.answer(arrivalOf({ label: 'agent:a', input: [] }, undefined));
    if (answer.type === 'run') answer.settled({ type: 'returned', value: encodeValue({ answer: '42' }) }, []);
    expect(under.report().divergences).toMatchObject([
      { kind: 'outcome-changed', difference: [{ path: '$.answer', recorded: '42', live: '"42"' }] },
    ]);
    expect(under.report().outcome).toMatchObject({ equal: false, recorded: '{"returned":{"answer":42}}' });
  });

  it('that never came is a divergence, unless the recorded run never ended either', () => {
    const killed = (outcome: 'returned' | 'pending') => {
      const under = playerOf(buildRecording({ label: 'agent:a', outcome, children: [quote] }));
      const answer = under.player.answer(arrivalOf({ label: 'agent:a', input: [] }, undefined));
      if (answer.type === 'run') {
        under.player.answer(arrivalOf({ label: 'tool:get_quote', input: ['ACME'] }, answer.position));
      }
      return under.report();
    };
    expect(killed('returned').divergences).toMatchObject([{ kind: 'outcome-changed' }]);
    expect(killed('pending')).toMatchObject({ divergences: [], exitCode: 0 });
    expect(killed('pending').notes.join()).toContain('agent:a had not ended');
    expect(outlineOf(killed('pending')).outcome).toBe('The run did not end, as recorded.');
  });

  it('that was not recorded has come all the same, and did not stop before: how it compares is not known', () => {
    const without = [ATTR_REENACT_OUTPUT, ATTR_REENACT_OUTPUT_DIGEST];
    const under = playerOf(buildRecording({ label: 'agent:a', without, children: [quote] }));
    const answer = under.player.answer(arrivalOf({ label: 'agent:a', input: [] }, undefined));
    if (answer.type !== 'run') throw new Error('the root runs again');
    under.player.answer(arrivalOf({ label: 'tool:get_quote', input: ['ACME'] }, answer.position));
    answer.settled({ type: 'returned', value: encodeValue({ answer: 42 }) }, []);
    expect(under.report()).toMatchObject({ verdict: 'unverified', divergences: [], exitCode: 2 });
    expect(outlineOf(under.report()).outcome).toBe('The run ended; how it ended when recorded is not known.');
  });

  it('that came behind the end of a recording whose process died is no divergence: how it would have ended is not known', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', outcome: 'pending', children: [quote] }));
    const answer = under.player.answer(arrivalOf({ label: 'agent:a', input: [] }, undefined));
    if (answer.type !== 'run') throw new Error('the root runs again');
    under.player.answer(arrivalOf({ label: 'tool:get_quote', input: ['ACME'] }, answer.position));
    answer.settled({ type: 'returned', value: encodeValue({ answer: 42 }) }, []);
    expect(under.report()).toMatchObject({ divergences: [], exitCode: 0, notes: [] });
    expect(outlineOf(under.report()).outcome).toBe('The run ended; how it ended when recorded is not known.');
  });

  it('that came before everything recorded was met is one, although the recorded run never ended', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', outcome: 'pending', children: [quote] }));
    const answer = under.player.answer(arrivalOf({ label: 'agent:a', input: [] }, undefined));
    if (answer.type === 'run') answer.settled({ type: 'returned', value: encodeValue({ answer: 42 }) }, []);
    expect(under.report().divergences.map(({ kind }) => kind)).toEqual(['unconsumed', 'outcome-changed']);
  });

  it('names what was going on when the recorded process stopped, and not what encloses it', () => {
    const slow = { label: 'tool:slow', input: [1], outcome: 'pending' } as const;
    const under = playerOf(buildRecording({ label: 'agent:a', outcome: 'pending', children: [quote, slow] }));
    const answer = under.player.answer(arrivalOf({ label: 'agent:a', input: [] }, undefined));
    if (answer.type !== 'run') throw new Error('the root runs again');
    under.player.answer(arrivalOf({ label: 'tool:get_quote', input: ['ACME'] }, answer.position));
    expect(under.report().notes.join()).not.toContain('tool:slow');
    under.player.answer(arrivalOf({ label: 'tool:slow', input: [1] }, answer.position));
    expect(under.report()).toMatchObject({ divergences: [], exitCode: 0 });
    expect(under.report().notes).toEqual([
      'The process stopped here when it was recorded: agent:a/tool:slow had not ended, and does not end in a replay.',
    ]);
  });
});

describe('preconditions', () => {
  it('are told, and do not make a replay diverge', () => {
    const resource = fromMap([
      ['process.runtime.version', '18.0.0'],
      ['reenact.environment.time_zone', 'Antarctica/Troll'],
    ]);
    const recording = buildRecording({ label: 'agent:a', output: undefined }, resource);
    const under = playerOf(recording);
    reportEnvironment(recording, recording.roots[0]?.spanId ?? '', under.sink);
    const answer = under.player.answer(arrivalOf({ label: 'agent:a', input: [] }, undefined));
    if (answer.type === 'run') answer.settled({ type: 'returned', value: encodeValue(undefined) }, []);
    const report = under.report();
    expect(report.divergences.map(({ kind }) => kind)).toEqual(['environment-changed', 'environment-changed']);
    expect(report.divergences[0]?.message).toContain('18.0.0');
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });
});

describe('notes of classes that a minifier named', () => {
  it('are there for each that is served, for another build may have given their names to others', () => {
    const { Ib } = { Ib: class Ib {} };
    registerValueClass(Ib);
    const report = replayed([{ ...quote, output: new Ib() }], ['tool:get_quote']).report();
    expect(report.notes).toEqual([
      expect.stringMatching(/^agent:a\/tool:get_quote was served with instances of Ib\. .*keep names/),
    ]);
    expect(report.exitCode).toBe(0);
  });
});

describe('a call that was served whole, with calls of an agent inside', () => {
  const asked: CrossingPlan = { label: 'model:openai.chat', input: ['look'] };
  const research = (inside: CrossingPlan[]): CrossingPlan => ({ ...quote, label: 'tool:research', children: inside });

  it('is named, for a change of the code in it was not tried', () => {
    const report = replayed([research([asked, { ...quote, children: [asked] }])], ['tool:research']).report();
    expect(report.exitCode).toBe(0);
    expect(report.notes.join()).toMatch(
      /agent:a\/tool:research was served whole: no code in it ran, nor any of the 3 calls recorded inside.*--live agent:a\/tool:research/,
    );
    const both = replayed([research([asked]), research([asked])], ['tool:research', 'tool:research']).report();
    expect(both.notes.join()).toContain('2 calls were served whole (agent:a/tool:research, agent:a/tool:research#2)');
  });

  it('is not, where only what a client does is inside, or its code ran', () => {
    const request: CrossingPlan = { label: 'http:GET host', input: ['/'] };
    expect(
      replayed([research([request])], ['tool:research'])
        .report()
        .notes.join(),
    ).not.toContain('served whole');
    const agent = replayed([{ label: 'agent:b', input: ['ACME'], children: [quote] }], ['agent:b']).report();
    expect(agent.notes.join()).not.toContain('served whole');
  });
});

describe('notes', () => {
  it('name what was served without part of it', () => {
    const report = replayed([{ ...quote, lossy: ['/output/stream handle', '/input/0 function'] }], ['tool:get_quote']);
    expect(report.report().notes).toEqual([
      'agent:a/tool:get_quote was served without what could not be recorded: /output/stream handle.',
    ]);
    expect(report.report().exitCode).toBe(0);
    expect(report.report()).not.toHaveProperty('repeatedNotes');
  });

  it('say of a connection of another protocol that it is to be opened inside of an agent', () => {
    const lossy = ['/exchanges/0/response upgraded to another protocol'];
    const [note] = replayed([{ ...quote, lossy }], ['tool:get_quote']).report().notes;
    expect(note).toContain('A WebSocket is recorded where it is opened inside of an agent(): open it there and record');
  });

  it('name what an input may hold beside what was compared', () => {
    const lossy = ['/input/0 class Order', '/input/1/log function', '/input/1 symbol-members'];
    const report = replayed([{ ...quote, lossy }], ['tool:get_quote']).report();
    expect(report.notes).toEqual([
      'The input of agent:a/tool:get_quote was compared by what shows of it: what else /0 (class Order), /1 (symbol-members) holds is not recorded.',
    ]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });

  it('tell what holds nothing to compare from what is redacted', () => {
    const lossy = ['/input/0/handle symbol', '/input/1 unreadable (gone)'];
    const report = replayed([{ ...quote, lossy, redacted: ['/input/2'] }], ['tool:get_quote']).report();
    expect(report.notes).toEqual([
      'The input of agent:a/tool:get_quote is redacted at /2, and is unverified there.',
      'The recorded input of agent:a/tool:get_quote holds nothing that could be compared at /0/handle, /1, and is unverified there.',
    ]);
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2 });
  });

  it('name the first parts, and how many more there are, of a list of a hundred rows', () => {
    const lossy = Array.from({ length: 100 }, (_, row) => `/output/${row} class Row`);
    const [note] = replayed([{ ...quote, lossy }], ['tool:get_quote']).report().notes;
    expect(note).toMatch(/recorded: \/output\/0 class Row, .*, \/output\/11 class Row and 88 more\.$/);
  });

  it('of many crossings alike are one each, whatever else is noted between them', () => {
    const odd: CrossingPlan = { ...quote, lossy: ['/output/socket handle'] };
    const redacted: CrossingPlan = { ...quote, redacted: ['/input/0'] };
    const many = Array.from({ length: 201 }, (_, index): CrossingPlan => {
      const lossy: CrossingPlan = { ...quote, lossy: ['/output/close function'] };
      return index === 100 ? odd : index % 50 === 49 ? redacted : lossy;
    });
    const labels = many.map(() => 'tool:get_quote' as const);
    const report = replayed(many, labels).report();
    const path = 'agent:a/tool:get_quote';
    const served = (from: string, what: string) => `${from} was served without what could not be recorded: ${what}.`;
    expect(report.notes).toEqual([
      `${served(path, '/output/close function')} The same is true of 195 more crossings: ${path}#2, ${path}#3 and 193 others.`,
      `The input of ${path}#50 is redacted at /0, and is unverified there. The same is true of 3 more crossings: ${path}#100, ${path}#150 and 1 other.`,
      served(`${path}#101`, '/output/socket handle'),
    ]);
    expect(report.repeatedNotes).toMatchObject([
      { text: report.notes[0], pathsTotal: 196 },
      { text: report.notes[1], paths: [50, 100, 150, 200].map((number) => `${path}#${number}`), pathsTotal: 4 },
    ]);
    // One place that could not be compared is enough, however the notes are told.
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2 });
    const text = renderText(report, { color: false });
    expect(text.split('could not be recorded')).toHaveLength(3);
    expect(renderText(report, { color: true }).split('could not be recorded')).toHaveLength(3);
    expect(renderMarkdown(report).split('could not be recorded')).toHaveLength(3);
  });
});
