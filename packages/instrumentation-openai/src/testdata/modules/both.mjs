import { createRequire } from 'node:module';
import OpenAI from 'openai';

const { OpenAI: Required } = createRequire(import.meta.url)('openai');
const isPatched = (OpenAIClass) => Object.getOwnPropertyDescriptor(OpenAIClass.prototype, 'makeRequest').value.length === 0;
const states = () => [OpenAI, Required].map(isPatched);

const loaded = states();
globalThis.openaiInstrumentation.disable();
const disabled = states();
globalThis.openaiInstrumentation.enable();
process.stdout.write(JSON.stringify({ areTwoClasses: OpenAI !== Required, loaded, disabled, enabled: states() }));
