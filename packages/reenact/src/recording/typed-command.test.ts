import { describe, expect, it } from 'vitest';
import { typedCommand } from './typed-command.ts';

const container = (name: string) => ['/bin/node', `/srv/app/node_modules/pm2/lib/${name}`];

describe('the words that start a program', () => {
  it('are its own, with the flags of Node.js', () => {
    const words = { argv: ['/bin/node', '/srv/app.ts', '--fast'], execArgv: ['--import', 'tsx'], env: {} };
    expect(typedCommand(words, false)).toEqual(['/bin/node', '--import', 'tsx', '/srv/app.ts', '--fast']);
  });

  it('are those of the program where PM2 loads it, as a process or in a cluster', () => {
    const env = { pm_exec_path: '/srv/app/app.mjs' };
    expect(
      typedCommand({ argv: [...container('ProcessContainerFork.js'), '--fast'], execArgv: [], env }, false),
    ).toEqual(['/bin/node', '/srv/app/app.mjs', '--fast']);
    const settings = { pm2_env: JSON.stringify({ pm_exec_path: '/srv/app/app.mjs', args: ['--fast'] }) };
    expect(typedCommand({ argv: container('ProcessContainer.js'), execArgv: [], env: settings }, false)).toEqual([
      '/bin/node',
      '/srv/app/app.mjs',
      '--fast',
    ]);
  });

  it('are as they stand where what PM2 says cannot be read', () => {
    const argv = container('ProcessContainer.js');
    expect(typedCommand({ argv, execArgv: [], env: { pm2_env: '{' } }, false)).toEqual(argv);
  });

  it.each([
    ['threads', 'forks'],
    ['vmThreads', 'vmForks'],
  ])(
    'are those of the process that runs the same test files where Vitest runs them in a thread: %s',
    (thread, fork) => {
      const argv = ['/bin/node', `/srv/app/node_modules/vitest/dist/workers/${thread}.js`];
      expect(typedCommand({ argv, execArgv: ['--expose-gc'], env: {} }, true)).toEqual([
        '/bin/node',
        `/srv/app/node_modules/vitest/dist/workers/${fork}.js`,
      ]);
    },
  );

  it('are none in a worker thread, whose file is no program', () => {
    expect(typedCommand({ argv: ['/bin/node', '/srv/worker.js'], execArgv: [], env: {} }, true)).toBeUndefined();
  });

  it.each([
    '/srv/node_modules/jest-worker/build/processChild.js',
    '/srv/node_modules/next/dist/compiled/jest-worker/processChild.js',
    '/srv/node_modules/tinypool/dist/entry/process.js',
  ])('are none in a process of a pool: %s', (script) => {
    const env = { JEST_WORKER_ID: '2', NODE_ENV: 'production' };
    expect(typedCommand({ argv: ['/bin/node', script], execArgv: [], env }, false)).toBeUndefined();
  });

  it('are those of the pool in which Jest runs test files, which tell how to run one', () => {
    const argv = ['/bin/node', '/srv/node_modules/jest-worker/build/processChild.js'];
    const env = { JEST_WORKER_ID: '2', NODE_ENV: 'test' };
    expect(typedCommand({ argv, execArgv: [], env }, false)).toEqual(argv);
  });
});

describe('the words that start a test file', () => {
  it('are without what the test runner of Node.js adds, which starts each file with all that its options are by default', () => {
    const added = [
      '--test-isolation=process',
      '--max-http-header-size=16384',
      '--v8-pool-size=4',
      '--tls-cipher-list=HIGH:!aNULL',
      '--secure-heap=0',
    ];
    const execArgv = [...added, '--conditions=dev', '--import=tsx', '--max-old-space-size=300', '--expose-gc'];
    const argv = ['/bin/node', '/srv/agent.test.ts'];
    expect(typedCommand({ argv, execArgv, env: { NODE_TEST_CONTEXT: 'child-v8' } }, false)).toEqual([
      '/bin/node',
      '--conditions=dev',
      '--import=tsx',
      '--max-old-space-size=300',
      '--expose-gc',
      '/srv/agent.test.ts',
    ]);
    expect(typedCommand({ argv, execArgv, env: {} }, false)).toEqual(['/bin/node', ...execArgv, '/srv/agent.test.ts']);
  });
});

describe('the words that start a program of a test', () => {
  it('are with what was typed for the test runner, and for a program that a test starts', () => {
    const argv = ['/bin/node', '/srv/agent.test.ts'];
    const env = { NODE_TEST_CONTEXT: 'child-v8' };
    const typed = ['--test-name-pattern=refund', '--max-http-header-size=65536', '--stack-trace-limit=50'];
    const execArgv = ['--test-isolation=process', '--network-family-autoselection-attempt-timeout=250', ...typed];
    expect(typedCommand({ argv, execArgv, env }, false)).toEqual(['/bin/node', ...typed, '/srv/agent.test.ts']);
    const ofProgram = ['--secure-heap=4096', ...typed];
    expect(typedCommand({ argv, execArgv: ofProgram, env }, false)).toEqual([
      '/bin/node',
      ...ofProgram,
      '/srv/agent.test.ts',
    ]);
  });
});
