import type { Dispatcher } from 'undici';

/** `dispatch` of any dispatcher: agents, pools and clients. */
export type Dispatch = (
  this: object,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
) => boolean;

/** What undici tells the handler of a request about the connection under it. */
export type DispatchController = Dispatcher.DispatchController;

/** The exports of undici that a replay answers with, so that the host meets the package's own classes and parsing. */
export interface UndiciParts {
  readonly errors: Readonly<Record<string, unknown>>;
  /** Whether it is the one inside Node.js, by which the platform's `fetch` sends. */
  readonly isPlatform?: true;
  /** Headers as undici hands them over, from the flat list of names and values. */
  parseHeaders(raw: readonly Buffer[]): Record<string, string | string[]>;
}
