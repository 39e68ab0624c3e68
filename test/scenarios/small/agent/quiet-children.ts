// Asks a tool with what programs of Node.js said that make no call of their own.
import { execFile, execFileSync, execSync, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { agent, tool } from 'reenact';

const [, script = '', role, topic = ''] = process.argv;
const run = promisify(execFile);

const look = tool('look', async (what: string) => {
  // What a tool starts is none of the run's.
  return `${what}, and ${execFileSync(process.execPath, [script, 'quiet', 'inside'], { encoding: 'utf8' })}`;
});

const quiet = agent('quiet', async () => {
  const alone = execFileSync(process.execPath, [script, 'quiet', 'alone'], { encoding: 'utf8' });
  const sideBySide = await Promise.all(
    ['alike', 'alike'].map((word) => run(process.execPath, [script, 'quiet', word])),
  );
  const inShell = execSync(`node ${script} quiet shell`, { encoding: 'utf8' });
  // It only starts another one, as cross-env does.
  const passedOn = execFileSync(process.execPath, [script, 'passes-on', 'deep'], { encoding: 'utf8' });
  const failed = spawnSync(process.execPath, [script, 'quiet', process.env.FAILS ?? 'fails'], { encoding: 'utf8' });
  const said = [alone, ...sideBySide.map(({ stdout }) => stdout), inShell, passedOn, failed.stdout];
  // It does not run out of work, but says that it ends.
  said.push(execFileSync(process.execPath, [script, 'quiet', 'exits'], { encoding: 'utf8' }));
  return look(`${said.map((line) => line.trim()).join(' | ')} | ${failed.status}`);
});

switch (role) {
  case 'quiet':
    console.log(topic, Math.random(), Date.now());
    if (topic === 'exits') process.exit(0);
    process.exitCode = topic === 'fails' ? 3 : 0;
    break;
  case 'passes-on':
    process.stdout.write(execFileSync(process.execPath, [script, 'quiet', topic]));
    break;
  default:
    console.log(await quiet());
}
