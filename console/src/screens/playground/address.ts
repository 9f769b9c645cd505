// What the playground starts with stands in its address, so that a task or a colleague can lead
// here. What is typed afterwards stays out of it: prompts may be long and private.
export type PlaygroundSearch = {
  model?: string
  /** A second model beside the first, in the chat. */
  beside?: string
  prompt?: string
  /** Address of a picture to start from. */
  image?: string
}

const text = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : undefined

export function playgroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const read = {
    model: text(search.model, 200),
    beside: text(search.beside, 200),
    prompt: text(search.prompt, 4_000),
    image: text(search.image, 2_048),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}
