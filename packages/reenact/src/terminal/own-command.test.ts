import { expect, it } from 'vitest';
import { ownCommand, typedAdvice } from './own-command.ts';

it.each([
  [undefined, 'reenact'],
  ['npm/11.6.1 node/v24.11.0 linux x64 workspaces/false', 'npx reenact'],
  ['pnpm/10.20.0 npm/? node/v24.11.0 linux x64', 'pnpm exec reenact'],
  ['yarn/1.22.22 npm/? node/v24.11.0 linux x64', 'yarn reenact'],
])('names commands in advice as they can be typed where %s started this one', (manager, command) => {
  const environment = manager === undefined ? {} : { npm_config_user_agent: manager };
  expect(ownCommand(environment)).toBe(command);
  expect(
    typedAdvice('List them with `reenact runs`, or `reenact show <id>`; reenact/register stays.', environment),
  ).toBe(`List them with \`${command} runs\`, or \`${command} show <id>\`; reenact/register stays.`);
});
