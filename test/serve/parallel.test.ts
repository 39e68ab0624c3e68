import type { ServerResponse } from 'node:http';
import type { OpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import { ask, stream, textsOf } from './ask.ts';
import { recordAct } from './recorded-agent.ts';
import { chunkEvent, completion, questionOf, type Script, sendJson } from './scripted-provider.ts';
import { serving } from './served.ts';

type AnswerWith = (response: ServerResponse, number: number, body: string) => void;

/** Holds all requests back until so many have come, then answers them from the last to the first. */
class ReversedProvider {
  private readonly waiting: (() => void)[] = [];
  private readonly count: number;
  private readonly answer: AnswerWith;
  private received = 0;

  constructor(count: number, answer: AnswerWith) {
    this.count = count;
    this.answer = answer;
  }

  readonly script: Script = (response, body, number) => {
    this.waiting.push(() => this.answer(response, number, body));
    this.received += 1;
    if (this.received === this.count) this.next();
  };

  /** The client has got an answer: the next may be sent, so that answers reach it in the order in which they are sent. */
  readonly next = (): void => {
    if (this.received === this.count) this.waiting.pop()?.();
  };
}

interface Answers {
  readonly answers: (string | null)[];
  /** Numbers of the questions in the order in which their answers came. */
  readonly ended: number[];
}

/** Asks all at once; `onAnswer` is told of each answer. */
function together(
  questions: readonly string[],
  onAnswer = (): void => undefined,
): (client: OpenAI) => Promise<Answers> {
  return async (client) => {
    const ended: number[] = [];
    const asked = questions.map(async (question, index) => {
      const answer = await ask(client, question);
      ended.push(index);
      onAnswer();
      return answer;
    });
    return { answers: await Promise.all(asked), ended };
  };
}

const echo: AnswerWith = (response, _number, body) => sendJson(response, completion(questionOf(body)));

describe('parallel requests', () => {
  it('keep their own answers and end in recorded order', async () => {
    const questions = ['a', 'b', 'c', 'd', 'e'];
    const provider = new ReversedProvider(5, echo);
    const recording = await recordAct(provider.script, together(questions, provider.next));
    const { value, report } = await serving(recording, together(questions));
    expect(value).toEqual({ answers: questions, ended: [4, 3, 2, 1, 0] });
    expect(report).toMatchObject({ exitCode: 0, divergences: [], counts: { stubbed: 5 } });
  });

  it('that are identical are answered each with another one of the recorded answers', async () => {
    const provider = new ReversedProvider(4, (response, number) => sendJson(response, completion(`answer ${number}`)));
    const questions = ['same', 'same', 'same', 'same'];
    const recording = await recordAct(provider.script, together(questions, provider.next));
    const { value, report } = await serving(recording, together(questions));
    expect(new Set(value.answers).size).toBe(4);
    expect(report).toMatchObject({ exitCode: 0, divergences: [] });
  });

  it('that are streamed never mix', async () => {
    const provider = new ReversedProvider(3, (response, _number, body) => {
      const question = questionOf(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 20; index += 1) response.write(chunkEvent(`${question}${index} `));
      response.end('data: [DONE]\n\n', provider.next);
    });
    const act = async (client: OpenAI): Promise<string[]> =>
      Promise.all(['x', 'y', 'z'].map(async (question) => (await textsOf(await stream(client, question))).join('')));
    const recording = await recordAct(provider.script, act);
    const { value, report } = await serving(recording, act);
    const wanted = ['x', 'y', 'z'].map((question) =>
      Array.from({ length: 20 }, (_, index) => `${question}${index} `).join(''),
    );
    expect(value).toEqual(wanted);
    expect(report.exitCode).toBe(0);
  });

  it('do not wait for ever for one that no longer comes', async () => {
    const provider = new ReversedProvider(2, echo);
    const recording = await recordAct(provider.script, together(['first', 'second'], provider.next));
    const { value, report } = await serving(recording, together(['first']));
    expect(value.answers).toEqual(['first']);
    expect(report.notes.join(' ')).toMatch(/was answered before calls that were recorded to end first/);
    expect(report.divergences.map(({ kind }) => kind)).toEqual(['unconsumed']);
  });
});

describe('replays at once', () => {
  it('share nothing', async () => {
    const recordings = await Promise.all(['p', 'q'].map((name) => recordOne(name)));
    const served = await Promise.all(
      recordings.map((recording) => serving(recording, (client) => ask(client, 'who are you?'))),
    );
    expect(served.map(({ value }) => value)).toEqual(['p', 'q']);
    expect(served.map(({ report }) => report.exitCode)).toEqual([0, 0]);
  });
});

let recordingTurn: Promise<unknown> = Promise.resolve();

/** The process has one recorder, so recordings are made one after the other. */
function recordOne(name: string): ReturnType<typeof recordAct> {
  const made = recordingTurn.then(() =>
    recordAct(
      (response) => sendJson(response, completion(name)),
      (client) => ask(client, 'who are you?'),
    ),
  );
  recordingTurn = made;
  return made;
}
