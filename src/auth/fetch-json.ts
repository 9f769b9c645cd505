import { request } from 'undici'

const maxBytes = 256 * 1024
const timeoutMs = 5_000

/** Form fields and headers make it a POST. */
export type FetchJson = (
  url: string,
  post?: { form: URLSearchParams; headers: Record<string, string> },
) => Promise<{ status: number; body: unknown }>

/** For addresses the operator configured: no outbound door, no redirects, capped in size and time. */
export const fetchJson: FetchJson = async (url, post) => {
  const signal = AbortSignal.timeout(timeoutMs)
  const { statusCode, body } = await request(url, {
    signal,
    method: post ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      ...(post && { 'content-type': 'application/x-www-form-urlencoded', ...post.headers }),
    },
    ...(post && { body: post.form.toString() }),
  })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Leaving the loop destroys the stream, so nothing more is received.
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
