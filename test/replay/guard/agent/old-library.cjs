// Stands for a package of npm that knows nothing of Reenact; the stage puts it into node_modules.
'use strict';
// Packages of npm name the modules of Node.js without `node:`.
const load = (name) => require(name);
const { writeFileSync, appendFile, promises } = load('fs');
const { connect } = load('net');
const { get } = load('http');

function ended(emitter) {
  return new Promise((resolve, reject) => {
    emitter.once('error', reject);
    emitter.once('close', () => resolve('closed'));
  });
}

exports.attempts = {
  'fs.writeFileSync by a dependency': () => writeFileSync('written.txt', 'x'),
  'fs.appendFile by a dependency': () =>
    new Promise((resolve, reject) => {
      appendFile('appended.txt', 'x', (error) => (error ? reject(error) : resolve('done')));
    }),
  'fs.promises.rm by a dependency': () => promises.rm('full-folder', { recursive: true }),
};

exports.networkAttempts = (port) => ({
  'net.connect by a dependency': () => ended(connect(port, '127.0.0.1')),
  'http.request by a dependency': () => ended(get(`http://127.0.0.1:${port}/`)),
});
