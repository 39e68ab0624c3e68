import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let queue: Server;
let messenger: HttpServer;
let jobCount = 0;
let stage: Stage;

beforeAll(async () => {
  queue = createServer((socket) => {
    jobCount += 1;
    socket.on('error', () => undefined).write('4');
  }).listen(0, '127.0.0.1');
  await once(queue, 'listening');
  messenger = createHttpServer().on('upgrade', (_request, socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: bot\r\n\r\n');
    setTimeout(() => socket.write('6'), 100);
  });
  messenger.listen(0, '127.0.0.1');
  await once(messenger, 'listening');
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
  queue.close();
  messenger.close();
  messenger.closeAllConnections();
});

// Each waits half a minute until it is known that nothing comes.
const caseMs = 120_000;

describe('a program that waits for what does not come in a replay', () => {
  it(
    'is stopped where a message began its run, and told how that is entered',
    async () => {
      const environment = { QUEUE_PORT: `${(queue.address() as AddressInfo).port}` };
      const { run } = await recordRun(stage, 'consumer.ts', { ...environment, ENDS: '1' });
      expect(run.name).toBe('agent:job');
      const { report, result } = await replayAsJson(stage, run.rootSpanId, 'consumer.ts', { environment });
      expect(report).toMatchObject({ verdict: 'forbidden', counts: { recorded: 2, unconsumed: 2 } });
      expect(report.notes.join()).toContain('and never got to agent:job');
      expect(report.enterBy).toContain(`\`reenact replay ${run.rootSpanId} --entry <file>#<function>\``);
      expect(result.stderr).not.toContain('job:');
      expect(jobCount).toBe(1);
    },
    caseMs,
  );

  it(
    'is sent the signal that it listens for, and ends as it did when somebody stopped it',
    async () => {
      const { run } = await recordRun(stage, 'serves-on.ts', { ENDS: '1' });
      const { report, result } = await replayAsJson(stage, run.rootSpanId, 'serves-on.ts');
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], agentExit: 'exit code 7' });
      expect(report.counts).toMatchObject({ recorded: 3, stubbed: 2, rerun: 1 });
      expect(report.notes.join()).toContain('It was sent SIGTERM there');
      expect(result.stderr).toContain('closed');
    },
    caseMs,
  );
});

describe('a program whose messages come over a WebSocket, which it opens again and again', () => {
  it(
    'is stopped, and told how a message of it is entered',
    async () => {
      const environment = { BOT_URL: `http://127.0.0.1:${(messenger.address() as AddressInfo).port}/` };
      await stage.node(['--import', 'reenact/register', 'socket-bot.ts'], { ...environment, ENDS: '1' });
      const run = await runsOnceThere(stage, (runs) => runs.find(({ name }) => name === 'agent:message'));
      const { report, result } = await replayAsJson(stage, run.rootSpanId, 'socket-bot.ts', { environment });
      expect(report).toMatchObject({ verdict: 'nothing-compared', counts: { recorded: 2, unconsumed: 2 } });
      expect(report.notes.join()).toContain('and never got to agent:message');
      expect(report.enterBy).toContain(`reenact replay ${run.rootSpanId} --entry <file>#<function>`);
      expect(result.stderr).not.toContain('message:');
    },
    caseMs,
  );
});
