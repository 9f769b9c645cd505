/** The provider that answers: its name for errors, and a way to keep its secrets out of them. */
export type Upstream = { readonly name: string; redact(text: string): string }

/** A whole answer as received. */
export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export const isEventStream = ({ headers }: Pick<Answer, 'headers'>): boolean =>
  /^text\/event-stream\b/i.test(String(headers['content-type']))
