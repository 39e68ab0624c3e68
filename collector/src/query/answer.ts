import type { ServerResponse } from 'node:http';
import { ReenactError } from '@reenact/trace-model';
import { type ParameterSchema, readParameters } from '@reenact/trace-model/collector-api';
import type { z } from 'zod';

/** What a question is asked with. */
export interface Question {
  readonly tenant: string;
  /** The last segment of the path, where the question has one. */
  readonly id: string;
  readonly parameters: URLSearchParams;
  /** The header `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
}

/** A JSON document ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** An answer that goes on: it writes headers and content itself, and ends with its reader. */
export interface StreamedAnswer {
  readonly contentType: string;
  /** Rejects with why an answer broke off; it is too late then to tell whoever asked. */
  readonly stream: (response: ServerResponse) => Promise<void>;
}

/** One question of the query API. Errors are thrown as ReenactError and answered by the router. */
export type Answerer = (question: Question) => Promise<Answer | StreamedAnswer>;

/** A document that says yes. */
export function answerJson(value: unknown): Answer {
  return { status: 200, body: JSON.stringify(value) };
}

/** The member of an answer that says how many runs it may lack because they still wait for their summary; none where there are none. */
export function lackingRuns(unsummarisedRuns: number): { unsummarisedRuns?: number } {
  return unsummarisedRuns === 0 ? {} : { unsummarisedRuns };
}

/** The parameters of a question. Throws ReenactError `bad-request` for one that is unknown, doubled or cannot be used. */
export function parametersOf<Schema extends ParameterSchema>(
  { parameters }: Question,
  schema: Schema,
): z.output<Schema> {
  const read = readParameters(schema, parameters);
  if (read.ok) return read.value;
  throw new ReenactError('bad-request', `The parameter "${read.name}" cannot be used: ${read.problem}.`, {
    where: read.name,
    next: Object.hasOwn(schema.shape, read.name) ? nextFor(schema, read.name) : nextWithout(schema),
  });
}

/** What to do about a parameter that exists and was given something that it does not take. */
function nextFor({ shape }: ParameterSchema, name: string): string {
  const meaning = shape[name]?.description;
  const said = meaning === undefined ? '' : `It means: ${meaning}. `;
  return `${said}/api/v1/openapi.json says what it takes.`;
}

function nextWithout({ shape }: ParameterSchema): string {
  const names = Object.keys(shape);
  return names.length === 0 ? 'Leave all parameters out.' : `Use ${names.join(', ')}; /api/v1/openapi.json says how.`;
}
