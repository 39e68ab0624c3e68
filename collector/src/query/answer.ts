import { ReenactError } from '@reenact/trace-model';

/** What a question is asked with. */
export interface Question {
  readonly tenant: string;
  /** The last segment of the path, where the question has one. */
  readonly id: string;
  readonly parameters: URLSearchParams;
}

/** A JSON document ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One question of the query API. Errors are thrown as ReenactError and answered by the router. */
export type Answerer = (question: Question) => Promise<Answer>;

/** A document that says yes. */
export function answerJson(value: unknown, status = 200): Answer {
  return { status, body: JSON.stringify(value) };
}

/** Throws ReenactError `bad-request` when a parameter is given that this question does not have. */
export function refuseParameters({ parameters }: Question, accepted: readonly string[]): void {
  for (const name of parameters.keys()) {
    if (accepted.includes(name)) continue;
    throw new ReenactError('bad-request', `There is no parameter "${name}" here.`, {
      where: name,
      next: accepted.length === 0 ? 'Leave all parameters out.' : `Use ${accepted.join(', ')}.`,
    });
  }
}
