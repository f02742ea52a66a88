export function functionsNode(): string;
