import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { instrumentOpenAI } from '@reenact/instrumentation-openai';
import { type ReplayResult, type ReplaySettings, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { clientOf } from '../../serve/recorded-agent.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../serve/scripted-provider.ts';
import { chatAnswer, chatStream, events, json } from '../plan/answers.ts';
import { recordRun } from '../recorded-run.ts';
import { Desk, type DeskInputs, unchanged } from './desk.ts';

const prompt = 'You trade with care.';

/** How one replay of the desk went. */
export interface DeskReplay {
  readonly report: ReplayResult<unknown>;
  /** What really happened: boundaries that ran, and requests that arrived. */
  readonly done: readonly string[];
}

/** What a replay of the desk is given. */
export interface DeskReplayOptions extends Omit<ReplaySettings, 'recording'> {
  readonly change?: Partial<DeskInputs>;
  readonly prompt?: string;
  readonly allows?: boolean;
  readonly recording?: Recording;
}

/** A recorded run of the desk, and real servers that see whether anything reaches them in a replay. */
export class DeskStage {
  private readonly folder = mkdtempSync(join(tmpdir(), 'reenact-desk-'));
  private readonly provider: ScriptedProvider;
  private readonly prices: Server;
  private readonly instrumentation = new HttpInstrumentation({ inbound: false });
  private pricesSeen = 0;
  private known: Recording | undefined;

  private constructor(provider: ScriptedProvider) {
    this.provider = provider;
    this.prices = createServer((message, response) => {
      this.pricesSeen += 1;
      message.resume().once('end', () => response.end('{"ACME":190}'));
    });
  }

  /** Starts the servers and records one run. */
  static async set(): Promise<DeskStage> {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const answers = json(chatAnswer('Sell five.'));
    const streamed = events(chatStream(['Sold ', '5.']));
    const provider = await startScriptedProvider((response, body, number) => {
      const isStream = (JSON.parse(body) as { stream?: boolean }).stream === true;
      return (isStream ? streamed : answers)(response, body, number);
    });
    const stage = new DeskStage(provider);
    await new Promise<void>((resolve) => stage.prices.listen(0, '127.0.0.1', resolve));
    stage.known = await recordRun(stage.desk({}, [], true).run);
    return stage;
  }

  /** What was recorded. */
  get recording(): Recording {
    if (this.known === undefined) throw new TypeError('Nothing was recorded.');
    return this.known;
  }

  private desk({ change, prompt: live, allows }: DeskReplayOptions, done: string[], isRecording = false): Desk {
    const promptFile = join(this.folder, 'prompt.txt');
    writeFileSync(promptFile, live ?? prompt);
    const pricesUrl = `http://127.0.0.1:${(this.prices.address() as AddressInfo).port}`;
    const client = instrumentOpenAI(clientOf(this.provider.baseUrl, { maxRetries: 0 }));
    const setting = { client, pricesUrl, promptFile, done, ...(allows === undefined ? {} : { allows }) };
    return new Desk({ ...unchanged, ...(isRecording ? {} : change) }, setting);
  }

  private get requestCount(): number {
    return this.provider.requestCount() + this.pricesSeen;
  }

  /** Replays the desk, changed as told. */
  async replay(options: DeskReplayOptions = {}): Promise<DeskReplay> {
    const { change: _change, prompt: _prompt, allows: _allows, recording = this.recording, ...settings } = options;
    const done: string[] = [];
    const desk = this.desk(options, done);
    const before = this.requestCount;
    const report = await replay({ ...settings, recording, run: () => desk.run() });
    for (let count = before; count < this.requestCount; count += 1) done.push('request');
    return { report, done };
  }

  /** Removes everything. */
  async strike(): Promise<void> {
    this.instrumentation.disable();
    context.disable();
    await this.provider.stop();
    this.prices.closeAllConnections();
    await new Promise((resolve) => this.prices.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
