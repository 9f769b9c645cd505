import type { Device } from '#store/tables/sessions.ts'
import type { CallContext } from '../../operation.ts'
import type { ConsoleContext } from '../context.ts'

/** The browser that a request came from, as its user will recognise it. */
export function deviceOf(context: ConsoleContext & CallContext): Device {
  const [userAgent = ''] = context.headerValues('user-agent')
  return { ipAddress: context.ipAddress, userAgent: deviceName(userAgent) }
}

// Browsers also name those that they imitate, so the more specific patterns come first.
const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]
const maxProgramName = 60

/** “Firefox on Linux”, or the name that another program sent. Null if there is none. */
export function deviceName(userAgent: string): string | null {
  const browser = nameIn(browsers, userAgent)
  const system = nameIn(systems, userAgent)
  if (browser !== null) return system === null ? browser : `${browser} on ${system}`
  const [program = ''] = userAgent.replace(/[^\x20-\x7e]/g, '').split(' ')
  return program === '' ? null : program.slice(0, maxProgramName)
}

const nameIn = (names: readonly [RegExp, string][], userAgent: string): string | null =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
