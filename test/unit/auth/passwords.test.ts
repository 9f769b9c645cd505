import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords, type Derive } from '#auth/passwords.ts'

/** Derivations that end on demand, and the list of those that are running. */
function handDerive() {
  const open: (() => void)[] = []
  const seen = { running: 0, most: 0, started: 0 }
  const derive: Derive = async (_password, salt) => {
    seen.started++
    seen.most = Math.max(seen.most, ++seen.running)
    await new Promise<void>((resolve) => open.push(resolve))
    seen.running--
    return Buffer.concat([salt, salt])
  }
  const finishOne = async () => {
    open.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { derive, seen, finishOne }
}

test('a password is stored with its salt and parameters, and never twice in the same form', async () => {
  // A machine that is busy with other things needs its time.
  const passwords = createPasswords(undefined, { withinMs: 120_000 })
  const [one, two] = await Promise.all([
    passwords.hash('correct horse'),
    passwords.hash('correct horse'),
  ])
  assert.match(one, /^\$scrypt\$ln=17,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/)
  assert.notEqual(one, two)
  assert.equal(await passwords.verify('correct horse', one), true)
  assert.equal(await passwords.verify('correct horsf', one), false)
})

test('equal letters in two Unicode forms are the same password', async () => {
  const derive: Derive = async (password) => Buffer.from(password.padEnd(32).slice(0, 32))
  const passwords = createPasswords(derive)
  const stored = await passwords.hash('café au lait!')
  assert.equal(await passwords.verify('cafe\u0301 au lait!', stored), true)
})

test('an unknown user costs one derivation like any other, and is refused', async () => {
  const costs: object[] = []
  const derive: Derive = async (_password, salt, cost) => {
    costs.push(cost)
    return Buffer.concat([salt, salt])
  }
  const passwords = createPasswords(derive)
  const stored = await passwords.hash('some password')
  await passwords.verify('some password', stored)
  assert.equal(await passwords.verify('some password', null), false)
  assert.equal(costs.length, 3)
  assert.deepEqual(costs[2], costs[1])
})

test('at most four derivations run at once and all are served in the end', async () => {
  const { derive, seen, finishOne } = handDerive()
  const passwords = createPasswords(derive)
  const hashes = Promise.all(Array.from({ length: 20 }, () => passwords.hash('some password')))
  for (let done = 0; done < 20; done++) await finishOne()
  assert.equal((await hashes).length, 20)
  assert.equal(seen.started, 20)
  assert.ok(seen.most >= 1 && seen.most <= 4, `${seen.most} at once`)
})

test('a flood is refused before it takes memory, and the next caller is served after it', async () => {
  const { derive, finishOne } = handDerive()
  const passwords = createPasswords(derive)
  const outcomes = Array.from({ length: 100 }, () =>
    passwords.hash('some password').then(
      () => 'served',
      (failure) => `${failure.code} after ${failure.retryAfterSeconds}`,
    ),
  )
  for (let done = 0; done < 100; done++) await finishOne()
  const counts = Object.entries(Object.groupBy(await Promise.all(outcomes), (outcome) => outcome))
  assert.deepEqual(counts.map(([outcome]) => outcome).sort(), [
    'SERVICE_UNAVAILABLE after 10',
    'served',
  ])
  const late = passwords.hash('some password')
  await finishOne()
  assert.match(await late, /^\$scrypt\$/)
})

test('a derivation that fails releases its slot', async () => {
  let calls = 0
  const passwords = createPasswords(async (_password, salt) => {
    if (++calls <= 8) throw new Error('no memory')
    return Buffer.concat([salt, salt])
  })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 9 }, () => passwords.hash('some password')),
  )
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    [...Array(8).fill('rejected'), 'fulfilled'],
  )
})

test('a request that waits too long is told that nothing was changed, and leaves the queue', async () => {
  const started: (() => void)[] = []
  const derive: Derive = () =>
    new Promise((resolve) => started.push(() => resolve(new Uint8Array(32))))
  const passwords = createPasswords(derive, { withinMs: 20 })
  const refused = { code: 'SERVICE_UNAVAILABLE', message: /Nothing was changed/ }
  const asked = Array.from({ length: 4 }, () => passwords.hash('correct horse battery'))
  for (const one of asked) await assert.rejects(one, refused)
  assert.equal(started.length, 2)
  for (const finish of started.splice(0)) finish()
  await new Promise(setImmediate)
  assert.deepEqual(started, [], 'what nobody waits for any more is not derived')
})
