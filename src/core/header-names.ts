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

export const isHeaderName = (name: string): boolean => token.test(name)

/** Whether somebody other than this server may choose the value of this header. */
export function isSettableHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return isHeaderName(name) && !reserved.has(lower) && !lower.startsWith('proxy-')
}

/** Printable Latin-1. */
export const isHeaderValue = (value: string): boolean => fieldValue.test(value)
