// Tries a template or an expression on values of the last run, by the server's rules: the same
// placeholders, and the same JSONata library under similar limits.
import { render } from '#graph/node/placeholders.ts'

export type TryOutcome = { readonly ok: boolean; readonly text: string }

/** As on the server: stops an expression that runs too long or grows too large. */
const limits = { timeout: 1000, stack: 1000, sequence: 1_000_000 }
const longest = 20_000

export async function tryCode(
  language: 'template' | 'jsonata',
  text: string,
  values: Readonly<Record<string, unknown>>,
): Promise<TryOutcome> {
  try {
    if (language === 'template') return { ok: true, text: cut(render(text, values)) }
    const { default: jsonata } = await import('jsonata')
    const result = await jsonata(text, limits).evaluate(inputOf(values))
    return { ok: true, text: cut(JSON.stringify(result, null, 2) ?? 'nothing') }
  } catch (error) {
    return { ok: false, text: messageOf(error) }
  }
}

/** Nodes with an expression have one input, whatever its name. */
export const inputOf = (values: Readonly<Record<string, unknown>>): unknown =>
  values.input ?? values.value ?? Object.values(values)[0]

const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest)}…` : text)

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
