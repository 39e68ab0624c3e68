import { AIMessageChunk, HumanMessage, isAIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { withToolCallId } from 'reenact';
import { z } from 'zod';
import { placeOrder } from './order-tools.ts';

type State = typeof MessagesAnnotation.State;

const tools = [
  tool(async (order, { toolCall }) => withToolCallId(String(toolCall?.id), () => placeOrder(order)), {
    name: 'place_order',
    description: 'Sells shares.',
    schema: z.object({ symbol: z.string(), quantity: z.number() }),
  }),
];
const model = new ChatOpenAI({ model: 'gpt-4o', maxRetries: 0 }).bindTools(tools);

const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }: State) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }: State) => {
    const last = messages.at(-1);
    return last !== undefined && isAIMessage(last) && (last.tool_calls ?? []).length > 0 ? 'tools' : END;
  })
  .addEdge('tools', 'model')
  .compile();

const asked = { messages: [new HumanMessage('Sell $1,000 worth of ACME.')] };
const state = await graph.invoke(asked);

/** Tokens as they come, each with the node that it came from. */
const tokens: unknown[] = [];
for await (const [message, { langgraph_node: node }] of await graph.stream(asked, { streamMode: 'messages' })) {
  tokens.push([node, message instanceof AIMessageChunk, message.content, message.id]);
}

const messages = state.messages.map(({ type, content, id }) => ({ type, content, id }));
process.stdout.write(`${JSON.stringify({ messages, tokens })}\n`);
