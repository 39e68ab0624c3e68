import type { Terminal } from '../terminal/terminal.ts';

/** What every command is given by main. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Sets the exit code the process ends with; main is the only place that exits. */
  readonly exitWith: (code: number) => void;
}
