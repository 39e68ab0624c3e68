import type { ClientCall, ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import { objectBehind } from '../object/client-object.ts';
import { eventMethods } from '../object/client-options.ts';

const commit: ClientMethod = { name: 'mongodb.commitTransaction', effect: 'write' };
const abort: ClientMethod = { name: 'mongodb.abortTransaction', effect: 'write' };

/** Its state is the driver's own in a replay, too; what it asks of a server is a commit or the end of a transaction. */
const session: ReturnedObject = {
  methods: {
    startTransaction: { as: 'setting' },
    commitTransaction: commit,
    abortTransaction: abort,
    withTransaction: { as: 'composed' },
    endSession: { as: 'composed' },
    [Symbol.asyncDispose]: { as: 'composed' },
    ...eventMethods,
  },
};

export const sessionMethods: Readonly<Record<string, ClientMethod>> = {
  startSession: { as: 'step', returns: session },
  withSession: { as: 'composed' },
};

/** What is used of a session of the driver. */
interface Session {
  inTransaction(): boolean;
  readonly transaction?: { readonly state: string; transition(state: string): void };
}

function isSession(value: unknown): value is Session {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'endSession') === 'function';
}

function hasSession(value: unknown): value is { readonly session: Session } {
  return typeof value === 'object' && value !== null && 'session' in value && isSession(value.session);
}

/** In place of the session among the options, which holds the client and what that connects with: what it means for the operation. */
export function keptSessions(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.map((parameter) => {
    if (typeof parameter !== 'object' || parameter === null) return parameter;
    if (hasSession(parameter)) {
      const isInside = parameter.session.inTransaction();
      return { ...parameter, session: isInside ? 'in its transaction' : 'without a transaction' };
    }
    if (!('owner' in parameter) || typeof parameter.owner !== 'symbol') return parameter;
    // By which the driver knows the sessions that it made for one call.
    const { owner: _, ...options } = parameter;
    return options;
  });
}

/** The driver gets its own sessions. */
export function ownSessions(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.map((parameter) => {
    if (!hasSession(parameter)) return parameter;
    const own = objectBehind(parameter.session);
    return own === undefined ? parameter : { ...parameter, session: own };
  });
}

const STARTING = 'STARTING_TRANSACTION';
const IN_PROGRESS = 'TRANSACTION_IN_PROGRESS';
const NONE = 'NO_TRANSACTION';
const COMMITTED = 'TRANSACTION_COMMITTED';
const EMPTY = 'TRANSACTION_COMMITTED_EMPTY';
const ABORTED = 'TRANSACTION_ABORTED';

/** The state after a call, by the state before it, as the driver has it whatever came of the call; none where it stays. */
const afterCommit: Readonly<Record<string, string>> = {
  [STARTING]: EMPTY,
  [EMPTY]: EMPTY,
  [IN_PROGRESS]: COMMITTED,
  [COMMITTED]: COMMITTED,
};
const afterAbort: Readonly<Record<string, string>> = { [STARTING]: ABORTED, [IN_PROGRESS]: ABORTED };
const afterOperation: Readonly<Record<string, string>> = {
  [STARTING]: IN_PROGRESS,
  [COMMITTED]: NONE,
  [EMPTY]: NONE,
  [ABORTED]: NONE,
};

function follow({ transaction }: Session, next: Readonly<Record<string, string>>): void {
  const state = transaction && next[transaction.state];
  if (state !== undefined) transaction?.transition(state);
}

/** Whether a server answered, if only with an error: else a transaction has not begun there. */
function isAnswer(error: unknown): boolean {
  return error === undefined || (error instanceof Error && typeof Reflect.get(error, 'code') === 'number');
}

/**
 * Moves the state of a session on as the driver does where a server answers: by it the driver tells what may come next, and whether a
 * transaction is to be committed at all.
 */
export function followSession(
  { method, parameters, steps }: ClientCall,
  object: object | undefined,
  error: unknown,
): void {
  if (isSession(object)) {
    if (method === 'commitTransaction') follow(object, afterCommit);
    if (method === 'abortTransaction') follow(object, afterAbort);
    return;
  }
  if (!isAnswer(error)) return;
  const given = [...parameters, ...steps.flatMap(([, stepParameters]) => stepParameters)].find(hasSession);
  if (given !== undefined) follow(given.session, afterOperation);
}
