// Sends requests for other vendors' hosts to the server under test, as an operator's DNS would. Omits TLS.
const http = require('node:http');
const https = require('node:https');

const target = new URL(process.env.POSTERN_URL);

https.request = (options, callback) => {
  const headers = { ...options.headers, Host: options.host ?? options.hostname };
  const { hostname, port } = target;
  return http.request({ ...options, host: hostname, hostname, port, headers, agent: undefined }, callback);
};
