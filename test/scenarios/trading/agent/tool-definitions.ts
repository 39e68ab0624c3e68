import type OpenAI from 'openai';

function functionTool(
  name: string,
  description: string,
  properties: Record<string, object>,
): OpenAI.Chat.Completions.ChatCompletionTool {
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    },
  };
}

const symbol = { type: 'string', description: 'Ticker symbol' };

/** The tools as the model sees them. */
export const toolDefinitions: OpenAI.Chat.Completions.ChatCompletionTool[] = [
  functionTool('get_position', 'Shares the account holds.', { symbol }),
  functionTool('get_quote', 'Last traded price in dollars.', { symbol }),
  functionTool('place_order', 'Place a market order.', {
    symbol,
    side: { type: 'string', enum: ['buy', 'sell'] },
    quantity: { type: 'integer', description: 'How much' },
  }),
];
