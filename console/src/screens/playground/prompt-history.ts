// Earlier prompts, newest first: ArrowUp in an empty prompt brings them back. Pure.
const most = 50

export const withPrompt = (history: readonly string[], prompt: string): string[] =>
  [prompt, ...history.filter((other) => other !== prompt)].slice(0, most)

/**
 * The prompt that an arrow key leads to; null if the key belongs to the text, because somebody has
 * typed something that is no earlier prompt.
 */
export function stepHistory(
  history: readonly string[],
  prompt: string,
  direction: 'older' | 'newer',
): string | null {
  const at = prompt === '' ? -1 : history.indexOf(prompt)
  if (at === -1 && (prompt !== '' || direction === 'newer')) return null
  if (direction === 'older') return history[at + 1] ?? null
  return history[at - 1] ?? ''
}
