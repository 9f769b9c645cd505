/** One segment of a JSON Pointer (RFC 6901). */
export const pointerSegment = (key: string): string =>
  key.replaceAll('~', '~0').replaceAll('/', '~1')
