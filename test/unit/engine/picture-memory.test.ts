import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Stopping, TimeUp } from '#core/interruptions.ts'
import { createPictureMemory, PicturesTooLarge } from '#engine/calls/picture-memory.ts'

const mebi = 1024 * 1024
const never = new AbortController().signal
const picture = (bytes: number) => ({ bytes: new Uint8Array(bytes), mimeType: 'image/png' })

/** Every picture has the given number of bytes; `asked` says which were loaded. */
function openMemory(limitBytes: number) {
  const memory = createPictureMemory(limitBytes)
  const asked: string[] = []
  const hold = (names: string[], bytes: number, signal: AbortSignal = never, account?: string) => {
    const load = async (name: string) => {
      asked.push(name)
      return picture(bytes)
    }
    return memory.hold(account ?? `account of ${names[0]}`, names, load, signal)
  }
  return { memory, hold, asked }
}

const settled = () => new Promise(setImmediate)

describe('pictures in memory', () => {
  test('are loaded in the order they were asked for, a few at once', async () => {
    const { memory } = openMemory(100 * mebi)
    let underWay = 0
    let most = 0
    const sizes = Array.from({ length: 20 }, (_, i) => i + 1)
    const { pictures } = await memory.hold(
      'account',
      sizes,
      async (size) => {
        most = Math.max(most, ++underWay)
        for (let i = 0; i < size % 3; i++) await settled()
        underWay--
        return picture(size)
      },
      never,
    )
    assert.deepEqual(
      pictures.map(({ bytes }) => bytes.length),
      sizes,
    )
    assert.equal(most, 4)
  })

  test('wait in line while others fill the memory, and are loaded when those are done', async () => {
    const { hold, asked } = openMemory(12 * mebi)
    const first = await hold(['a'], 9 * mebi)
    const others = ['b', 'c'].map((name) => hold([name], 1))
    await settled()
    assert.deepEqual(asked, ['a'], 'one that may be as large has no room')
    first.release()
    await Promise.all(others)
    assert.deepEqual(asked, ['a', 'b', 'c'])
    await hold(['d'], 1)
    assert.deepEqual(asked, ['a', 'b', 'c', 'd'], 'what is held counts, not what might have been')
  })

  test('of one account take at most half, so that others need not wait for it', async () => {
    const { hold, asked } = openMemory(40 * mebi)
    const ofA = (name: string) => hold([name], 9 * mebi, never, 'A')
    const first = await ofA('a1')
    await ofA('a2')
    const third = ofA('a3')
    await hold(['b1'], 9 * mebi)
    assert.deepEqual(asked, ['a1', 'a2', 'b1'])
    first.release()
    await third
    assert.deepEqual(asked, ['a1', 'a2', 'b1', 'a3'])
  })

  test('are taken alone even where they are larger than the memory for all', async () => {
    const { hold } = openMemory(mebi)
    const { pictures } = await hold(['a', 'b'], 9 * mebi)
    assert.equal(pictures.length, 2)
  })

  test('larger than 50 MiB together are refused, and leave their room to others', async () => {
    const { hold, asked } = openMemory(60 * mebi)
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`)
    await assert.rejects(hold(names, 10 * mebi), PicturesTooLarge)
    assert.ok(asked.length < names.length, 'it is not all loaded first')
    await hold(['next'], mebi)
    assert.equal(asked.at(-1), 'next')
  })

  test('that cannot be loaded leave their room to others', async () => {
    const { memory, hold, asked } = openMemory(12 * mebi)
    const broken = memory.hold('account', ['x'], () => Promise.reject(new Error('gone')), never)
    const next = hold(['next'], 1)
    await assert.rejects(broken, /gone/)
    await next
    assert.deepEqual(asked, ['next'])
  })

  test('whose caller does not wait any longer leave the line, and say that nothing was sent', async () => {
    const { hold, asked } = openMemory(12 * mebi)
    const first = await hold(['a'], 9 * mebi)
    const late = new AbortController()
    const stopping = new AbortController()
    const gone = [hold(['b'], 1, late.signal), hold(['c'], 1, stopping.signal)]
    const next = hold(['d'], 1)
    late.abort(new TimeUp('late'))
    stopping.abort(new Stopping())
    await assert.rejects(gone[0] ?? next, { kind: 'busy', outcome: 'not_sent' })
    await assert.rejects(gone[1] ?? next, Stopping)
    first.release()
    await next
    assert.deepEqual(asked, ['a', 'd'])
    await assert.rejects(hold(['e'], 1, stopping.signal), Stopping)
  })
})
