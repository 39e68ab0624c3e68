import { describe, expect, it } from 'vitest';
import { refusalWording } from './attempted-effect.ts';

describe('what is said of a program that is not started', () => {
  const ofService = 'Where such processes serve the requests';

  it.each(['cluster.fork', 'child_process.fork'])('%s: how a service is replayed that serves from others', (name) => {
    expect(refusalWording({ type: 'program', name, target: '/app/server.js' }).next).toContain(ofService);
  });

  it('how a test is replayed that Jest gave to one of its processes', () => {
    const target = '/app/node_modules/jest-worker/build/processChild.js';
    const fork = { type: 'program', name: 'child_process.fork', target } as const;
    const { next } = refusalWording(fork, '', true);
    expect(next).toContain('--runInBand');
    expect(next).not.toContain(ofService);
    // Bundlers and servers have the same pool.
    expect(refusalWording(fork).next).not.toContain('--runInBand');
  });

  it('nothing of that, where it is any other', () => {
    const effect = { type: 'program', name: 'child_process.spawn', target: 'git' } as const;
    expect(refusalWording(effect).next).not.toContain(ofService);
  });
});

describe('what is said of a line of a shell', () => {
  const line = { type: 'program', name: 'child_process.execSync', target: 'echo $((40+2))', inShell: true } as const;

  it('that no flag lets it happen, where it may do more than to start one program', () => {
    expect(refusalWording(line).next).toContain('No flag lets it happen');
    expect(refusalWording(line).allow).toBe('');
    const { next } = refusalWording({ ...line, target: 'cat /srv/node/x | wc' });
    for (const part of ['No flag lets it happen', "spawn('node', [...])"]) expect(next).toContain(part);
  });

  it('which flag does, where it starts one', () => {
    const { next } = refusalWording({ ...line, target: 'echo 42', program: 'echo' });
    expect(next).toContain('--allow-program echo');
    expect(next).not.toContain('No flag');
  });
});

describe('what is said where the run was recorded in a process that something else started', () => {
  const instead = 'Replay it with that as command, node app.mjs.';

  it('is that first, and no leave for a shell that would start it for real', () => {
    const shell = { type: 'program', name: 'child_process.spawn', target: '/bin/sh', program: '/bin/sh' } as const;
    const { next } = refusalWording(shell, instead);
    expect(next).toMatch(
      /^Replay it with that as command, node app\.mjs\. Where it is a part of the run, put a boundary/,
    );
    expect(next).not.toContain('--allow-program');
    expect(refusalWording(shell).next).toContain('--allow-program /bin/sh');
  });

  it.each([
    '/usr/bin/fish',
    '/usr/local/bin/npx',
    'npm',
    'npm.cmd',
    'pnpm',
    'yarn',
    '/app/node_modules/.bin/tsx',
    'bun',
    'deno',
    'C:\\Program Files\\nodejs\\node.exe',
  ])('gives no leave for %s, which would start it for real as well', (program) => {
    const starter = { type: 'program', name: 'child_process.spawn', target: program, program } as const;
    expect(refusalWording(starter, instead).next).not.toContain('--allow-program');
  });

  it('names the leave of another program all the same', () => {
    const git = { type: 'program', name: 'child_process.spawn', target: 'git', program: 'git' } as const;
    expect(refusalWording(git, instead).next).toContain('--allow-program git');
  });
});

describe('what is said of how to let an effect happen', () => {
  const real = 'All that goes over it is real then';

  it('says of a connection that a worker takes real jobs over it', () => {
    const host = { type: 'host', name: 'net.connect', host: 'queue.internal', port: 7233 } as const;
    expect(refusalWording(host).next).toContain(`--allow-host queue.internal:7233. ${real}`);
    const pipe = { type: 'pipe', name: 'net.connect', path: '/run/redis.sock' } as const;
    expect(refusalWording(pipe).next).toContain(`--allow-path /run/redis.sock. ${real}`);
  });

  it('says of a program that what it asks and changes is real', () => {
    const claude = { type: 'program', name: 'child_process.spawn', target: 'claude', program: 'claude' } as const;
    expect(refusalWording(claude).next).toContain('--allow-program claude. All that it does is real then');
  });

  it('says no such thing of a file', () => {
    const file = { type: 'file', name: 'fs.writeFile', paths: ['/a'], target: '/a' } as const;
    expect(refusalWording(file).next).not.toContain('is real then');
  });
});

describe('what is said of a database that is not opened', () => {
  const opened = { type: 'file', paths: ['/app/orders.db'], target: '/app/orders.db' } as const;

  it('names the wrapper that there is for it', () => {
    const { next } = refusalWording({ ...opened, name: 'sqlite.DatabaseSync', isDatabase: true });
    expect(next).toContain('new (sqliteClient(DatabaseSync))(…)');
    expect(refusalWording({ ...opened, name: 'fs.writeFile' }).next).not.toContain('sqliteClient');
  });
});
