import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { McpInstrumentation } from '../../index.ts';
import { buy } from '../buyer.ts';
import { CallPlayer } from '../call-player.ts';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { RunningShop } from '../running-shop.ts';

/** What a child process tells about one copy of the SDK. */
export interface ExerciseReport {
  readonly recorded: unknown;
  readonly replayed: unknown;
  readonly refusals: readonly string[];
  readonly effects: string;
  readonly sdk: string | undefined;
  readonly crossings: number;
  /** Crossings after `disable()` and one more run, and after `enable()` and another. */
  readonly afterDisable: number;
  readonly afterEnable: number;
}

/** One copy of the SDK, as the application loaded it. */
export interface LoadedSdk {
  readonly Client: typeof Client;
  readonly StdioClientTransport: typeof StdioClientTransport;
  readonly McpError: typeof McpError;
}

/** Records one copy of the SDK, serves it, and switches its instrumentation off and on. Prints an ExerciseReport. */
export async function exercise(sdk: LoadedSdk): Promise<void> {
  const { mcpInstrumentation } = globalThis as unknown as { mcpInstrumentation: McpInstrumentation };
  const shop = new RunningShop();
  const act = (): Promise<unknown> =>
    buy(new sdk.Client({ name: 'buyer', version: '1.0.0' }), new sdk.StdioClientTransport(shop.command), sdk.McpError);
  const calls = new RecordedCalls();
  calls.attach();
  const recorded = await act();
  const player = new CallPlayer(calls.crossings());
  const count = calls.facts.length;
  const replayed = await player.during(act);
  calls.facts.length = 0;
  const { effects } = shop;
  mcpInstrumentation.disable();
  await act();
  const afterDisable = calls.facts.length;
  mcpInstrumentation.enable();
  await act();
  await shop.stop();
  const report: ExerciseReport = {
    recorded,
    replayed,
    refusals: player.refusals,
    effects,
    sdk: player.arrivals[0]?.boundary.sdk,
    crossings: count,
    afterDisable,
    afterEnable: calls.facts.length,
  };
  process.stdout.write(JSON.stringify(report));
}
