/** Returns `size` unpredictable bytes. Injected, so that tests can make it predictable. */
export type Random = (size: number) => Uint8Array

/** 256 random bits, encoded so that they need no escaping in a cookie, a URL or JSON. */
export const randomToken = (random: Random): string => Buffer.from(random(32)).toString('base64url')
