import { createHash, timingSafeEqual } from "node:crypto";

/** In a time that says nothing about where they differ. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Empty: no bearer token is given. */
export function bearerIn(authorization: string | undefined): string {
  return /^Bearer +(\S+)\s*$/i.exec(authorization ?? "")?.[1] ?? "";
}

export function hasBearer(authorization: string | undefined, token: string): boolean {
  return token !== "" && isSame(bearerIn(authorization), token);
}
