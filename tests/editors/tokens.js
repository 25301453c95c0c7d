// Prints the grammar's tokens of texts: node tokens.js NODE_MODULES GRAMMAR FILE...; one JSON array of lines each.
const fs = require("fs");
const path = require("path");
const [modules, grammarFile, ...files] = process.argv.slice(2);
const textmate = require(path.join(modules, "vscode-textmate"));
const oniguruma = require(path.join(modules, "vscode-oniguruma"));

async function main() {
  await oniguruma.loadWASM(fs.readFileSync(path.join(modules, "vscode-oniguruma/release/onig.wasm")).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(grammarFile, "utf8"), grammarFile),
  });
  const grammar = await registry.loadGrammar("source.tessera");
  for (const file of files) {
    let state = textmate.INITIAL;
    const lines = fs.readFileSync(file, "utf8").split("\n").map((line) => {
      const done = grammar.tokenizeLine(line, state);
      state = done.ruleStack;
      return done.tokens.map((token) => [token.startIndex, token.endIndex, token.scopes[token.scopes.length - 1]]);
    });
    console.log(JSON.stringify(lines));
  }
}

main();
