import type { Recording, ReplayReport } from '@reenact/trace-model';
import { tool } from 'reenact';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Act, recordAct } from '../../serve/recorded-agent.ts';
import { chatAnswer, json } from './answers.ts';
import { Broker, brokerScript } from './broker.ts';
import { type ReplayedActOptions, replayAct } from './replayed-act.ts';

const ignore = [{ selector: 'tool:get_quote', path: '$[0].requestId', why: 'a fresh id for every request' }];

let recording: Recording;

beforeAll(async () => {
  recording = await recordAct(brokerScript, new Broker({ requestId: () => 'request-1' }).act);
});

function run(requestId: string, options: ReplayedActOptions): Promise<ReplayReport> {
  return replayAct(recording, new Broker({ requestId: () => requestId }).act, options);
}

describe('a field of an input that the plan ignores', () => {
  it('may differ, and the report says that it did', async () => {
    const report = await run('request-2', { ignore });
    expect(report).toMatchObject({ verdict: 'reproduced', ignored: [{ ...ignore[0], met: 1, differed: 1 }] });
    expect(report.notes.join('\n')).toContain(
      'Ignored $[0].requestId of tool:get_quote (a fresh id for every request)',
    );
    expect((await run('request-2', {})).divergences[0]).toMatchObject({ kind: 'input-changed' });
  });

  it('may be the same, and the report says that, too', async () => {
    const report = await run('request-1', { ignore });
    expect(report).toMatchObject({ verdict: 'reproduced', ignored: [{ met: 1, differed: 0 }] });
  });

  it('that no input has is named, so that the rule can go', async () => {
    const unused = { selector: 'tool:get_quote', path: '$[0].nothing.here', why: 'once was there' };
    const report = await run('request-1', { ignore: [unused] });
    expect(report.ignored).toMatchObject([{ met: 0 }]);
    expect(report.notes.join('\n')).toContain('take the rule out');
  });

  it('lets nothing beside it pass', async () => {
    const report = await replayAct(recording, new Broker({ requestId: () => 'request-2', prompt: 'Other.' }).act, {
      ignore,
    });
    expect(report.divergences[0]).toMatchObject({ kind: 'input-changed', path: 'agent:asker/model:openai.chat' });
  });
});

describe('an audit', () => {
  const issue = tool('issue', async () => ({ ticket: 'ticket-4711' }), { effect: 'read' });
  const look = tool('look', async (_asked: { ticket: string }) => 'open', { effect: 'read' });
  const passesOn: Act = async () => look(await issue());
  /** A later version of the agent looks at what it was only to pass on. */
  const looksAt: Act = async () => {
    const issued = await issue();
    return issued.ticket.startsWith('ticket-4') ? await look(issued) : 'unknown';
  };
  const ticket = [{ selector: 'tool:look', path: '$[0].ticket', why: 'another one every time' }];
  let passed: Recording;

  beforeAll(async () => {
    passed = await recordAct(json(chatAnswer('')), passesOn);
  });

  it('proves that nothing depends on what is ignored', async () => {
    const report = await replayAct(passed, passesOn, { ignore: ticket, audit: true });
    expect(report.audit).toEqual({ verdict: 'independent', divergences: [], unproven: [] });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });

  it('fails where a fix has made it matter, although the replay itself reproduces', async () => {
    expect(await replayAct(passed, looksAt, { ignore: ticket })).toMatchObject({ verdict: 'reproduced' });
    const report = await replayAct(passed, looksAt, { ignore: ticket, audit: true });
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1, audit: { verdict: 'depends' } });
    expect(report.audit?.divergences.map(({ kind }) => kind)).toContain('unconsumed');
    expect(report.notes.join('\n')).toContain('depends on what the plan ignores');
  });

  it('says where it could learn nothing', async () => {
    const report = await replayAct(recording, new Broker({ requestId: () => 'request-1' }).act, {
      ignore,
      audit: true,
    });
    expect(report).toMatchObject({
      verdict: 'unverified',
      exitCode: 2,
      audit: { verdict: 'unproven', unproven: ['$[0].requestId of tool:get_quote'] },
    });
  });
});
