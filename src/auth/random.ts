/** Chance, handed in: returns that many unpredictable bytes. */
export type Random = (size: number) => Uint8Array

/** 256 bits that fit a cookie, a fragment and a JSON string alike. */
export const randomToken = (random: Random): string => Buffer.from(random(32)).toString('base64url')
