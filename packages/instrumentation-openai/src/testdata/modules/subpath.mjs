import { createRequire } from 'node:module';
import { AzureOpenAI } from 'openai/azure';

const { OpenAI: Required } = createRequire(import.meta.url)('openai/client');
const isPatched = (prototype) => Object.getOwnPropertyDescriptor(prototype, 'makeRequest').value.length === 0;
process.stdout.write(JSON.stringify([Object.getPrototypeOf(AzureOpenAI.prototype), Required.prototype].map(isPatched)));
