import OpenAI from 'openai';

/** Chat model of the agent; the local provider of the demo answers to any name. */
export const CHAT_MODEL = process.env.TRADING_MODEL ?? 'gpt-5-mini';

/** Embedding model of the policy search. */
export const EMBEDDING_MODEL = 'text-embedding-3-small';

/** The real SDK, pointed wherever OPENAI_BASE_URL says. */
export const openai = new OpenAI({ apiKey: process.env.OPENAI_API_KEY ?? 'local-provider-needs-no-key' });
