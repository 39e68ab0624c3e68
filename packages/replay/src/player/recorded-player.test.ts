import { type Answer, type Arrival, httpMembers, type Position } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { ATTR_GEN_AI_OPERATION_NAME, ATTR_GEN_AI_PROVIDER_NAME } from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_OUTPUT, ATTR_REENACT_OUTPUT_DIGEST } from '@reenact/semconv/reenact';
import { type DivergenceKind, encodeValue, type ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlanOptions } from '../resolution/plan.ts';
import { type AgentCall, arrivalOf } from '../testdata/agent-model.ts';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';

/** A replay that has entered the run `agent:a`, made of these crossings. */
function entered(children: readonly CrossingPlan[], options: PlanOptions = {}) {
  const under = playerOf(buildRecording({ label: 'agent:a', output: 'done', children }), options);
  const root = call(under, 'agent:a', []);
  if (root.type !== 'run') throw new TypeError('the root runs');
  return { ...under, root, position: root.position };
}

function call(under: PlayerUnderTest, label: AgentCall['label'], input: unknown, position?: Position): Answer {
  return under.player.answer(arrivalOf({ label, input }, position ?? { player: under.player, cursor: undefined }));
}

function refusalOf(answer: Answer): { code: string; message: string; next: string | undefined } {
  if (answer.type !== 'refuse') throw new TypeError(`answered with ${answer.type}`);
  const { code, message, next } = answer.error;
  return { code, message, next };
}

function kindsOf(report: ReplayReport): DivergenceKind[] {
  return report.divergences.map(({ kind }) => kind).filter((kind) => kind !== 'outcome-changed');
}

const quote: CrossingPlan = { label: 'tool:get_quote', input: ['ACME'], output: 190, effect: 'read' };

describe('a stub', () => {
  it('is served with what differs reported before it is', () => {
    const under = entered([quote]);
    const answer = call(under, 'tool:get_quote', ['ACMF'], under.position);
    expect(answer).toMatchObject({ type: 'stub', recorded: { name: 'get_quote' } });
    expect(under.report().divergences[0]).toMatchObject({
      kind: 'input-changed',
      path: 'agent:a/tool:get_quote',
      difference: [{ path: '$[0]', recorded: '"ACME"', live: '"ACMF"' }],
      candidate: { path: 'agent:a/tool:get_quote' },
    });
  });

  it('that is asked for more than it holds is exhausted', () => {
    const under = entered([quote]);
    const answer = call(under, 'tool:get_quote', ['ACME'], under.position);
    if (answer.type !== 'stub') throw new TypeError('served');
    expect(answer.exhausted('a second attempt')).toMatchObject({ code: 'replay-refused' });
    expect(kindsOf(under.report())).toEqual(['exhausted']);
  });

  it('is refused instead when the replay stops on divergences', () => {
    const under = entered([quote], { stopOnDivergence: true });
    const { code, message } = refusalOf(call(under, 'tool:get_quote', ['ACMF'], under.position));
    expect([code, message]).toEqual(['replay-refused', expect.stringContaining('differs at $[0]')]);
    expect(under.report().counts).toMatchObject({ refused: 1, stubbed: 0 });
  });
});

describe('a call that cannot be answered', () => {
  it('was never recorded: the error names the closest crossing', () => {
    const under = entered([quote]);
    const refusal = refusalOf(call(under, 'tool:get_quotes', [], under.position));
    expect(refusal.message).toContain('agent:a/tool:get_quotes was never recorded here');
    expect(refusal.message).toContain('agent:a/tool:get_quote.');
    expect(kindsOf(under.report())).toEqual(['never-recorded', 'unconsumed']);
  });

  it('is one too many: the error says how often it was recorded', () => {
    const under = entered([quote]);
    call(under, 'tool:get_quote', ['ACME'], under.position);
    const refusal = refusalOf(call(under, 'tool:get_quote', ['ACME'], under.position));
    expect(refusal.message).toContain('recorded once here');
    expect(under.report().divergences[0]).toMatchObject({ kind: 'exhausted', path: 'agent:a/tool:get_quote#2' });
  });

  it('was made before the run began: it is none of its crossings, even with the input of one', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', output: 'done', children: [quote] }));
    under.player.beginsHere();
    const { message, next } = refusalOf(call(under, 'tool:get_quote', ['ACME']));
    expect(message).toContain('tool:get_quote was called before agent:a began');
    expect(next).toContain('--entry');
    const root = call(under, 'agent:a', []);
    expect(root.type === 'run' && call(under, 'tool:get_quote', ['ACME'], root.position).type).toBe('stub');
    expect(under.report().divergences[0]).toMatchObject({ kind: 'never-recorded', path: 'tool:get_quote' });
  });

  it('is another run in the same process', () => {
    const under = entered([quote]);
    const refusal = refusalOf(call(under, 'agent:a', ['another ticket']));
    expect(refusal.message).toContain('agent:a#2 is another run');
    expect(under.report().divergences[0]).toMatchObject({ kind: 'exhausted', path: 'agent:a#2' });
  });

  it('is forbidden: exit code 3, whatever else happened', () => {
    const under = entered([quote], { forbid: ['tool:get_quote'] });
    expect(refusalOf(call(under, 'tool:get_quote', ['ACME'], under.position)).code).toBe('replay-refused');
    expect(kindsOf(under.report())).toEqual(['forbidden']);
    expect(under.report()).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
  });

  it('has a damaged recording', () => {
    const damagedQuote = { ...quote, attributes: { [ATTR_REENACT_OUTPUT]: '191' } };
    const under = entered([damagedQuote]);
    expect(refusalOf(call(under, 'tool:get_quote', ['ACME'], under.position)).message).toContain('damaged');
    expect(kindsOf(under.report())).toEqual(['fixture-damaged']);
  });

  it('has no recorded outcome', () => {
    const under = entered([{ ...quote, without: [ATTR_REENACT_OUTPUT, ATTR_REENACT_OUTPUT_DIGEST] }]);
    const refusal = refusalOf(call(under, 'tool:get_quote', ['ACME'], under.position));
    expect(refusal.message).toContain('the value it returned was not recorded');
    expect(refusal.next).toContain('capture: "full"');
  });
});

describe('a model client that was recorded by what it sent', () => {
  const attributes = { [ATTR_GEN_AI_OPERATION_NAME]: 'chat', [ATTR_GEN_AI_PROVIDER_NAME]: 'openai' };
  const request: CrossingPlan = { label: 'http:POST api', input: ['a prompt'], output: 'hello', attributes };
  let unpatch = (): void => undefined;
  // As with HttpInstrumentation, without which nothing would ask for the request.
  beforeAll(() => {
    unpatch = httpMembers.patch<typeof fetch>(
      globalThis,
      'fetch',
      (original) =>
        (...parameters) =>
          original(...parameters),
    );
  });
  afterAll(() => unpatch());

  function asked(under: PlayerUnderTest & { readonly position: Position }, sends?: Arrival['sends']): Answer {
    const arrival = arrivalOf({ label: 'model:openai.chat', input: ['a prompt'] }, under.position);
    return under.player.answer({ ...arrival, ...(sends && { sends }) });
  }

  function passed(answer: Answer): Extract<Answer, { type: 'pass' }> {
    if (answer.type !== 'pass') throw new TypeError(`answered with ${answer.type}`);
    return answer;
  }

  it('sends again, and the request is served: nothing of the call itself is refused', () => {
    const under = entered([request]);
    const { position, ended } = passed(asked(under, attributes));
    expect(call(under, 'http:POST api', ['a prompt'], position)).toMatchObject({ type: 'stub' });
    ended();
    expect(kindsOf(under.report())).toEqual([]);
    expect(under.report().counts).toMatchObject({ stubbed: 1, refused: 0, unrecorded: 0 });
    expect(under.report().notes.join()).toContain('was recorded by its requests alone, as agent:a/http:POST api');
    expect(asked(under, attributes)).toMatchObject({ type: 'refuse' });
  });

  it('passes once for each request that is left, and is told where it ends without having sent one', () => {
    const under = entered([request]);
    const { ended } = passed(asked(under, attributes));
    expect(asked(under, attributes)).toMatchObject({ type: 'refuse' });
    // By other code, beside it.
    expect(call(under, 'http:POST api', ['a prompt'], under.position)).toMatchObject({ type: 'stub' });
    ended();
    const report = under.report();
    expect(kindsOf(report)).toEqual(['never-recorded', 'never-recorded']);
    expect(report.divergences[1]?.message).toContain('its code ran, but sent no request that was recorded here');
    expect(report).toMatchObject({ exitCode: 1, counts: { live: 1 } });
    expect(report.notes.join()).not.toContain('was recorded by its requests alone');
  });

  it('is refused at the call where no such request is left, by whatever else was called, and in no run', () => {
    const refused = (sends: Arrival['sends'], plan = request): void =>
      expect(asked(entered([plan]), sends)).toMatchObject({ type: 'refuse' });
    refused(undefined);
    refused({});
    refused({ ...attributes, [ATTR_GEN_AI_PROVIDER_NAME]: 'anthropic' });
    refused({ ...attributes, [ATTR_GEN_AI_OPERATION_NAME]: 'embeddings' });
    refused(attributes, { ...request, attributes: {} });
    const lost = entered([request]);
    const nowhere = { ...arrivalOf({ label: 'model:openai.chat', input: [] }, undefined), sends: attributes };
    expect(lost.player.answer(nowhere)).toMatchObject({ type: 'refuse' });
  });
});

describe('a call at another place', () => {
  it('is served and reported as moved when its input is exactly equal', () => {
    const under = entered([{ label: 'agent:sub', children: [quote] }]);
    expect(call(under, 'tool:get_quote', ['ACME'], under.position)).toMatchObject({ type: 'stub' });
    expect(under.report().divergences[0]).toMatchObject({
      kind: 'moved',
      path: 'agent:a/tool:get_quote',
      candidate: { path: 'agent:a/agent:sub/tool:get_quote' },
    });
  });

  it('after a sibling that had waited for it is reordered', () => {
    const under = entered([quote, { label: 'tool:place_order', startUs: 1_000, endUs: 2_000 }]);
    call(under, 'tool:place_order', [], under.position);
    call(under, 'tool:get_quote', ['ACME'], under.position);
    expect(kindsOf(under.report())).toEqual(['reordered']);
  });
});

describe('a live call', () => {
  it('moves the cursor to its match, also when its input changed', () => {
    const under = entered([{ label: 'tool:outer', effect: 'read', children: [quote] }], { live: ['tool:outer'] });
    const outer = call(under, 'tool:outer', ['changed'], under.position);
    if (outer.type !== 'run') throw new TypeError('runs');
    expect(call(under, 'tool:get_quote', ['ACME'], outer.position)).toMatchObject({ type: 'stub' });
    expect(kindsOf(under.report())).toEqual(['input-changed']);
  });

  it('without a match runs over an empty subtree', () => {
    const under = entered([{ label: 'tool:outer', effect: 'read', children: [quote] }], { live: ['tool:outer'] });
    const arrival = (position: Position): Answer => call(under, 'tool:outer', [], position);
    arrival(under.position);
    const second = arrival(under.position);
    if (second.type !== 'run') throw new TypeError('runs');
    expect(second.recorded).toBeUndefined();
    expect(refusalOf(call(under, 'tool:get_quote', ['other'], second.position)).message).toContain(
      'agent:a/tool:outer#2/tool:get_quote was never recorded',
    );
    expect(kindsOf(under.report())).toContain('exhausted');
  });

  it('whose code makes a call that it did not make says that a cache of it is empty, and how to let the call happen', () => {
    const under = entered([{ ...quote, label: 'tool:price' }], { live: ['tool:price'] });
    const price = call(under, 'tool:price', ['ACME'], under.position);
    if (price.type !== 'run') throw new TypeError('runs');
    const refusal = refusalOf(call(under, 'retrieval:prices a', ['ACME'], price.position));
    expect(refusal.message).toContain('never recorded here. The code of agent:a/tool:price runs for real');
    const next = under.report().divergences[0]?.next;
    expect(next).toContain('with --requests-before, too');
    expect(next).toContain("--live 'agent:a/tool:price/retrieval:prices a'");
    expect(next).not.toContain('belongs inside a tool()');
    call(under, 'tool:sell', ['ACME'], price.position);
    expect(under.report().divergences[1]?.next).not.toContain('--live');
  });

  it('that throws where it returned shows both', () => {
    const under = entered([quote], { live: ['tool:get_quote'] });
    const answer = call(under, 'tool:get_quote', ['ACME'], under.position);
    if (answer.type !== 'run') throw new TypeError('runs');
    answer.settled({ type: 'threw', error: encodeValue(Object.assign(new TypeError('no'), { code: 'E_NO' })) }, []);
    const [first] = under.report().divergences;
    expect(first?.kind).toBe('output-changed');
    expect(first?.difference?.map(({ path }) => path)).toEqual(['$.returned', '$.threw']);
    expect(first?.difference?.[1]?.live).toContain('"code":"E_NO"');
  });
});

describe('lost context', () => {
  it('is looked up under the run in a dedicated process', () => {
    const under = entered([quote]);
    expect(under.player.answer(arrivalOf({ label: 'tool:get_quote', input: ['ACME'] }, undefined))).toMatchObject({
      type: 'stub',
    });
    const other = under.player.answer(arrivalOf({ label: 'tool:unknown', input: [] }, undefined));
    expect(refusalOf(other).code).toBe('replay-refused');
  });
});

describe('a failure of the player itself', () => {
  it('refuses the call and keeps the replay from counting as reproduced', () => {
    const under = entered([quote]);
    const arrival = arrivalOf({ label: 'tool:get_quote', input: [] }, under.position);
    const broken = { ...arrival, input: { payload: { format: 'json', data: '{', digest: '' }, lossy: [] } } as const;
    expect(refusalOf(under.player.answer(broken)).message).toContain('failed to answer tool:get_quote');
    call(under, 'tool:get_quote', ['ACME'], under.position);
    expect(under.report().exitCode).not.toBe(0);
  });
});
