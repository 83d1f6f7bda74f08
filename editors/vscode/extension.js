// Starts `spawnfix lsp` and shows what it finds. All the work is done there.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const [command, ...args] = workspace.getConfiguration("spawnfix").get("command");
  client = new LanguageClient(
    "spawnfix",
    "spawnfix",
    { command, args },
    {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "file", language: "shellscript" },
      ],
    },
  );
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
