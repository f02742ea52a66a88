// What is wrong with a param of serverless.yml: a deployment stops at it.
module.exports = (name, expected, got) => new Error(`param ${name}: expected ${expected}, got ${JSON.stringify(got)}`);
