import { AGENT_PACKAGES } from './agent-packages.ts';

/** Something that nothing recorded, by how the mark of it begins, and what is to be done about it. */
interface UnseenKind {
  readonly mark: RegExp;
  readonly did: string;
  readonly advice: string;
  /** Whether a replay refuses it; without this, it starts it again or lacks it, as the advice says. */
  readonly isRefused: boolean;
}

const UNSEEN_KINDS: readonly UnseenKind[] = [
  {
    mark: /^(?:file |more than \d+ files)/,
    did: 'changed a file that is not temporary',
    advice:
      'Change a file inside a tool(), or name one that a replay may write for real with --allow-path; what is only added to one, as to a log, goes aside and is no reason.',
    isRefused: true,
  },
  {
    mark: new RegExp(`^program .* by (?:${AGENT_PACKAGES.join('|')})$`),
    did: 'started an agent that is a program of its own',
    advice:
      'Wrap what reads its messages, an async generator: boundary("model", …), as in `reenact docs across-processes`.',
    isRefused: true,
  },
  {
    mark: /^program /,
    did: 'started a program',
    advice:
      'Start it inside a tool(), or name it with --allow-program, which starts it for real; in a line of a shell only where that is one program and plain words.',
    isRefused: true,
  },
  {
    mark: /^messages to /,
    did: 'asked a program that something else had started',
    advice: 'Start it where the tool first asks it, or name it with --allow-program, which starts it for real.',
    isRefused: true,
  },
  {
    mark: /^(?:signal to|priority of) process \d/,
    did: 'reached a process of somebody else by its number',
    advice: 'Do that inside a tool().',
    isRefused: true,
  },
  {
    mark: /^(?:database|call) /,
    did: 'asked a database or another service by what no wrapper covers',
    advice: 'Wrap its client, or do inside a tool() what its wrapper leaves out (`reenact docs clients`).',
    isRefused: true,
  },
  {
    mark: /^(?:udp |dns\.|[/\\]|\S+:\d+(?: by |$))/,
    did: 'opened a connection, sent a datagram or asked a name server',
    advice:
      'Wrap the client that does so (`reenact docs clients`), or do it inside a tool(). What comes over a connection by itself, as the messages of a queue or a bot, does not come again: handle each in an agent(), which --entry enters.',
    isRefused: true,
  },
  {
    mark: /^thread /,
    did: 'started a worker thread',
    advice: 'A replay starts a thread again, and what that calls is no part of it: do it inside a tool().',
    isRefused: false,
  },
  {
    mark: /^answers of thread /,
    did: 'asked a worker thread that works with the clock, with random numbers or with calls of its own, or does not say so',
    advice: 'A replay starts a thread again, on the real clock, and answers none of its calls: ask it inside a tool().',
    isRefused: false,
  },
  {
    mark: /^calls of thread /,
    did: 'had a worker thread that calls others by itself',
    advice:
      'Call from the main thread, or name what a replay may reach for real, as where a logger sends what it logs, with --allow-host.',
    isRefused: true,
  },
  {
    mark: /^what the MCP server .* \(subscriptions\/listen\)$/,
    did: 'asked an MCP server to tell it of changes by listen()',
    advice: 'A replay tells of the same changes, and refuses listen() itself: go on where it fails.',
    isRefused: false,
  },
  {
    mark: /^what the MCP server /,
    did: 'heard what an MCP server says by itself, which several runs may',
    advice:
      'What a server says unasked comes again only where one run has ever asked it: connect in the run, or handle it in an agent(), which --entry enters.',
    isRefused: false,
  },
];

const OUTSIDE_MARK = /^(?:before|beside) the run: /;

function subject(details: readonly string[]): string {
  const outside = details.filter((detail) => OUTSIDE_MARK.test(detail)).length;
  if (outside === 0) return 'The agent';
  return outside === details.length
    ? 'The program, before the run or beside it,'
    : 'The agent, or the program outside of its run,';
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

/** What is to be said of what these marks tell of, and of nothing else; undefined where one of them is of no kind that is known here. */
export function unseenAdvice(details: readonly string[]): string | undefined {
  const found = details.map((detail) => {
    const place = detail.replace(OUTSIDE_MARK, '');
    return UNSEEN_KINDS.find(({ mark }) => mark.test(place));
  });
  if (found.length === 0 || found.includes(undefined)) return undefined;
  const kinds = UNSEEN_KINDS.filter((kind) => found.includes(kind));
  const refused = kinds.some(({ isRefused }) => isRefused) ? '; a replay refuses that' : '';
  const what = `${subject(details)} ${listed(kinds.map(({ did }) => did))}, and nothing recorded it${refused}.`;
  return [what, ...kinds.map(({ advice }) => advice)].join(' ');
}
