const http = require('node:http');

exports.run = (address) =>
  new Promise((resolve, reject) => {
    const made = http.get(`${address}/echo`, (response) => {
      response.setEncoding('utf8');
      let body = '';
      response.on('data', (part) => {
        body += part;
      });
      response.on('end', () => resolve([response.statusCode, body]));
    });
    made.on('error', reject);
  });
