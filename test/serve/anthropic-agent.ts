import type { ServerResponse } from 'node:http';
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import { instrumentAnthropic } from '@reenact/instrumentation-anthropic';
import type { Recording } from '@reenact/trace-model';
import { recordAt } from './recorded-agent.ts';
import type { Script } from './scripted-provider.ts';

/** What an agent does with a client of Anthropic: the code that is recorded, and then asked again. */
export type AnthropicAct = (client: Anthropic) => Promise<unknown>;

/** A client that says nothing and has no key to lose; `baseUrl` as a provider of OpenAI's protocol has it, or without its `/v1`. */
export function anthropicClientOf(baseUrl: string, options: ClientOptions = {}): Anthropic {
  return new Anthropic({ baseURL: baseUrl.replace(/\/v1$/, ''), apiKey: 'none', logLevel: 'off', ...options });
}

/** Records one act of an agent with the real client of Anthropic. */
export function recordAnthropic(script: Script, act: AnthropicAct, options: ClientOptions = {}): Promise<Recording> {
  return recordAt(script, (baseUrl) => act(instrumentAnthropic(anthropicClientOf(baseUrl, options))));
}

const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-5-20260901' };
const usage = { input_tokens: 9, output_tokens: 3, service_tier: 'standard' };

/** Thinking with its signature, which no edit touches. */
export const thinkingBlock = { type: 'thinking', thinking: 'Dollars, not shares.', signature: 'c2lnbmVk' };

/** A text the model says. */
export function textBlock(text: string): object {
  return { type: 'text', text };
}

/** A tool the model asks for. */
export function callBlock(id: string, name: string, input: object): object {
  return { type: 'tool_use', id, name, input };
}

/** A message with this content, as the API gives it whole. */
export function messageOf(content: readonly object[]): Record<string, unknown> {
  const isAsking = content.some((block) => 'input' in block);
  return { ...head, content, stop_reason: isAsking ? 'tool_use' : 'end_turn', stop_sequence: null, usage };
}

function deltasOf(block: Record<string, unknown>): object[] {
  switch (block.type) {
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use': {
      const text = JSON.stringify(block.input);
      const pieces = [text.slice(0, 3), text.slice(3)];
      return pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    }
    default:
      return String(block.text)
        .split(/(?<= )/)
        .map((text) => ({ type: 'text_delta', text }));
  }
}

const emptied: Readonly<Record<string, object>> = {
  thinking: { thinking: '', signature: '' },
  text: { text: '' },
  tool_use: { input: {} },
};

/** The events of the same message streamed, a ping among them. */
export function messageEvents(content: readonly object[]): string[] {
  const { content: _content, stop_reason, ...rest } = messageOf(content);
  const blocks = content.flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: { ...block, ...emptied[(block as { type: string }).type] } },
    { type: 'ping' },
    ...deltasOf(block as Record<string, unknown>).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  const all = [
    { type: 'message_start', message: { ...rest, content: [], stop_reason: null } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 42 } },
    { type: 'message_stop' },
  ];
  return all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Answers with a message, streamed or not as the request asks. */
export function saying(content: readonly object[]): Script {
  return (response: ServerResponse, body: string) => {
    const { stream } = JSON.parse(body) as { stream?: boolean };
    if (stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_8' });
      for (const event of messageEvents(content)) response.write(event);
      return response.end();
    }
    response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_7' });
    return response.end(JSON.stringify(messageOf(content)));
  };
}

/** The request that every act makes. */
export const anthropicRequest: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'claude-sonnet-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Sell $1,000 worth.' }],
};
