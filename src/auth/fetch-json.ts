const maxBytes = 256 * 1024
const timeoutMs = 5_000

/** Sends a POST if there is a form, otherwise a GET. */
export type FetchJson = (
  url: string,
  given?: { form?: URLSearchParams; headers: Record<string, string> },
) => Promise<{ status: number; body: unknown }>

/**
 * For URLs the operator configured, which are trusted and do not go through the outbound gateway.
 * Follows no redirects; response size and time are limited.
 */
export const fetchJson: FetchJson = async (url, given) => {
  const { request } = await import('undici')
  const form = given?.form
  const signal = AbortSignal.timeout(timeoutMs)
  const { statusCode, body } = await request(url, {
    signal,
    method: form ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...given?.headers,
    },
    ...(form && { body: form.toString() }),
  })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Throwing out of the loop destroys the stream, so nothing more is received.
    if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes from ${url}`)
    chunks.push(chunk)
  }
  return { status: statusCode, body: parse(Buffer.concat(chunks).toString('utf8'), url) }
}

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`no JSON from ${url}`, { cause })
  }
}
