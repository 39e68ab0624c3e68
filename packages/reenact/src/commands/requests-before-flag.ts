import { ReenactError } from '@reenact/trace-model';
import type { Command } from 'commander';

const FLAG = '--requests-before';

/** How many of the requests before a run it is replayed after. */
export interface RequestsBeforeFlag {
  /** Infinite: all of them. Absent: none but those that a fixture holds. */
  readonly requestsBefore?: number;
}

/** Throws ReenactError `bad-argument` where it is no count. */
function countOf(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ReenactError('bad-argument', `"${text}" is not how many requests.`, {
    where: FLAG,
    next: `Give a number, as in ${FLAG} 20, or all.`,
  });
}

/** Gives a command the flag. `purpose`: what is done with these requests, a clause. */
export function addRequestsBeforeFlag(command: Command, purpose: string): Command {
  return command.option(
    `${FLAG} <count>`,
    `for a run that a request entered: ${purpose} the last so many requests that came to its process before and may have left something in memory; or all`,
    countOf,
  );
}

/** A function is entered alone: throws ReenactError `bad-argument` where requests are to come before it. */
export function refuseRequestsBefore({ requestsBefore = 0 }: RequestsBeforeFlag): void {
  if (requestsBefore === 0) return;
  throw new ReenactError('bad-argument', `${FLAG} sends requests to a command, and a function enters this replay.`, {
    where: FLAG,
    next: 'Leave it out, or give the command that starts the service after two dashes.',
  });
}
