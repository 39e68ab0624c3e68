import { describe, expect, it } from 'vitest';
import { createPositionKey } from '../propagation/position-token.ts';
import { childEnvironment } from './child-environment.ts';

const registerUrl = 'file:///app%20one/node_modules/reenact/dist/register.js';

function nodeOptionsFor(nodeOptions: string | undefined, command: readonly string[] = []): string | undefined {
  const options = { replayId: 'abcdef0123456789', key: createPositionKey(), directory: '/d', registerUrl, command };
  return childEnvironment(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }, options).NODE_OPTIONS;
}

describe('how the process of a replay loads the hook', () => {
  it('is by --import, before the options of its own', () => {
    expect(nodeOptionsFor(undefined)).toBe(`--import=${registerUrl}`);
    expect(nodeOptionsFor('--enable-source-maps -r ts-node/register')).toBe(
      `--import=${registerUrl} --enable-source-maps -r ts-node/register`,
    );
    expect(nodeOptionsFor(undefined, ['node', '--import', 'reenact/register', '-r', './a.cjs', 'a.ts'])).toBe(
      `--import=${registerUrl}`,
    );
  });

  it.each([
    ['-r reenact/register', []],
    ['--require=reenact/register', []],
    ['--require "/app/node_modules/reenact/dist/register.js" --enable-source-maps', []],
    ['', ['node', '-r', 'reenact/register', '-r', 'ts-node/register', 'app.ts']],
  ])('is by --require where the user does so: %s %j', (nodeOptions, command) => {
    const flag = '--require="/app one/node_modules/reenact/dist/register.js"';
    expect(nodeOptionsFor(nodeOptions, command)).toBe(`${flag} ${nodeOptions}`.trim());
  });
});
