import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Failure } from '#core/errors.ts'

const cost = { logN: 17, r: 8, p: 1 }
const hashBytes = 32
// Each derivation takes 128 MiB and a thread of libuv's pool, which file access and DNS lookups
// share. Two at once leave threads for those.
const maxAtOnce = 2
const maxWaiting = 64

export type Passwords = {
  /** Returns `$scrypt$ln=17,r=8,p=1$salt$hash`, which names its own parameters. */
  hash(password: string): Promise<string>
  /** Without a stored hash, returns false after the same time, so timing reveals no account. */
  verify(password: string, stored: string | null): Promise<boolean>
}

export type Derive = (
  password: string,
  salt: Uint8Array,
  cost: { logN: number; r: number; p: number },
) => Promise<Uint8Array>

/** Tests pass a `derive` that counts its calls. */
export function createPasswords(derive: Derive = deriveScrypt): Passwords {
  const limited = createLimiter()
  // Checked in place of a missing hash. No password derives to these random bytes.
  const unmatchable = format(randomBytes(16), randomBytes(hashBytes))

  return {
    async hash(password) {
      const salt = randomBytes(16)
      return format(salt, await limited(() => derive(password.normalize('NFKC'), salt, cost)))
    },
    async verify(password, stored) {
      const { salt, hash, ...parameters } = parse(stored ?? unmatchable)
      const given = await limited(() => derive(password.normalize('NFKC'), salt, parameters))
      return timingSafeEqual(given, hash)
    },
  }
}

/** Runs at most `maxAtOnce` derivations at a time; the others wait in a bounded queue. */
function createLimiter() {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= maxAtOnce) {
      if (waiting.length >= maxWaiting) {
        throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 10 })
      }
      // A derivation that ends hands its slot to the next in the queue, so `running` is unchanged.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

const format = (salt: Uint8Array, hash: Uint8Array): string =>
  `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

function parse(stored: string) {
  const match = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored)
  if (!match) throw new Error('a stored password hash is unreadable')
  const [, logN, r, p, salt = '', hash = ''] = match
  return {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

const deriveScrypt: Derive = (password, salt, { logN, r, p }) =>
  new Promise((resolve, reject) => {
    const N = 2 ** logN
    scrypt(password, salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
