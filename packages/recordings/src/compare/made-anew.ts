import { ATTR_GEN_AI_RESPONSE_ID } from '@reenact/semconv/gen-ai';
import { type Crossing, canonicalJson, isTree } from '@reenact/trace-model';
import { parsedText } from '../recorded/outcome-view.ts';
import { MADE_ANEW_ID_CHARACTERS_MIN } from './limits.ts';

/** Members of a provider's answer that are another value for every answer, whatever it says. */
const timeMembers = new Set(['created', 'created_at', 'completed_at']);

/** Only members that are called ids are put into words: the same text elsewhere is a value like any other. */
const idMember = /(^id|_id|Id)$/;

/**
 * What a provider makes anew for every answer: ids of answers, items and tool calls, and times of creation. Two runs that
 * went the same way still differ in these, and the ids come back in every later input. A tool call's id is put into words
 * by what the call asks for, so that results which were handed to the wrong call still show.
 */
export class MadeAnew {
  private readonly ids = new Map<string, string>();
  /** How many places were put into words. */
  replaced = 0;

  /** Learns the ids of one crossing from its whole input and outcome. */
  learn(crossing: Crossing, input: unknown, outcome: unknown): void {
    if (crossing.kind !== 'model' && crossing.kind !== 'embedding') return;
    if (isTree(outcome)) this.learnAnswer(outcome.body);
    this.learnId(crossing.attributes.get(ATTR_GEN_AI_RESPONSE_ID), '(id of an answer)');
    this.learnCalls(input);
    this.learnCalls(outcome);
  }

  private learnAnswer(body: unknown): void {
    const answers = Array.isArray(body) ? body : [body];
    for (const answer of answers.filter(isTree)) {
      this.learnId(answer.id, '(id of an answer)');
      if (!Array.isArray(answer.output)) continue;
      for (const item of answer.output.filter(isTree)) this.learnId(item.id, '(id of an item)');
    }
  }

  private learnId(id: unknown, words: string): void {
    if (typeof id !== 'string' || id.length < MADE_ANEW_ID_CHARACTERS_MIN || this.ids.has(id)) return;
    this.ids.set(id, words);
  }

  /** Tool calls wherever they stand: `{id, function: {name, arguments}}`, `{call_id, name, arguments}`, `{type: 'tool_call', id, …}`. */
  private learnCalls(tree: unknown): void {
    if (Array.isArray(tree)) {
      for (const item of tree) this.learnCalls(item);
      return;
    }
    if (!isTree(tree)) return;
    const called = isTree(tree.function) ? tree.function : tree;
    const id = tree.call_id ?? tree.id;
    if (typeof id === 'string' && typeof called.name === 'string' && called.arguments !== undefined) {
      const { arguments: given } = called;
      const words = canonicalJson(typeof given === 'string' ? parsedText(given) : given);
      this.learnId(id, `(call of ${called.name} with ${words})`);
    }
    for (const item of Object.values(tree)) this.learnCalls(item);
  }

  /** A copy of a tree in which learnt ids are put into words. */
  inWords(tree: unknown): unknown {
    if (this.ids.size === 0) return tree;
    if (Array.isArray(tree)) return tree.map((item) => this.inWords(item));
    if (!isTree(tree)) return tree;
    return Object.fromEntries(
      Object.entries(tree).map(([key, item]) => {
        if (typeof item !== 'string' || !idMember.test(key)) return [key, this.inWords(item)];
        const words = this.ids.get(item);
        if (words !== undefined) this.replaced += 1;
        return [key, words ?? item];
      }),
    );
  }

  /** A copy of a model's outcome in which ids and times of creation are put into words. */
  outcomeInWords(crossing: Crossing, tree: unknown): unknown {
    const replaced = this.inWords(tree);
    if (crossing.kind !== 'model' || crossing.exchanges.length === 0 || !isTree(replaced)) return replaced;
    const { body } = replaced;
    return {
      ...replaced,
      body: Array.isArray(body) ? body.map((item) => this.withoutTimes(item)) : this.withoutTimes(body),
    };
  }

  private withoutTimes(answer: unknown): unknown {
    if (!isTree(answer)) return answer;
    return Object.fromEntries(
      Object.entries(answer).map(([key, item]) => {
        if (!timeMembers.has(key) || typeof item !== 'number') return [key, item];
        this.replaced += 1;
        return [key, '(time of the answer)'];
      }),
    );
  }
}
