import type { AnsweredCall } from '../object/answered-call.ts';
import type { ClientStep } from '../object/client-step.ts';

type CommandCallback = (error: unknown, reply?: unknown) => void;

function callbackOf([, parameters]: ClientStep): CommandCallback | undefined {
  const last = parameters.at(-1);
  return typeof last === 'function' ? (last as CommandCallback) : undefined;
}

/** What the callback throws is the host's, and must not become a rejection of the whole. */
function tell(callback: CommandCallback, parameters: readonly [unknown, unknown?]): void {
  try {
    callback(...parameters);
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}

/**
 * Calls the callbacks that single commands of a pipeline were given, as the driver does before the whole is answered; it never sent
 * them here. Those of a transaction hear that they are queued, and what came of it stands in the answer alone. Gives the answer.
 */
export function tellCommands(replies: unknown, { steps }: AnsweredCall): unknown {
  const begin = steps.findIndex(([name]) => name === 'pipeline' || name === 'multi');
  if (!Array.isArray(replies) || begin < 0) return replies;
  const isTransaction = steps[begin]?.[0] === 'multi';
  steps.slice(begin + 1).forEach((step, index) => {
    const callback = callbackOf(step);
    const reply: unknown = replies[index];
    if (callback === undefined || !Array.isArray(reply)) return;
    const [error, value] = reply as [unknown, unknown?];
    if (isTransaction) tell(callback, [null, 'QUEUED']);
    else tell(callback, error ? [error] : [null, value]);
  });
  return replies;
}
