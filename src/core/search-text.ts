/** How many characters of a text can be searched: more than anybody remembers of a prompt. */
const searchLength = 2_000

/**
 * Normalises case, width and white space of stored text and of search terms. It is done here
 * because the two databases compare letters beyond ASCII differently.
 */
export function toSearchText(text: string): string {
  const normalised = text
    .slice(0, 2 * searchLength)
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\0]+/g, ' ')
    .trim()
  return Array.from(normalised).slice(0, searchLength).join('')
}
