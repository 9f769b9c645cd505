import assert from 'node:assert/strict'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Disk, journalPaths, openJournalFile } from '#store/journals/journal-file.ts'

const large = 'x'.repeat(1_500_000)
const linesOf = (text: string) => text.match(/line [0-9]+/g) ?? []

/** Every sync takes as long as it is told to, by a clock that the test moves. */
function slowDisk(t: TestContext, syncMs: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  const written = new Map<number, string[]>()
  const named = new Set<number>()
  const synced = new Map<number, string[]>()
  const onDiskAtMs = new Map<string, number>()
  /** How each sync of a file ends, in the order of their beginnings; the others succeed. */
  const failures: (Error | undefined)[] = []
  const syncs = { underWay: 0, most: 0 }

  const take = async (finish: () => void) => {
    await new Promise((resolve) => setTimeout(resolve, syncMs))
    finish()
    for (const file of named)
      for (const line of synced.get(file) ?? [])
        if (!onDiskAtMs.has(line)) onDiskAtMs.set(line, nowMs)
  }
  const disk: Disk = {
    write(file, text, position) {
      // Numbers of files are used again.
      if (position === 0) for (const one of [written, synced, named]) one.delete(file)
      written.set(file, [...(written.get(file) ?? []), ...linesOf(text)])
      return Buffer.byteLength(text)
    },
    sync(file) {
      const lines = [...(written.get(file) ?? [])]
      const failure = failures.shift()
      syncs.most = Math.max(syncs.most, ++syncs.underWay)
      return take(() => {
        syncs.underWay--
        if (failure) throw failure
        synced.set(file, lines)
      })
    },
    syncFolder() {
      const files = [...written.keys()]
      return take(() => {
        for (const file of files) named.add(file)
      })
    },
  }
  return {
    ...{ disk, onDiskAtMs, failures, syncs },
    async pass(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs++
        t.mock.timers.tick(1)
        await setImmediate()
      }
    },
  }
}

function openFile(t: TestContext, syncMs: number) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'atelier-journal-'))
  t.after(() => folder.remove())
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const lines: string[] = []
  const slow = slowDisk(t, syncMs)
  const { append, ...file } = openJournalFile({
    ...{ folder: folder.path, disk: slow.disk, onError, onBroken: onError },
    nowMs: () => 0,
    needed: () => lines.join('\n'),
  })
  return {
    ...{ ...slow, ...file, errors, lines, folder: folder.path },
    add(end = '') {
      const line = `line ${lines.length}`
      append(`${line}${end}\n`)
      lines.push(line)
    },
  }
}

describe('a line of the chat log', () => {
  for (const syncMs of [2, 40, 60, 100]) {
    test(`is on disk after 50 ms and one sync of ${syncMs} ms`, async (t) => {
      const { add, lines, pass, onDiskAtMs, errors, close } = openFile(t, syncMs)
      // Some of them fill the file, so that others take its place.
      for (let atMs = 0; atMs < 1_000; atMs++) {
        add(atMs % 70 === 0 ? large : '')
        await pass(1)
      }
      await pass(50 + syncMs)
      const waitsMs = lines.map((line, atMs) => (onDiskAtMs.get(line) ?? Infinity) - atMs)
      assert.ok(Math.max(...waitsMs) <= 50 + syncMs, `one took ${Math.max(...waitsMs)} ms`)
      assert.deepEqual(errors, [])
      await close('removed')
    })
  }

  test('of a process that stops is on disk once it has', async (t) => {
    const { add, lines, pass, onDiskAtMs, close } = openFile(t, 10)
    for (let i = 0; i < 100; i++) {
      add()
      await pass(1)
    }
    add()
    const closed = close('kept')
    await pass(20)
    await closed
    assert.deepEqual([...onDiskAtMs.keys()].sort(), lines.toSorted())
  })

  test('waits while two syncs are under way: a stuck disk leaves threads to others', async (t) => {
    const { add, lines, pass, onDiskAtMs, syncs, close } = openFile(t, 1_000)
    for (let atMs = 0; atMs < 5_000; atMs += 10) {
      add()
      await pass(10)
    }
    assert.equal(syncs.most, 2)
    await pass(2_000)
    assert.equal(onDiskAtMs.size, lines.length)
    await close('removed')
  })
})

describe('a full file of the chat log', () => {
  const failed = new Error('EIO')
  for (const [which, failures] of Object.entries({
    first: [failed, undefined],
    second: [undefined, failed],
  })) {
    test(`is kept if the ${which} of two syncs of the next one fails`, async (t) => {
      const { add, pass, failures: planned, folder, errors, close } = openFile(t, 60)
      for (let i = 0; i < 3; i++) add(large)
      add()
      assert.equal(journalPaths(folder).length, 2)
      planned.push(...failures)
      await pass(60)
      add()
      await pass(200)
      assert.equal(journalPaths(folder).length, 2)
      assert.equal(errors.length, 1)
      assert.throws(add)
      await close('kept')
    })
  }

  test('is removed once, after all syncs of the next one that are under way', async (t) => {
    const { add, pass, folder, errors, close } = openFile(t, 60)
    for (let i = 0; i < 3; i++) add(large)
    add()
    await pass(60)
    add()
    await pass(59)
    assert.equal(journalPaths(folder).length, 2)
    await pass(60)
    assert.equal(journalPaths(folder).length, 1)
    assert.deepEqual(errors, [])
    await close('removed')
  })
})
