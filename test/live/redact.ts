// Makes a recorded answer fit to be kept in the repository: nothing that opens an account, names
// one, or weighs a megabyte.

export type Kept = { status: number; headers: Record<string, string>; body: unknown }

/** Headers with a meaning for an adapter; all others are dropped. */
const keptHeaders = ['content-type', 'retry-after', 'retry-after-ms', 'x-fal-billable-units']
const longestText = 400

export function redact(
  { status, headers, body }: { status: number; headers: Record<string, unknown>; body: string },
  secrets: readonly string[],
): Kept {
  const clean = cleaner(secrets)
  const kept = keptHeaders.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, clean(String(headers[name]))] as const],
  )
  return { status, headers: Object.fromEntries(kept), body: cleanValue(parsed(body), clean) }
}

/** JSON as it is, the events of a stream as a list of theirs, anything else as text. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    if (!/^(?:event|data):/m.test(body)) return body
    return body
      .split(/\r?\n\r?\n/)
      .filter((event) => event.trim() !== '')
      .map((event) => parsed(event.replace(/^(?:event: .*\r?\n)?data: ?/, '')))
  }
}

function cleaner(secrets: readonly string[]): (text: string) => string {
  const parts = secrets.flatMap((secret) => [secret, ...secret.split(':')])
  const known = parts.filter((part) => part.length >= 4)
  return (text) => {
    let clean = text
    for (const secret of known) clean = clean.replaceAll(secret, '[secret]')
    clean = clean
      .replace(/\b(?:sk|r8|AIza|key)[-_][\w-]{16,}/g, '[secret]')
      .replace(/\b(?:org|user|proj|req|acct)[-_][\w-]{6,}/g, '[id]')
      .replace(/[\w.+-]+@[\w-]+\.[\w.]+/g, '[address]')
      // What follows in an address may be a signature that grants access.
      .replace(/(https?:\/\/[^\s"?]+)\?[^\s"]*/g, '$1')
    return clean.length > longestText ? `[${clean.length} characters]` : clean
  }
}

function cleanValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((inner) => cleanValue(inner, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, cleanValue(inner, clean)]),
  )
}
