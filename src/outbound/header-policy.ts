import { OutboundRefused } from './outbound-errors.ts'

// Headers that frame the message or concern only this hop. A caller who could set one could
// smuggle a second request into the connection, or reach a virtual host that was not checked.
const reserved = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

export function isSettableHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return token.test(name) && !reserved.has(lower) && !lower.startsWith('proxy-')
}

/** Returns the headers with lower-case names; the last of several spellings of a name wins. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) {
    if (!isSettableHeader(name) || !fieldValue.test(value)) throw new OutboundRefused('HEADER')
    checked[name.toLowerCase()] = value
  }
  return checked
}
