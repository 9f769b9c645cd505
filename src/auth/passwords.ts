import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Failure } from '#core/errors.ts'

const cost = { logN: 17, r: 8, p: 1 }
const hashBytes = 32
// Each takes 128 MiB and a thread of the pool that files and name lookups share: two leave room.
const maxAtOnce = 2
const maxWaiting = 64

export type Passwords = {
  /** A self-describing text: `$scrypt$ln=17,r=8,p=1$salt$hash`. */
  hash(password: string): Promise<string>
  /** Without a stored hash it takes as long and answers false. */
  verify(password: string, stored: string | null): Promise<boolean>
}

export type Derive = (
  password: string,
  salt: Uint8Array,
  cost: { logN: number; r: number; p: number },
) => Promise<Uint8Array>

/** `derive` is for tests that count; without it, scrypt. */
export function createPasswords(derive: Derive = deriveScrypt): Passwords {
  const turn = createTurns()
  // No password derives to random bytes, so nobody is let in by it.
  const nobody = format(randomBytes(16), randomBytes(hashBytes))

  return {
    async hash(password) {
      const salt = randomBytes(16)
      return format(salt, await turn(() => derive(password.normalize('NFKC'), salt, cost)))
    },
    async verify(password, stored) {
      const { salt, hash, ...parameters } = parse(stored ?? nobody)
      const given = await turn(() => derive(password.normalize('NFKC'), salt, parameters))
      return timingSafeEqual(given, hash)
    },
  }
}

function createTurns() {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= maxAtOnce) {
      if (waiting.length >= maxWaiting) {
        throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 10 })
      }
      // Whoever ends passes its place on, so `running` stays as it is.
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
  const parts = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored)
  if (!parts) throw new Error('a stored password hash is unreadable')
  const [, logN, r, p, salt = '', hash = ''] = parts
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
