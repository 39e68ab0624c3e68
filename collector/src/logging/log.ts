/** How much is written to the log, from everything to nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** How much is written to the log. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Facts of one line; never a secret, never content. */
export type LogFacts = Readonly<Record<string, string | number | boolean>>;

/** Takes one finished line, without its end. */
export type LogSink = (line: string) => void;

/** Writes what happens, one JSON object a line. */
export interface Log {
  debug(event: string, facts?: LogFacts): void;
  info(event: string, facts?: LogFacts): void;
  warn(event: string, facts?: LogFacts): void;
  error(event: string, facts?: LogFacts): void;
}

/** A log from this level on. `event` names what happened in the past tense; a sink that fails is the collector's loss only. */
export function createLog(level: LogLevel, sink: LogSink): Log {
  const from = LOG_LEVELS.indexOf(level);
  const writer = (own: LogLevel) => {
    if (LOG_LEVELS.indexOf(own) < from) return () => undefined;
    return (event: string, facts: LogFacts = {}) => {
      try {
        sink(JSON.stringify({ time: new Date().toISOString(), level: own, event, ...facts }));
      } catch {
        // Nowhere to say so.
      }
    };
  };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}
