import type { AddHelpTextContext } from 'commander';

/** What each exit code of a command means. */
export type ExitCodes = Readonly<Record<number, string>>;

/** Those of a command that reads recordings and judges nothing. */
export const READING_EXIT_CODES: ExitCodes = {
  0: 'done',
  2: 'unusable input: a flag, an id, a file, or a collector that does not answer',
};

/** What stands in the help of a command below its flags: what its exit codes mean. */
export function exitCodesHelp(exitCodes: ExitCodes): (context: AddHelpTextContext) => string {
  return ({ command }) => {
    const help = command.createHelp();
    const helpWidth = command.configureOutput().getOutHelpWidth?.();
    help.prepareContext(helpWidth === undefined ? {} : { helpWidth });
    const lines = Object.entries(exitCodes).map(([code, meaning]) => help.formatItem(code, 1, meaning, help));
    return ['', 'Exit codes:', ...lines].join('\n');
  };
}
