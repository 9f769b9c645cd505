// Loaded before a server: makes its disk fail while the file that ATELIER_TEST_DISK names says so,
// with lines such as "sync chats" or "write chats". Knows of the code under test only what its
// files are called.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { openSync, writeSync, fdatasync, readFileSync } = fs
const paths = new Map<number, string>()

const fails = (what: 'sync' | 'write', file: number): boolean => {
  const faults = readFileSync(process.env.ATELIER_TEST_DISK ?? '', 'utf8').split('\n')
  const path = paths.get(file)?.replace(/^.*\//, '') ?? ''
  return faults.some((fault) => {
    const [how, name = ''] = fault.split(' ')
    return how === what && path.startsWith(name)
  })
}

const error = (code: string) => Object.assign(new Error(`${code}: injected`), { code })

Object.assign(fs, {
  openSync(...args: Parameters<typeof openSync>) {
    const file = openSync(...args)
    paths.set(file, String(args[0]))
    return file
  },
  writeSync(file: number, ...rest: [string, number]) {
    if (fails('write', file)) throw error('ENOSPC')
    return writeSync(file, ...rest)
  },
  fdatasync(file: number, done: fs.NoParamCallback) {
    if (fails('sync', file)) setImmediate(done, error('EIO'))
    else fdatasync(file, done)
  },
})
syncBuiltinESMExports()
