/** An assumption of an estimate, with node ids replaced by the names that people see. */
export const assumptionWords = (sentence: string, nameOf: (id: string) => string): string =>
  sentence.replace(/\bnode "([\w-]+)"/, (_, id: string) => nameOf(id))
