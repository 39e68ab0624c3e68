const OpenAI = require('openai');
const { exercise } = require('./exercise.ts');

void exercise(OpenAI, process.argv[2]);
