import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const writer = fileURLToPath(new URL('./full-disk-writer.ts', import.meta.url))

describe('the cost of a call that was answered while the disk was full', () => {
  test('is kept, and stored exactly when there is room', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-full-'))
    const words = [process.execPath, writer, folder.path]
    const shell = ['-c', 'ulimit -f 4000; exec "$@"', 'sh', ...words]
    const { stdout } = await promisify(execFile)('sh', shell)
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [[{ outcome: 'PENDING', cost_micros: null }], [{ outcome: 'SUCCEEDED', cost_micros: 40 }]],
    )
  })
})
