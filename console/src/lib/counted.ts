/** `1 run`, `2 runs`; nouns with another plural name it. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`
