import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import type { HabitPlace } from './habit-place.ts';

/** How agents ask a model: by whose client, and when they give up. The server is told by the model's name what it does. */
export interface ModelHabit {
  readonly does: 'openai' | 'anthropic' | 'ai-sdk';
  /** After so long the server answers, or sends the next piece. */
  readonly ms: number;
  /** So often it says first that it is busy. */
  readonly refusals: number;
  /** So many pieces it sends; 0 is an answer in one. */
  readonly count: number;
  /** After so many pieces the agent leaves. */
  readonly taken: number;
  /** After so long the agent gives up; 0 is never. */
  readonly afterMs: number;
}

type Ask = (habit: ModelHabit, at: HabitPlace, signal: AbortSignal | undefined) => Promise<unknown>;

async function taken<Piece>(pieces: AsyncIterable<Piece>, habit: ModelHabit, at: HabitPlace): Promise<Piece[]> {
  const seen: Piece[] = [];
  for await (const piece of pieces) {
    at.hear(`piece ${seen.push(piece)}`);
    if (seen.length === habit.taken) break;
  }
  return seen;
}

function modelOf({ ms, refusals, count }: ModelHabit): string {
  return `${ms}-${refusals}-${count}`;
}

const openai: Ask = async (habit, { address, place, hear }, signal) => {
  const client = new OpenAI({ apiKey: 'sk-1', baseURL: `${address}/v1`, logLevel: 'off', maxRetries: 1 });
  const messages = [{ role: 'user' as const, content: place }];
  const asked = { model: modelOf(habit), messages };
  if (habit.count === 0) return client.chat.completions.create(asked, { ...(signal && { signal }) });
  const stream = await client.chat.completions.create({ ...asked, stream: true }, { ...(signal && { signal }) });
  return taken(stream, habit, { address, place, hear });
};

const anthropic: Ask = async (habit, at, signal) => {
  const client = new Anthropic({ apiKey: 'sk-1', baseURL: at.address, logLevel: 'off', maxRetries: 1 });
  const messages = [{ role: 'user' as const, content: at.place }];
  const asked = { model: modelOf(habit), max_tokens: 9, messages };
  if (habit.count === 0) return client.messages.create(asked, { ...(signal && { signal }) });
  return taken(client.messages.stream(asked, { ...(signal && { signal }) }), habit, at);
};

const aiSdk: Ask = async (habit, at, signal) => {
  const model = createOpenAI({ apiKey: 'sk-1', baseURL: `${at.address}/v1` }).chat(modelOf(habit));
  const asked = { model, prompt: at.place, maxRetries: 1, ...(signal && { abortSignal: signal }) };
  if (habit.count === 0) return (await generateText(asked)).text;
  const { textStream } = streamText({ ...asked, onError: () => undefined });
  return taken(textStream, habit, at);
};

const asks = { openai, anthropic, 'ai-sdk': aiSdk } satisfies Record<ModelHabit['does'], Ask>;

/** Whether what a program does is to ask a model. */
export function isModelHabit(program: { readonly does: string }): program is ModelHabit {
  return program.does in asks;
}

/** Asks, and gives the answer or what was thrown in words. */
export async function askModel(habit: ModelHabit, at: HabitPlace): Promise<unknown> {
  const controller = new AbortController();
  const giveUp = (): void => controller.abort();
  const timer = habit.afterMs === 0 ? undefined : setTimeout(giveUp, habit.afterMs);
  try {
    return await asks[habit.does](habit, at, habit.afterMs === 0 ? undefined : controller.signal);
  } catch (error) {
    return String(error);
  } finally {
    clearTimeout(timer);
  }
}
