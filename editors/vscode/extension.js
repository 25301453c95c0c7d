// Starts `tessera lsp` and shows what its commands answer.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  const own = vscode.workspace.getConfiguration("tessera");
  return { hints: own.get("hints"), leastBytes: own.get("leastBytes"), machine: own.get("machine") };
}

// What a command of the server answers about the statement under the cursor.
async function asked(command) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "tessera") return undefined;
  const position = client.code2ProtocolConverter.asPosition(editor.selection.active);
  return client.sendRequest("workspace/executeCommand", {
    command,
    arguments: [client.code2ProtocolConverter.asUri(editor.document.uri), position],
  });
}

async function showText(command) {
  const content = await asked(command);
  if (content === undefined) return;
  const document = await vscode.workspace.openTextDocument({ content, language: "plaintext" });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

async function showPage() {
  const html = await asked("tessera.draw");
  if (html === undefined) return;
  const panel = vscode.window.createWebviewPanel("tessera", "Tessera", vscode.ViewColumn.Beside, { enableScripts: true });
  panel.webview.html = html;
}

// The link of a message: the section of the error index about it.
const explanations = {
  provideTextDocumentContent(uri) {
    const slug = uri.path.replace(/^\/errors\//, "").replace(/\.md$/, "");
    return client.sendRequest("workspace/executeCommand", { command: "tessera.explain", arguments: [slug] });
  },
};

async function activate(context) {
  const command = vscode.workspace.getConfiguration("tessera").get("path");
  client = new LanguageClient(
    "tessera",
    "Tessera",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "tessera" }], initializationOptions: settings() },
  );
  context.subscriptions.push(
    vscode.commands.registerCommand("tessera.showPlan", () => showText("tessera.plan")),
    vscode.commands.registerCommand("tessera.showComparison", () => showText("tessera.compare")),
    vscode.commands.registerCommand("tessera.showPage", showPage),
    vscode.workspace.registerTextDocumentContentProvider("tessera-doc", explanations),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("tessera")) return;
      client.sendNotification("workspace/didChangeConfiguration", { settings: { tessera: settings() } });
    }),
  );
  await client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
