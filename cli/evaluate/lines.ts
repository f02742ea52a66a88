import { StringDecoder } from "node:string_decoder";

/** The lines of a text, however it is cut into chunks. Only "\n" ends one: U+2028 may occur in a JSON string. */
export async function* lines(chunks: AsyncIterable<string | Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      parts.push(text.slice(start, end));
      yield withoutReturn(parts.join(""));
      parts = [];
      start = end + 1;
    }
    if (start < text.length) parts.push(text.slice(start));
  }
  const last = parts.join("") + decoder.end();
  if (last !== "") yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
