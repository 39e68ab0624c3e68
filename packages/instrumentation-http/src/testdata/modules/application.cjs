const { request } = require('undici');
const { exercise } = require('./exercise.ts');

void exercise(request);
