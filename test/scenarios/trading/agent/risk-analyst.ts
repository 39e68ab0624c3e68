import { agent } from 'reenact';
import { CHAT_MODEL, openai } from './provider-client.ts';

/** A sub-agent with one job: say in a sentence how risky the request is. */
export const assessRisk = agent(
  'risk-analyst',
  async ({ request, policies }: { request: string; policies: readonly string[] }) => {
    const response = await openai.responses.create({
      model: CHAT_MODEL,
      instructions: 'You assess the risk of a customer request in one sentence.',
      input: `Assess the risk of this request: ${request}\n\nPolicies:\n${policies.join('\n')}`,
    });
    return response.output_text;
  },
);
