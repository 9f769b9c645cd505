import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { within } from '#core/deadline.ts'
import { Failure } from '#core/errors.ts'

const cost = { logN: 17, r: 8, p: 1 }
const hashBytes = 32
// Each derivation takes 128 MiB and a thread of libuv's pool, which file access and DNS lookups
// share. Two at once leave threads for those.
const maxAtOnce = 2
const maxWaiting = 64
// Changing a password takes two derivations within the 15 s of a request, and the database needs
// the rest. A request that ends here has changed nothing, and says so.
const longestMs = 7_000

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
export function createPasswords(
  derive: Derive = deriveScrypt,
  { withinMs = longestMs }: { withinMs?: number } = {},
): Passwords {
  const limited = createLimiter(withinMs)
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

const overloaded = () =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'Too many passwords are being checked at once. Nothing was changed; try again.',
    retryAfterSeconds: 10,
  })

/** Runs at most `maxAtOnce` derivations at a time; the others wait in a bounded queue. */
function createLimiter(withinMs: number) {
  type Waiting = { isAbandoned: boolean; begin(): void }
  const waiting: Waiting[] = []
  let running = 0
  // A derivation that ends hands its slot to the next in the queue, so `running` is unchanged.
  const passOn = () => {
    let next = waiting.shift()
    while (next?.isAbandoned) next = waiting.shift()
    if (next) next.begin()
    else running--
  }
  return <T>(work: () => Promise<T>): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const turn: Waiting = { isAbandoned: false, begin: resolve }
    const derived = async (): Promise<T> => {
      if (running < maxAtOnce) running++
      else if (waiting.length >= maxWaiting) throw overloaded()
      else {
        waiting.push(turn)
        await promise
      }
      try {
        return await work()
      } finally {
        passOn()
      }
    }
    return within(withinMs, derived(), () => {
      turn.isAbandoned = true
      throw overloaded()
    })
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
