import { ATTR_GEN_AI_RESPONSE_ID } from '@reenact/semconv/gen-ai';
import { type Crossing, canonicalJson, isTree } from '@reenact/trace-model';
import { parsedText } from '../recorded/outcome-view.ts';
import { MADE_ANEW_ID_CHARACTERS_MIN } from './limits.ts';

type Words = ReadonlyMap<string, string>;

/** Members of a provider's answer that are another value for every answer, whatever it says. */
const timesInWords: Words = new Map(
  ['created', 'created_at', 'completed_at'].map((member) => [member, '(time of the answer)']),
);

/** Members of a connection to a server of MCP that are others for every connection. */
const connectionInWords: Words = new Map([
  ['processId', "(number of the server's process)"],
  ['sessionId', '(id of the session)'],
]);

function withWords(tree: unknown, words: Words): { readonly tree: unknown; readonly replaced: number } {
  if (!isTree(tree)) return { tree, replaced: 0 };
  let replaced = 0;
  const members = Object.entries(tree).map(([key, item]) => {
    const said = typeof item === 'number' || typeof item === 'string' ? words.get(key) : undefined;
    if (said !== undefined) replaced += 1;
    return [key, said ?? item];
  });
  return { tree: Object.fromEntries(members), replaced };
}

/** Only members that are called ids are put into words: the same text elsewhere is a value like any other. */
const idMember = /(^id|_id|Id)$/;

/**
 * What a provider makes anew for every answer: ids of answers, items and tool calls, and times of creation; and of a connection to a server of MCP
 * the number of its process, or the id of its session. Two runs that
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

  /** A copy of an outcome in which ids, and a model's times of creation, are put into words. */
  outcomeInWords({ kind, name, exchanges }: Crossing, tree: unknown): unknown {
    const replaced = this.inWords(tree);
    if (kind === 'mcp' && name.endsWith('/initialize')) return this.membersInWords(replaced, connectionInWords);
    if (kind !== 'model' || exchanges.length === 0 || !isTree(replaced)) return replaced;
    const inWords = (answer: unknown): unknown => this.membersInWords(answer, timesInWords);
    const { body } = replaced;
    return { ...replaced, body: Array.isArray(body) ? body.map(inWords) : inWords(body) };
  }

  private membersInWords(answer: unknown, words: Words): unknown {
    const { tree, replaced } = withWords(answer, words);
    this.replaced += replaced;
    return tree;
  }
}
