import type { Answer } from '@reenact/instrumentation';

/** The player's answer that a request is served from the recording. */
export type StubAnswer = Extract<Answer, { type: 'stub' }>;

/** One served call: a client library's further attempts belong to it. */
export interface ServedCall {
  readonly answer: StubAnswer;
  /** How many of the recorded exchanges have been served. */
  attempts: number;
}

/**
 * Tells a client library's further attempt at a call from a new call with the same request. Libraries that count their
 * attempts in a header are believed; without the header, an attempt that was recorded is expected before a new call.
 */
export class OpenCalls {
  private readonly byRequest = new Map<string, ServedCall[]>();

  /** The call a request goes on with, or undefined for a new one. `retryCount`: 0 for a first attempt. */
  find(request: string, retryCount: number | undefined): ServedCall | undefined {
    if (retryCount === 0) return undefined;
    const calls = this.byRequest.get(request) ?? [];
    const unfinished = calls.find(({ answer, attempts }) => attempts < answer.recorded.exchanges.length);
    return unfinished ?? (retryCount === undefined ? undefined : calls.at(-1));
  }

  add(request: string, answer: StubAnswer): ServedCall {
    const call = { answer, attempts: 0 };
    this.byRequest.set(request, [...(this.byRequest.get(request) ?? []), call]);
    return call;
  }

  /** Calls of which not every recorded attempt was made. */
  unfinished(): readonly ServedCall[] {
    const all = [...this.byRequest.values()].flat();
    return all.filter(({ answer, attempts }) => attempts < answer.recorded.exchanges.length);
  }
}
