const { createOpenAI } = require('@ai-sdk/openai');
const ai = require('ai');
const { exercise } = require('./exercise.ts');

void exercise(ai, createOpenAI, process.argv[2]);
