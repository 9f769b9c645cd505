// Imported into a server before anything else: stands between the server and its disk. Syncs take
// as long as they are told to, and at one of them the power is cut: what a disk would then hold is
// written to another folder, and the process ends at once.
import fs, { fstatSync, type NoParamCallback, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { seeded } from '../chance.ts'
import { capture, chatsUpToMs, createDisk } from './recorded-disk.ts'
import { type Loss, writeSurvivors } from './survivors.ts'

export type PowerCut = {
  /** Where the folder is written to as it is after the cut. */
  out: string
  seed: number
  loss: Loss
  /** How long a sync takes at most. */
  syncMs: number
  /** The power is cut during this sync, or shortly after it. */
  atSync: number
}

export type Aftermath = { chatsUpToMs: number }

const { ATELIER_TEST_CUT: plan, DATA_DIR: folder } = process.env
if (isMainThread && plan && folder) await record(JSON.parse(plan), folder)

async function record({ out, seed, loss, syncMs, atSync }: PowerCut, folder: string) {
  const chance = seeded(seed)
  const disk = createDisk(folder)
  let syncs = 0

  const cut = () => {
    writeSurvivors(disk, out, { loss, chance })
    const aftermath: Aftermath = { chatsUpToMs: chatsUpToMs(disk) }
    writeFileSync(`${out}.json`, JSON.stringify(aftermath))
    process.kill(process.pid, 'SIGKILL')
  }
  const begin = (file: number) => {
    const finish = capture(disk, fstatSync(file, { bigint: true }))
    if (++syncs === atSync) setTimeout(cut, chance.below(2 * syncMs))
    return finish
  }
  const sync = (file: number): Promise<void> => {
    const finish = begin(file)
    return new Promise((resolve) => {
      setTimeout(() => {
        finish()
        resolve()
      }, 1 + chance.below(syncMs))
    })
  }
  const withCallback = (file: number, done: NoParamCallback) => {
    sync(file).then(() => done(null), done)
  }
  const atOnce = (file: number) => {
    const finish = begin(file)
    if (syncs === atSync && chance.below(2) === 0) cut()
    finish()
  }
  const patched = { fsync: withCallback, fdatasync: withCallback }
  Object.assign(fs, patched, { fsyncSync: atOnce, fdatasyncSync: atOnce })
  syncBuiltinESMExports()
  await using handle = await open(new URL(import.meta.url), 'r')
  const ofHandles = function (this: { fd: number }) {
    return sync(this.fd)
  }
  Object.assign(Object.getPrototypeOf(handle), { sync: ofHandles, datasync: ofHandles })
}
