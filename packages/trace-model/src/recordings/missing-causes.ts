/** Why a recording cannot be replayed fully, and what would have recorded it. The closed list. */
export const MISSING_CAUSES = {
  'no-crossings':
    'No span of this trace carries reenact.* payloads. Record with `node --import reenact/register`; an agent in another language replays through `reenact serve` where what its models were asked and answered was captured (`reenact docs any-language`).',
  'no-input':
    'The input was not recorded, so a replay cannot compare it. A boundary of Reenact needs capture: "full", and what passes its spans on has to leave reenact.* on them.',
  'no-outcome':
    'The outcome was not recorded. A boundary of Reenact needs capture: "full", and what passes its spans on has to leave reenact.* on them.',
  'no-exchange': 'The raw exchange was not recorded, so the client library has nothing to read.',
  pending:
    'The crossing had not ended when its process stopped, or what it came to was not on the disk yet; a replay leaves it pending.',
  'read-on':
    'The agent still waited for more of this answer when its run ended. A replay of the run gives what had come by then; what came later is recorded when the answer ends, and what later runs were told by it is in none of them.',
  'exchange-open':
    'The response body did not come to its end while it was recorded, and it is not known what of it the agent had asked for.',
  reconstructed:
    'The response was rebuilt from GenAI attributes; ids, log-probs and chunk boundaries are not the original ones. `reenact serve` answers with it; an exact replay needs a run that Reenact recorded, in Node.js.',
  'unseen-connection':
    'The agent opened a connection or a database, sent a datagram, asked a name server or started a program or a worker thread, or changed a file that is not temporary, or reached a process of somebody else by its number, itself or by a native add-on, and nothing recorded it; a replay refuses that. Wrap the client that opens it (`reenact docs clients`), or do it inside a tool(). A file that a replay may write for real is named with --allow-path; what is only added to one, as to a log, goes aside and is no reason. What the program did outside of every run, before the run or beside it, is refused, too: start a program where the tool first asks it, or name it with --allow-program. What comes over it by itself, as the messages of a queue or a bot, or of an MCP server that is asked nothing, does not come again, nor does what the program has kept of it for later runs: handle each in an agent(), which --entry enters, and ask for what a run needs inside it.',
  'entry-needed':
    'What this run began with does not come again in a replay of the command of its program. It began in a worker thread, whose calls are no part of such a replay, or with what came over a connection that nothing records or to a server that no replay asks: an answer of a database, a job of a queue, an event of a bot, a message of a WebSocket. Wrap the client that it came over (`reenact docs clients`) and record again, or enter the run by its function, with what it was called with: --entry (`reenact docs entries`). Where no function of yours is the run, as of a bare call of a model, put an agent() around the code and record again.',
  'input-needed':
    'The program had read of its standard input what is not recorded: the command of a replay reads its own. Give the replay what the program was given, `reenact replay <id> -- <command> < <file>`, or type it again (`reenact docs entries`); or enter the run by its function, with what it was called with: --entry.',
  lossy: 'Part of a value could not be recorded exactly; a replay serves it without that part.',
  damaged: 'A payload does not match the digest taken when it was recorded.',
  'unknown-version': 'The payload was written by a newer version of Reenact. Upgrade this one.',
  'missing-parent': 'A span that encloses this crossing has not arrived.',
  'missing-call':
    'Calls that began inside this crossing have not arrived: they have not ended yet, wait in the spool of their process, or were lost. A replay refuses them.',
  unread:
    'It was more than the collector has the memory to look at, so its summary, search and drift are without it. The recording itself is whole.',
} as const;

/** One cause out of the closed list. */
export type MissingCause = keyof typeof MISSING_CAUSES;
