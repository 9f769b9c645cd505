import { isHeaderValue, isSettableHeader } from '#core/header-names.ts'
import { OutboundRefused } from './outbound-errors.ts'

/** Returns the headers with lower-case names; the last of several spellings of a name wins. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) {
    if (!isSettableHeader(name) || !isHeaderValue(value)) throw new OutboundRefused('HEADER')
    checked[name.toLowerCase()] = value
  }
  return checked
}
