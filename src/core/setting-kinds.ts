// Kinds of settings: how the text of an environment variable becomes a value, and the error if it
// cannot.
import { isIP } from 'node:net'

export type Variable<T> = {
  fallback: string
  help: string
  secret?: true
  parse: (text: string) => T
}

export class BadValue extends Error {}

export const text = (fallback: string, help: string): Variable<string> => ({
  fallback,
  help,
  parse: (t) => t,
})
export const secret = (help: string): Variable<string> => ({ ...text('', help), secret: true })
/** Base64 of 32 bytes. */
export const key32 = (help: string): Variable<string> => ({
  ...secret(help),
  parse: (t) => {
    if (t !== '' && Buffer.from(t, 'base64').length !== 32)
      throw new BadValue('must be base64 of 32 bytes')
    return t
  },
})
export const count = (
  fallback: string,
  help: string,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): Variable<number> => ({
  fallback,
  help,
  parse: (t) => {
    if (!/^[0-9]{1,15}$/.test(t) || Number(t) < min || Number(t) > max) {
      const bounds =
        max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
      throw new BadValue(`must be a whole number ${bounds}`)
    }
    return Number(t)
  },
})
const daySeconds = 86_400
/** How long a caller or this process waits: at most a day, because more can only be a mistake. */
export const waiting = (fallback: string, help: string, min = 1) =>
  count(fallback, help, min, daySeconds)
/** How long stored work may take: at most a year. */
export const working = (fallback: string, help: string) =>
  count(fallback, help, 1, 365 * daySeconds)
export const choice = <const T extends string>(
  options: readonly T[],
  fallback: T,
  help: string,
): Variable<T> => ({
  fallback,
  help,
  parse: (t) => {
    const found = options.find((option) => option === t)
    if (found === undefined) throw new BadValue(`must be one of ${options.join(', ')}`)
    return found
  },
})
export const httpUrl = (fallback: string, help: string): Variable<string> => ({
  fallback,
  help,
  parse: (t) => {
    if (t === '') return ''
    if (!URL.canParse(t) || !/^https?:$/.test(new URL(t).protocol)) {
      throw new BadValue('must be an http:// or https:// address')
    }
    return t.replace(/\/+$/, '')
  },
})
export const list = (help: string): Variable<string[]> => ({
  fallback: '',
  help,
  parse: (t) =>
    t
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
})
/** As browsers name the origin of a page, which is compared letter by letter. */
export const origins = (help: string): Variable<string[]> => ({
  ...list(help),
  parse: (t) => {
    const words = list('').parse(t)
    const bad = words.find((word) => !isOrigin(word))
    if (bad === undefined) return words
    throw new BadValue(`has "${bad}", which is no origin such as https://app.example.com`)
  },
})

/** URLs know no origins of other schemes, such as those of browser extensions. */
const isOrigin = (word: string): boolean =>
  /^https?:/i.test(word)
    ? URL.parse(word)?.origin === word
    : word === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/]+$/.test(word)

/** `127.0.0.1:9464` or `[::1]:9464`; null if it is not set. */
export const listenAddress = (help: string): Variable<{ host: string; port: number } | null> => ({
  fallback: '',
  help,
  parse: (t) => {
    if (t === '') return null
    const [, inner, plain = inner, port] = /^(?:\[(.+)\]|(.+)):([0-9]{1,5})$/.exec(t) ?? []
    if (plain === undefined || Number(port) > 65_535)
      throw new BadValue('must look like 127.0.0.1:9464')
    return { host: plain, port: Number(port) }
  },
})

/** `name=value,other=value`, percent-encoded, as in OpenTelemetry's variables. */
export const pairs = (help: string): Variable<Readonly<Record<string, string>>> => ({
  fallback: '',
  help,
  parse: (t) => Object.fromEntries(list('').parse(t).map(asPair)),
})

function asPair(word: string): [name: string, value: string] {
  const at = word.indexOf('=')
  if (at < 1) throw new BadValue('must look like name=value,other=value')
  try {
    return [word.slice(0, at).trim(), decodeURIComponent(word.slice(at + 1).trim())]
  } catch {
    throw new BadValue('has a value that is not percent-encoded')
  }
}

export const ratio = (fallback: string, help: string): Variable<number> => ({
  fallback,
  help,
  parse: (t) => {
    if (!/^(?:0|1|[01]?\.[0-9]{1,9})$/.test(t) || Number(t) > 1)
      throw new BadValue('must be a number from 0 to 1')
    return Number(t)
  },
})

export const cidrs = (help: string): Variable<string[]> => ({
  ...list(help),
  parse: (t) => list('').parse(t).map(asCidr),
})

function asCidr(word: string): string {
  const [address = '', bits] = word.split('/')
  const version = isIP(address)
  if (version === 0) throw new BadValue(`has "${word}", which is neither an address nor a CIDR`)
  const width = version === 4 ? 32 : 128
  const prefix = bits === undefined ? width : Number(bits)
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > width || bits === '') {
    throw new BadValue(`has "${word}", whose prefix length is not 0 to ${width}`)
  }
  return `${address}/${prefix}`
}

export const databaseUrl = (help: string): Variable<string> => ({
  ...secret(help),
  parse: (t) => {
    if (t !== '' && !/^postgres(ql)?:\/\//.test(t))
      throw new BadValue('must start with postgres://')
    return t
  },
})
