import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from '@reenact/instrumentation';
import fc from 'fast-check';

/** Names of tools: few, so that calls repeat. */
export const TOOL_NAMES = ['a', 'b', 'c', 'd'] as const;

/** Names of sub-agents. */
export const AGENT_NAMES = ['x', 'y'] as const;

/** An agent whose calls say what earlier ones gave, as those of a model do. */
export type AskingProgram =
  | {
      readonly does: 'call';
      readonly name: (typeof TOOL_NAMES)[number];
      readonly asks: string;
      /** Which earlier answers it says: 0 is the last one. */
      readonly says: readonly number[];
    }
  | { readonly does: 'sequence' | 'together'; readonly parts: readonly AskingProgram[] }
  | { readonly does: 'inside'; readonly name: (typeof AGENT_NAMES)[number]; readonly part: AskingProgram };

const call: fc.Arbitrary<AskingProgram> = fc.record({
  does: fc.constant('call' as const),
  name: fc.constantFrom(...TOOL_NAMES),
  asks: fc.constantFrom('1', '2', '3'),
  says: fc.constantFrom([], [0], [0, 1]),
});

const { part } = fc.letrec<{ part: AskingProgram }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: call },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constantFrom('sequence', 'together'),
        parts: fc.array(tie('part'), { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        does: fc.constant('inside' as const),
        name: fc.constantFrom(...AGENT_NAMES),
        part: tie('part'),
      }),
    },
  ),
}));

/** Programs of several calls. */
export const askingPrograms: fc.Arbitrary<AskingProgram> = fc.record({
  does: fc.constant('sequence' as const),
  parts: fc.array(part, { minLength: 2, maxLength: 5 }),
});

/** One call that a program made. */
export interface AskedCall {
  /** Agents and tool, as a report writes a path without its run. */
  readonly path: string;
  readonly input: string;
  /** Another one for each call that really happened; undefined where it was refused. */
  output?: string;
}

/** One run of such a program. */
export class Asking {
  /** What it called, in order. */
  readonly calls: AskedCall[] = [];
  private readonly happen: () => number;
  private readonly agents = new Map(
    AGENT_NAMES.map((name) => [name, agent(name, (body: () => Promise<string[]>): Promise<string[]> => body())]),
  );
  private readonly tools = new Map(
    TOOL_NAMES.map((name) => [name, tool(name, (_input: unknown): Promise<string> => this.happened(name))]),
  );

  /** `happen`: counts what really happens, and gives the count. */
  constructor(happen: () => number) {
    this.happen = happen;
  }

  /** Does it; `answers` are those of before. Gives the new ones. */
  async perform(program: AskingProgram, answers: readonly string[] = [], path = ''): Promise<string[]> {
    switch (program.does) {
      case 'call':
        return [await this.asked(program, answers, path)];
      case 'inside':
        return this.inside(program.name, program.part, answers, path);
      case 'together':
        return (await Promise.all(program.parts.map((one) => this.perform(one, answers, path)))).flat();
      case 'sequence': {
        const given: string[] = [];
        for (const one of program.parts) given.push(...(await this.perform(one, [...answers, ...given], path)));
        return given;
      }
    }
  }

  private async happened(name: string): Promise<string> {
    const count = this.happen();
    await pause((count * 7) % 4);
    return `${name} ${count}`;
  }

  private async asked(
    { name, asks, says }: Extract<AskingProgram, { does: 'call' }>,
    answers: readonly string[],
    path: string,
  ): Promise<string> {
    const input = { asks, said: says.flatMap((back) => answers.at(-1 - back) ?? []) };
    const call: AskedCall = { path: `${path}/tool:${name}`, input: JSON.stringify(input) };
    this.calls.push(call);
    try {
      const output = await this.tools.get(name)?.(input);
      if (output !== undefined) call.output = output;
      return output ?? 'no tool';
    } catch (error) {
      return `failed: ${error instanceof Error ? error.name : 'unknown'}`;
    }
  }

  /** A sub-agent that is refused gives nothing: none of its code runs. */
  private async inside(
    name: (typeof AGENT_NAMES)[number],
    program: AskingProgram,
    answers: readonly string[],
    path: string,
  ): Promise<string[]> {
    const body = (): Promise<string[]> => this.perform(program, answers, `${path}/agent:${name}`);
    try {
      return (await this.agents.get(name)?.(body)) ?? [];
    } catch {
      return [];
    }
  }
}
