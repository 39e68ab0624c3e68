import { createOpenAI } from '@ai-sdk/openai';
import * as ai from 'ai';
import { exercise } from './exercise.ts';

await exercise(ai, createOpenAI, process.argv[2]);
