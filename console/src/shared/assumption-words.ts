/** What an estimate assumed, with the names people gave: the server knows nodes by their ids. */
export const assumptionWords = (sentence: string, nameOf: (id: string) => string): string =>
  sentence.replace(/\bnode "([\w-]+)"/, (_, id: string) => nameOf(id))
