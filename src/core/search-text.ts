/** What is kept of a text to search in, in characters: enough for any prompt a person remembers. */
const searchLength = 2_000

/**
 * One spelling for stored text and for what is searched: the databases differ in how they compare
 * letters beyond ASCII, so case, width and white space are levelled here.
 */
export function toSearchText(text: string): string {
  const levelled = text
    .slice(0, 2 * searchLength)
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\0]+/g, ' ')
    .trim()
  return Array.from(levelled).slice(0, searchLength).join('')
}
