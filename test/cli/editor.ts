import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import { getLanguageService } from "yaml-language-server";

/** A YAML file as an editor has it open: with the language server that VS Code, Neovim and others run. */
export interface OpenFile {
  /** What is underlined: "5: Property foo is not allowed." */
  diagnostics(): Promise<readonly string[]>;
  /** What the editor offers at the `|` in the text. */
  offers(): Promise<readonly string[]>;
  /** What is shown over the first place of this text. */
  help(over: string): Promise<string>;
}

const service = getLanguageService({
  schemaRequestService: (uri) => readFile(fileURLToPath(uri), "utf8"),
  workspaceContext: { resolveRelativePath: (path, from) => resolve(fileURLToPath(from), "..", path) },
  // No telemetry, and none of the settings that an editor would send.
  telemetry: { send() {}, sendError() {}, sendTrack() {} },
});
service.configure({ validate: true, completion: true, hover: true, schemas: [] });

/** `text` is what the editor shows, with `|` for the cursor; by default, what is on disk. */
export async function openInEditor(path: string, text?: string): Promise<OpenFile> {
  const shown = text ?? (await readFile(path, "utf8"));
  const cursor = text === undefined ? -1 : shown.indexOf("|");
  const uri = pathToFileURL(path).href;
  const content = cursor < 0 ? shown : shown.slice(0, cursor) + shown.slice(cursor + 1);
  const document = TextDocument.create(uri, "yaml", 1, content);
  return {
    async diagnostics() {
      const found = await service.doValidation(document, false);
      return found.map(({ range, message }) => `${range.start.line + 1}: ${message}`);
    },
    async offers() {
      const { items } = await service.doComplete(document, document.positionAt(cursor), false);
      return items.map(({ label }) => label);
    },
    async help(over) {
      const hover = await service.doHover(document, document.positionAt(content.indexOf(over) + 1));
      return JSON.stringify(hover?.contents ?? "");
    },
  };
}
