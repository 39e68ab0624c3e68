/** What runs a command of a project, by the name under which its package manager goes. */
const runners: ReadonlyMap<string, string> = new Map([
  ['npm', 'npx '],
  ['pnpm', 'pnpm exec '],
  ['yarn', 'yarn '],
  ['bun', 'bunx '],
]);

/**
 * How to start this command again, for what is to be copied: whoever was started by a package manager is found by it alone, for the shell
 * knows no commands of a project.
 */
export function ownCommand({ npm_config_user_agent: manager = '' }: NodeJS.ProcessEnv = process.env): string {
  return `${runners.get(manager.split('/', 1)[0] ?? '') ?? ''}reenact`;
}

/** Advice with its commands of ours, each behind a backtick, as whoever reads it can type them. */
export function typedAdvice(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  return text.replaceAll('`reenact ', `\`${ownCommand(environment)} `);
}
