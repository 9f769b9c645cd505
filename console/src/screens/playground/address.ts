// The playground's starting point is part of its address, so that a task or a colleague can link to
// it. Text typed later is not: prompts may be long and private.
export type PlaygroundSearch = {
  /** The conversation that is open, in the chat. */
  conversation?: string
  model?: string
  /** A second model to compare with the first, in the chat. */
  beside?: string
  prompt?: string
  /** The address of a picture to start from. */
  image?: string
}

const text = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : undefined

export function playgroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const read = {
    conversation: text(search.conversation, 36),
    model: text(search.model, 200),
    beside: text(search.beside, 200),
    prompt: text(search.prompt, 4_000),
    image: text(search.image, 2_048),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}
